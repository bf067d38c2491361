# make            everything into build/ (programs in build/bin)
# make demo       build an example, check it, show the report
# make check      the whole test suite
# make check-fast the suites that are quick
# make lint       layout and static analysis; make format mends the layout
# make bench      speed and memory tables
# make tables     the two tables of the litmus checker
# make install    PREFIX=/usr/local by default; DESTDIR is honoured

SHELL   := /bin/bash
V       ?= 0
JOBS    ?= $(shell nproc)
Q       := $(if $(filter 0,$(V)),@)
say      = @$(if $(filter 0,$(V)),echo "  $(1) $@",:)
B       := build
PREFIX  ?= /usr/local
LLVM    ?= /usr/lib/llvm-19
CC      := $(if $(filter default,$(origin CC)),clang-19,$(CC))
# CaDiCaL is C++; its library is linked in, because loading it costs every command a millisecond.
CXX_LINK := clang++-19 -static-libstdc++ -static-libgcc
VERSION := 0.1.0

CFLAGS  ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Werror -fPIC -fno-omit-frame-pointer \
          -Isrc -Iinclude -D_GNU_SOURCE -DTIDEMARK_VERSION='"$(VERSION)"'

sources = $(wildcard src/$(1)/*.c)
objects = $(patsubst src/%.c,$(B)/obj/%.o,$(call sources,$(1)))

TARGET_FOLDERS := base event finding memory explore door analysis process thread access libc search session
CLI_FOLDERS    := base event explore finding sat axiom cprog report
CC_CLI         := src/cli/tidemark_cc.c $(wildcard src/cli/cc_*.c)
MAIN_CLI       := $(filter-out $(CC_CLI),$(call sources,cli))

WORKER_OBJ := $(foreach f,$(TARGET_FOLDERS),$(patsubst src/%.c,$(B)/target/%.o,$(call sources,$(f)))) \
              $(foreach f,$(TARGET_FOLDERS),$(patsubst src/%.S,$(B)/target/%.o,$(wildcard src/$(f)/*.S)))
CLI_OBJ    := $(foreach f,$(CLI_FOLDERS),$(call objects,$(f))) $(patsubst src/%.c,$(B)/obj/%.o,$(MAIN_CLI))
CC_OBJ     := $(call objects,base) $(call objects,instrument) $(patsubst src/%.c,$(B)/obj/%.o,$(CC_CLI))
NATIVE_OBJ := $(call objects,native)
LIFT_OBJ   := $(call objects,base) $(call objects,lift)

PROGRAMS := $(B)/bin/tidemark $(B)/bin/tidemark-cc $(B)/bin/tidemark-c++ \
            $(B)/libexec/tidemark-worker $(B)/libexec/tidemark-lift $(B)/lib/libtidemark.so \
            $(B)/lib/libtidemark-openmp.a \
            $(if $(shell command -v mpicc),$(B)/bin/tidemark-mpi)

.PHONY: all demo check bench tables install uninstall clean setup check-fast lint format
all: setup
	@$(MAKE) --no-print-directory -j$(JOBS) programs

.PHONY: programs
programs: $(PROGRAMS)

# Packages: installed if they are missing and we may, otherwise named.
setup:
	@tools/setup.sh

.PHONY: setup-check
setup-check:
	@tools/setup.sh check

$(B)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/obj/instrument/%.o: src/instrument/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -I$(LLVM)/include -MMD -MP -c $< -o $@

$(B)/obj/lift/%.o: src/lift/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -I$(LLVM)/include -MMD -MP -c $< -o $@

# Code that runs in the worker, beside the program under test: hidden symbols, no stack protector
# (its canary is thread-local state of the program's libc).  Optimised as a whole, a fifth faster; tests link the same
# objects as they are.  LTO= leaves that out.
LTO ?= $(if $(shell command -v ld.lld-19),-flto=thin -funified-lto -ffat-lto-objects)
LTO_LINK = -O2 $(LTO) -fuse-ld=lld -Wl,--lto=thin,--thinlto-cache-dir=$(B)/lto
$(B)/target/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) $(LTO) -fvisibility=hidden -fno-stack-protector -MMD -MP -c $< -o $@

$(B)/target/%.o: src/%.S
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/bin/tidemark: $(CLI_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX_LINK) $(LDFLAGS) -o $@.new $^ -lcadical -ljansson -ldw -lelf && mv $@.new $@

# Only where an MPI is installed.
$(B)/obj/mpi/%.o: src/mpi/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) $(shell mpicc --showme:compile) -MMD -MP -c $< -o $@

$(B)/bin/tidemark-mpi: $(filter-out $(B)/obj/cli/main.o,$(CLI_OBJ)) $(call objects,mpi)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CXX_LINK) $(LDFLAGS) -o $@.new $^ -lcadical -ljansson -ldw -lelf $(shell mpicc --showme:link) && mv $@.new $@

$(B)/bin/tidemark-cc: $(CC_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@.new $^ -L$(LLVM)/lib -lLLVM-19 -Wl,-rpath,$(LLVM)/lib && mv $@.new $@

$(B)/libexec/tidemark-lift: $(LIFT_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -o $@.new $^ -L$(LLVM)/lib -lLLVM-19 -Wl,-rpath,$(LLVM)/lib && mv $@.new $@

$(B)/bin/tidemark-c++: $(B)/bin/tidemark-cc
	ln -sf tidemark-cc $@

$(B)/libexec/tidemark-worker: $(WORKER_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) $(if $(LTO),$(LTO_LINK)) -pie -rdynamic -Wl,-z,now -o $@.new $^ -ldl && mv $@.new $@

$(B)/lib/libtidemark.so: $(NATIVE_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libtidemark.so -o $@.new $^ -lpthread && mv $@.new $@

# Linked into programs.
OPENMP_OBJ := $(call objects,openmp)
# Without lines: reports are about the lines of the program that it is linked into.
$(OPENMP_OBJ): CFLAGS += -Wno-missing-prototypes -g0
$(B)/lib/libtidemark-openmp.a: $(OPENMP_OBJ)
	@mkdir -p $(@D)
	$(call say,AR)
	$(Q)rm -f $@ && ar rcs $@ $^

include share/share.mk

# The two commands of the README: see it work, and test it.
demo: all
	@tools/demo.sh $(B)

bench: all
	@$(MAKE) --no-print-directory -C examples -s BUILD=$(abspath $(B)) all
	@python3 bench/examples.py --build $(abspath $(B))
	@python3 bench/traces.py --build $(abspath $(B))
	@python3 bench/analyses.py --build $(abspath $(B))
	@python3 bench/concurrent.py --build $(abspath $(B))
	@python3 bench/jobs.py --build $(abspath $(B))
	@PATH="$(abspath $(B))/bin:$$PATH" bench/litmus.sh

install: all man
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/lib" "$(DESTDIR)$(PREFIX)/libexec" \
	  "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/share/tidemark/models"
	install $(B)/bin/tidemark $(B)/bin/tidemark-cc "$(DESTDIR)$(PREFIX)/bin"
	if [ -e $(B)/bin/tidemark-mpi ]; then install $(B)/bin/tidemark-mpi "$(DESTDIR)$(PREFIX)/bin"; fi
	ln -sf tidemark-cc "$(DESTDIR)$(PREFIX)/bin/tidemark-c++"
	install $(B)/libexec/tidemark-worker $(B)/libexec/tidemark-lift "$(DESTDIR)$(PREFIX)/libexec"
	install $(B)/lib/libtidemark.so "$(DESTDIR)$(PREFIX)/lib"
	install -m 644 $(B)/lib/libtidemark-openmp.a "$(DESTDIR)$(PREFIX)/lib"
	install -m 644 include/tidemark.h include/tidemark_linux.h "$(DESTDIR)$(PREFIX)/include"
	install -d "$(DESTDIR)$(PREFIX)/include/tidemark-openmp"
	install -m 644 include/tidemark-openmp/omp.h "$(DESTDIR)$(PREFIX)/include/tidemark-openmp"
	install -d "$(DESTDIR)$(PREFIX)/include/tidemark-pmemcheck/valgrind"
	install -m 644 include/tidemark-pmemcheck/valgrind/pmemcheck.h "$(DESTDIR)$(PREFIX)/include/tidemark-pmemcheck/valgrind"
	install -d "$(DESTDIR)$(PREFIX)/include/tidemark-cxx/bits"
	install -m 644 $(addprefix include/tidemark-cxx/,chrono condition_variable mutex thread) \
	  "$(DESTDIR)$(PREFIX)/include/tidemark-cxx"
	install -m 644 include/tidemark-cxx/bits/* "$(DESTDIR)$(PREFIX)/include/tidemark-cxx/bits"
	install -d "$(DESTDIR)$(PREFIX)/include/tidemark-litmus"
	install -m 644 include/tidemark-litmus/library.c "$(DESTDIR)$(PREFIX)/include/tidemark-litmus"
	install -d "$(DESTDIR)$(PREFIX)/include/tidemark-std/bits"
	install -m 644 include/tidemark-std/bits/* "$(DESTDIR)$(PREFIX)/include/tidemark-std/bits"
	install -m 644 models/*.cat "$(DESTDIR)$(PREFIX)/share/tidemark/models"
	cp -r $(B)/share/. "$(DESTDIR)$(PREFIX)/share/"

# Whatever install has put there, also that of another version, and nothing else.
uninstall:
	cd "$(DESTDIR)$(PREFIX)" && rm -rf bin/tidemark bin/tidemark-cc bin/tidemark-c++ bin/tidemark-mpi \
	  libexec/tidemark-worker libexec/tidemark-lift lib/libtidemark.so lib/libtidemark-openmp.a \
	  include/tidemark.h include/tidemark_linux.h include/tidemark-* share/tidemark share/cmake/Tidemark \
	  share/pkgconfig/tidemark.pc share/man/man1/tidemark.1 share/man/man1/tidemark-*.1 \
	  share/bash-completion/completions/tidemark

-include $(shell find $(B) -name '*.d' 2>/dev/null)

clean:
	rm -rf $(B) $(SANITIZED)

include tests/tests.mk
