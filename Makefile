# A façade over CMake: two commands on a fresh machine are `make demo` and `make test`.
.PHONY: all demo test exhaustive bench bench-instructions format lint install bootstrap debug asan tsan clean

JOBS ?= $(shell nproc)

all: bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)

bootstrap:
	@scripts/bootstrap

demo: all
	@scripts/demo

test: all
	@scripts/run-tests build

# Hours of processor time: instructions with one operand on all 2^32 values (docs/conformance/vector.md).
exhaustive: all
	@ctest --test-dir build -C Exhaustive -L exhaustive --verbose

debug asan tsan: bootstrap
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@ -j $(JOBS)
	@scripts/run-tests build-$@

bench bench-instructions: all
	@scripts/bench $@ $(if $(PEER),$(abspath $(PEER)))

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

# Compiled with options that only GCC knows.
KEEPS_REGISTERS = src/tensix/num/sfpu_mad_registers.c

lint: all
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror
	@git ls-files 'src/*.c' 'abi/*.c' 'apps/*.c' | grep -v -e _test.c -e $(KEEPS_REGISTERS) | \
		xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build
	@clang-tidy --quiet $(KEEPS_REGISTERS) -- -std=gnu17 -Isrc -Iinclude -DBHEMU_KEEPS_VECTOR_REGISTERS

install: all
	@cmake --install build

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz
