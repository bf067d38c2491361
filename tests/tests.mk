# Tests.  `make check` runs every suite below, two at a time, and ends with a summary; each
# suite prints 'N passed, M failed' and can be run alone: make check-unit, check-hostile, ...
# `make check-fast` runs those that need about half a minute together.

# The long ones first: two run at a time.
SUITES      := layers sanitized programs litmus fuzz analysis unit cxl jobs pm concurrent lint hostile examples docs
FAST_SUITES := layers lint unit pm cxl docs

# ---- unit tests: one program per file, linked with the part it tests ----
UNIT      := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
UNIT_BIN  := $(addprefix $(B)/tests/,$(UNIT))
CONTAINER := $(filter-out $(B)/target/session/worker.o,$(WORKER_OBJ))
THREADS   := $(patsubst %,$(B)/target/process/%.o,fiber stop host fiber_switch) \
             $(filter $(B)/target/thread/thread% $(B)/target/thread/sync_%,$(WORKER_OBJ))
PURE      := $(filter $(foreach f,base event finding memory explore analysis,$(B)/target/$(f)/%),$(WORKER_OBJ))
FAST_LINK := $(if $(shell command -v ld.lld-19),-fuse-ld=lld)
BASE_TARGET := $(filter $(B)/target/base/% $(B)/target/event/%,$(WORKER_OBJ))
HOST_OBJ  := $(filter-out $(B)/obj/cli/main.o,$(CLI_OBJ))

unit_objects = $(if $(filter runtime_thread% runtime_sync%,$(1)),$(THREADS) $(BASE_TARGET),$(if \
  $(filter runtime_%,$(1)),$(CONTAINER),$(if \
  $(filter memory_% explore_%,$(1)),$(PURE),$(HOST_OBJ))))

.SECONDEXPANSION:
$(UNIT_BIN): $(B)/tests/%: tests/unit/%.c $$(call unit_objects,%)
	@mkdir -p $(@D)
	$(call say,TEST)
	$(Q)$(CC) $(CFLAGS) -Wno-unused-function -Itests/unit -MMD -MP -MF $@.d -MT $@ -c $< -o $@.o
	$(Q)$(if $(filter runtime_%,$*),$(CC),$(CXX_LINK)) $(LDFLAGS) $(FAST_LINK) -pie -rdynamic -Wl,-z,now -o $@ \
	  $@.o $(filter %.o,$^) -lcmocka -ldl $(if $(filter runtime_%,$*),,-lcadical -ljansson -ldw -lelf)

.PHONY: $(addprefix check-,$(SUITES))

.PHONY: example-programs
example-programs: programs
	@$(MAKE) --no-print-directory -C examples -s -j$(JOBS) BUILD=$(abspath $(B))

check-unit: programs
	@$(MAKE) --no-print-directory -j$(JOBS) unit-programs
	@tests/run_unit.sh $(UNIT_BIN)

.PHONY: unit-programs
unit-programs: $(UNIT_BIN)

# ---- what runs on the host, built anew with sanitizers; the worker it starts is the ordinary one ----
SANITIZED     := $(B)-sanitized
SANITIZERS    := -fsanitize=address,undefined -fno-sanitize-recover=all
# With sanitizers, optimising takes most of the time of a build; only what decides litmus tests is too slow without.
UNOPTIMISED   :=
ifneq ($(UNOPTIMISED),)
$(foreach f,$(UNOPTIMISED),$(B)/obj/$(f)/%.o) $(B)/tests/%: override CFLAGS += -O0
endif
HOST_UNIT_BIN := $(addprefix $(B)/tests/,$(filter axiom_% base_% cli_% cprog_% report_%,$(UNIT)))

check-sanitized: programs
	@$(MAKE) --no-print-directory -j$(JOBS) B=$(SANITIZED) CFLAGS='-O1 -gline-tables-only $(SANITIZERS)' \
	  LDFLAGS='$(SANITIZERS)' UNOPTIMISED='cli cprog explore finding instrument report' host-programs
	@ln -sfn $(abspath $(B)/libexec) $(SANITIZED)/libexec
	@ln -sfn $(abspath $(B)/lib) $(SANITIZED)/lib
	@tests/run_sanitized.sh $(SANITIZED)

.PHONY: host-programs
host-programs: $(filter $(B)/bin/%,$(PROGRAMS)) $(HOST_UNIT_BIN)

check-layers: programs
	@python3 tests/check_layers.py src layers.txt $(B)/target && echo "1 passed, 0 failed"

LIT := python3 $(LLVM)/build/utils/lit/lit.py
check-programs: programs
	@$(LIT) -sv --no-progress-bar -j2 tests/programs --param build=$(abspath $(B)) && echo "lit: all passed"

check-pm: programs
	@python3 tests/programs/pm/run.py
	@python3 tests/programs/order.py pm
	@python3 tests/programs/pm/lines.py
	@python3 tests/programs/pm/traces.py
	@python3 tests/programs/pm/estimate.py

check-cxl: programs
	@python3 tests/programs/cxl/run.py
	@python3 tests/programs/cxl/hostile.py
	@python3 tests/programs/order.py cxl

check-jobs: example-programs
	@python3 tests/programs/jobs/run.py --kills 6

check-analysis: example-programs
	@python3 tests/programs/analysis/run.py
	@python3 tests/programs/analysis/examples.py
	@python3 tests/fuzz/analysis_random.py --seed 1 --count 80
	@python3 tests/fuzz/analysis_cxl_random.py --seed 1 --count 80
	@python3 tests/fuzz/analysis_schedule_random.py --seed 1 --count 50
	@python3 tests/fuzz/analysis_merge_random.py --seed 12 --count 16
	@python3 tests/fuzz/analysis_merge_cxl_random.py --seed 5 --count 10

check-concurrent: example-programs
	@python3 tests/programs/concurrent/run.py
	@python3 tests/programs/concurrent/reports.py
	@python3 tests/programs/concurrent/fences.py
	@python3 tests/programs/concurrent/estimate.py

check-hostile: programs
	@python3 tests/hostile/run.py

check-examples: example-programs
	@python3 tests/programs/examples/run.py

check-litmus: programs
	@PATH="$(abspath $(B))/bin:$$PATH" tests/litmus/run.sh

check-fuzz: programs
	@python3 tests/fuzz/pm_random.py --seed 1 --count 300
	@python3 tests/fuzz/pm_random.py --seed 3 --count 100 --foreign
	@python3 tests/fuzz/pm_source.py --seed 1 --count 50
	@python3 tests/fuzz/merge_random.py --seed 1 --count 30
	@python3 tests/fuzz/merge_random.py --failures=2 --replay '*s0=2 s2=1 f2 s0=1 s1=1 s1=1 s1=0 s2=0/x12 p1 i10 ?12 i01 t21 #0 o0'
	@python3 tests/fuzz/merge_cxl_random.py --seed 1 --count 30
	@python3 tests/fuzz/waiting_cxl_random.py --seed 1 --count 20
	@TIDEMARK_TEST_SETTINGS=recall-after=0 python3 tests/fuzz/pm_random.py --seed 2 --count 100
	@TIDEMARK_TEST_SETTINGS=recall-after=0 python3 tests/fuzz/cxl_random.py --seed 2 --count 80
	@python3 tests/fuzz/cxl_random.py --seed 1 --count 300
	@python3 tests/fuzz/schedule_random.py --seed 1 --count 80
	@python3 tests/fuzz/cxl_schedule_random.py --seed 1 --count 20
	@python3 tests/fuzz/threads_random.py --seed 1 --count 100
	@python3 tests/fuzz/threads_source.py --seed 1 --count 30
	@python3 tests/fuzz/counting_random.py --seed 1 --count 12
	@python3 tests/fuzz/locks_random.py --seed 1 --count 12
	@python3 tests/fuzz/calls_random.py --seed 1 --count 10
	@TIDEMARK="$(abspath $(B))/bin/tidemark" python3 tests/fuzz/c_random.py --seed 1 --count 40
	@TIDEMARK="$(abspath $(B))/bin/tidemark" python3 tests/fuzz/c_forms.py --seed 1 --count 20
	@TIDEMARK="$(abspath $(B))/bin/tidemark" python3 tests/fuzz/c_mixed.py --seed 1 --count 10
	@TIDEMARK="$(abspath $(B))/bin/tidemark" python3 tests/fuzz/c_checkers.py --seed 1 --count 12
	@TIDEMARK="$(abspath $(B))/bin/tidemark" LLVM="$(LLVM)" python3 tests/fuzz/c_sequential.py --seed 1 --count 6

check-docs: programs
	@python3 tests/check_docs.py
	@python3 tests/mutants/run.py --fits

# Layout and clang-tidy: without its analyzer, which takes minutes, where nothing has changed.
check-lint:
	@JOBS=$(JOBS) LLVM=$(LLVM) tools/lint.sh quick

lint: setup-check
	@JOBS=$(JOBS) LLVM=$(LLVM) tools/lint.sh

format:
	@tools/lint.sh format

check-fast: setup-check all
	@tests/run_suites.sh $(FAST_SUITES)

check: setup-check all
	@$(MAKE) --no-print-directory example-programs
	@tests/run_suites.sh $(SUITES)

# ---- readers of whatever users write, fuzzed: make fuzz-cat FUZZ_SECONDS=900, and so on (tests/fuzz/readers/run.sh) ----
READERS     := x86 aarch64 riscv power c schematic cat lifted expect silence results
FUZZED      := $(B)-fuzzed
FUZZ_FLAGS  := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
READER_BIN  := $(patsubst tests/fuzz/readers/%.c,$(B)/readers/%,$(wildcard tests/fuzz/readers/*.c))
FUZZ_SECONDS ?= 300

.PHONY: fuzz reader-programs $(addprefix fuzz-,$(READERS))
fuzz: $(addprefix fuzz-,$(READERS))

$(addprefix fuzz-,$(READERS)): fuzz-%: programs
	@$(MAKE) --no-print-directory B=$(FUZZED) CFLAGS='-O1 -g $(FUZZ_FLAGS)' reader-programs
	@tests/fuzz/readers/run.sh $(FUZZED) $* $(FUZZ_SECONDS)

reader-programs: $(READER_BIN)

$(READER_BIN): $(B)/readers/%: tests/fuzz/readers/%.c tests/fuzz/readers/reader.h $(HOST_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@.o
	$(Q)$(CXX_LINK) -fsanitize=fuzzer,address,undefined -o $@ $@.o $(HOST_OBJ) -lcadical -ljansson -ldw -lelf

# Would the tests notice?  Some minutes.
.PHONY: mutants
mutants: programs
	@python3 tests/mutants/run.py --jobs $(JOBS)

tables: programs
	@PATH="$(abspath $(B))/bin:$$PATH" tests/litmus/tables.sh
