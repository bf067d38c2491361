# Tests.  `make check` runs every suite below, one after the other, and ends with a summary; each
# suite prints 'N passed, M failed' and can be run alone: make check-unit, check-hostile, ...

SUITES := layers unit programs pm cxl analysis concurrent hostile examples litmus fuzz docs

# ---- unit tests: one program per file, linked with the part it tests ----
UNIT      := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
UNIT_BIN  := $(addprefix $(B)/tests/,$(UNIT))
CONTAINER := $(filter-out $(B)/target/session/worker.o,$(WORKER_OBJ))
THREADS   := $(patsubst %,$(B)/target/process/%.o,fiber stop host fiber_switch) $(B)/target/thread/thread.o \
             $(filter $(B)/target/thread/sync_%,$(WORKER_OBJ))
PURE      := $(filter $(foreach f,base event finding memory explore analysis,$(B)/target/$(f)/%),$(WORKER_OBJ))
BASE_TARGET := $(filter $(B)/target/base/% $(B)/target/event/%,$(WORKER_OBJ))
HOST_OBJ  := $(filter-out $(B)/obj/cli/tidemark.o,$(CLI_OBJ))

unit_objects = $(if $(filter runtime_thread% runtime_sync%,$(1)),$(THREADS) $(BASE_TARGET),$(if \
  $(filter runtime_%,$(1)),$(CONTAINER),$(if \
  $(filter memory_% explore_%,$(1)),$(PURE),$(HOST_OBJ))))

.SECONDEXPANSION:
$(UNIT_BIN): $(B)/tests/%: tests/unit/%.c $$(call unit_objects,%)
	@mkdir -p $(@D)
	$(call say,TEST)
	$(Q)$(CC) $(CFLAGS) -Wno-unused-function -Itests/unit -MMD -MP -MF $@.d -MT $@ -c $< -o $@.o
	$(Q)$(if $(filter runtime_%,$*),$(CC),$(CXX_LINK)) -pie -rdynamic -Wl,-z,now -o $@ $@.o \
	  $(filter %.o,$^) -lcmocka -ldl $(if $(filter runtime_%,$*),,-lcadical -ljansson -ldw -lelf)

.PHONY: $(addprefix check-,$(SUITES))
check-unit: programs
	@$(MAKE) --no-print-directory -j$(JOBS) unit-programs
	@tests/run_unit.sh $(UNIT_BIN)

.PHONY: unit-programs
unit-programs: $(UNIT_BIN)

check-layers: programs
	@python3 tests/check_layers.py src layers.txt $(B)/target && echo "1 passed, 0 failed"

LIT := python3 $(LLVM)/build/utils/lit/lit.py
check-programs: programs
	@$(LIT) -q -j2 tests/programs --param build=$(abspath $(B)) && echo "lit: all passed"

check-pm: programs
	@python3 tests/programs/pm/run.py

check-cxl: programs
	@python3 tests/programs/cxl/run.py
	@python3 tests/programs/cxl/hostile.py

check-analysis: programs
	@python3 tests/programs/analysis/run.py
	@python3 tests/fuzz/analysis_random.py --seed 1 --count 200

check-concurrent: programs
	@$(MAKE) --no-print-directory -C examples -s -j2 BUILD=$(abspath $(B)) concurrent
	@python3 tests/programs/concurrent/run.py

check-hostile: programs
	@python3 tests/hostile/run.py

check-examples: programs
	@$(MAKE) --no-print-directory -C examples -s -j2 BUILD=$(abspath $(B))
	@python3 tests/programs/examples/run.py

check-litmus: programs
	@PATH="$(abspath $(B))/bin:$$PATH" tests/litmus/run.sh

check-fuzz: programs
	@python3 tests/fuzz/pm_random.py --seed 1 --count 2000
	@python3 tests/fuzz/cxl_random.py --seed 1 --count 2000
	@python3 tests/fuzz/schedule_random.py --seed 1 --count 220

check-docs: programs
	@python3 tests/check_docs.py

check: setup-check all
	@tests/run_suites.sh $(SUITES)

# Would the tests notice?  Some minutes.
.PHONY: mutants
mutants: programs
	@python3 tests/mutants/run.py --jobs $(JOBS)

tables: programs
	@PATH="$(abspath $(B))/bin:$$PATH" tests/litmus/tables.sh
