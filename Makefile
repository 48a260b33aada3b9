# A façade over CMake and scripts/. Where there is no make, scripts/demo and scripts/test are the same as `make demo` and
# `make test`; all of them install what is missing.
.PHONY: all uninstall dist demo test exhaustive bench bench-instructions bench-systems validate-timing format lint install bootstrap debug asan tsan clang clean

JOBS ?= $(shell nproc)
export JOBS

all: bootstrap
	@scripts/build release

bootstrap:
	@scripts/bootstrap

demo:
	@scripts/demo

test:
	@scripts/test

# Hours of processor time: instructions with one operand on all 2^32 values (docs/conformance/vector.md).
exhaustive: all
	@ctest --test-dir build -C Exhaustive -L exhaustive --verbose

debug asan tsan: bootstrap
	@scripts/build $@
	@scripts/run-tests build-$@ -LE scripts

clang: bootstrap
	@scripts/build $@
	@scripts/run-tests build-$@ -LE tools

# HOST=avx2 or HOST=baseline measures what hosts with no more than that run. Some shells export HOST as something else.
# PEERS="LIBRARY LIBRARY_X2 LIBRARY_X4 LIBRARY_X32"
bench-systems: all
	@build/bench_systems build/libttsim.so $(abspath $(PEERS))

bench bench-instructions: all
	@scripts/bench $@ $(if $(filter command,$(origin HOST)),--host $(HOST)) $(if $(PEER),$(abspath $(PEER)))

# Compares timed mode with silicon, row by row. ROWS='NoC hop' measures those that begin so, and writes no page.
validate-timing: all
	@cmake --build --preset release --target validate_timing -j $(JOBS)
	@build/validate_timing validation/measured.csv validation/documented.csv docs/timing-validation.md $(if $(ROWS),"$(ROWS)")

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

# Compiled with options that only GCC knows.
KEEPS_REGISTERS = src/tensix/num/sfpu_mad_v4.c

# How many states clang-tidy's analyzer goes through in each function. All of them, which is up to 225000, take ten times
# as long: make lint LINT_STATES=225000
LINT_STATES ?= 20000
LINT_FLAGS = $(foreach word,-analyzer-config max-nodes=$(LINT_STATES),--extra-arg=-Xclang --extra-arg=$(word))

lint:
	@scripts/bootstrap lint
	@scripts/build release
	@scripts/check-rooms
	@scripts/check-l1
	@git ls-files scripts .ci | xargs grep -l "^#!/bin/sh" | xargs shellcheck
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror
	@git ls-files 'src/*.c' 'abi/*.c' 'apps/*.c' | grep -v -e _test.c -e $(KEEPS_REGISTERS) -e bhemu-node/ -e bhemu/new/ | \
		xargs -P $(JOBS) -n 4 clang-tidy --quiet $(LINT_FLAGS) -p build
	@clang-tidy --quiet $(LINT_FLAGS) $(KEEPS_REGISTERS) -- -std=gnu17 -Isrc -Iinclude -Itables

# Without the tests, whose building takes longer than that of the rest.
install: bootstrap
	@scripts/build release installed
	@cmake --install build

uninstall:
	@cmake --build build --target uninstall

# The files that git knows, as bhemu-VERSION.tar.gz, which builds without git.
dist:
	@version=$$(sed -n 's/^project(bhemu VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
		git archive --prefix=bhemu-$$version/ -o bhemu-$$version.tar.gz HEAD && echo bhemu-$$version.tar.gz

clean:
	rm -rf build build-dev build-debug build-asan build-tsan build-clang build-fuzz
