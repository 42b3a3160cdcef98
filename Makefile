# SPDX-License-Identifier: GPL-2.0-or-later
#
# make help lists the targets.

O ?= build
CASE ?= cases/demo.yaml
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
DTC ?= dtc

# Folders in link order: each may use those to its right (see doc/design.md).
LAYERS := cmd report store run judge probe machine image evidence plan base

PKGS := json-c libsystemd nettle yaml-0.1 libarchive sqlite3 libhs libpcre2-8 libelf
WARN := -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes \
	-Wvla -Wshadow -Wpointer-arith -Wwrite-strings
CFLAGS ?= -O2 -g
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS))
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Iharness $(WARN) $(PKG_CFLAGS) $(CFLAGS)
LDLIBS := $(shell pkg-config --libs $(PKGS)) -lfdt -lm
SAN := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

lib_src = $(sort $(shell find harness/$(1) -name '*.c' 2>/dev/null))
LIB_SRCS := $(foreach l,$(LAYERS),$(call lib_src,$(l)))
TEST_SRCS := $(sort $(shell find harness/test -name 'test-*.c'))
FUZZ_SRCS := $(sort $(wildcard harness/fuzz/fuzz-*.c))
DTBOS := $(patsubst images/dt/%.dtso,$(O)/dt/%.dtbo,$(wildcard images/dt/*.dtso))

# V=1 shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n')

.PHONY: all
all: $(O)/kjump $(DTBOS)

.PHONY: help
help:
	@echo 'make matrix        set up, build, run $(CASE) and print the matrix'
	@echo 'make check         set up, build, run every test'
	@echo 'make               build build/kjump'
	@echo 'make deps          install what is missing on this host (says what, first)'
	@echo 'make check-fast    unit tests under ASan and UBSan; no QEMU'
	@echo 'make check-boot    tests that boot real kernels in QEMU'
	@echo 'make check-layers  who includes whom, as doc/design.md says'
	@echo 'make check-format  clang-format, SPDX lines'
	@echo 'make check-clang   the whole tree through clang, warnings are errors'
	@echo 'make test-LAYER    unit tests of one folder of harness/, e.g. test-plan'
	@echo 'make fuzz          build the fuzzers; make fuzz-NAME SECONDS=60 runs one'
	@echo 'make bench-overhead  wall time of a job against bare QEMU'
	@echo 'make clean'

# One object tree a variant: plain for the program, san for the tests.
define variant
$(O)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $(2) -MMD -MP -c -o $$@ $$<

$(foreach l,$(LAYERS),
$(O)/$(1)/lib-$(l).a: $(patsubst %.c,$(O)/$(1)/%.o,$(call lib_src,$(l)))
	@rm -f $$@
	@ar rcs $$@ $$^
)
endef
$(eval $(call variant,obj,))
$(eval $(call variant,san,$$(SAN)))

libs = $(foreach l,$(2),$(O)/$(1)/lib-$(l).a)

$(O)/kjump: $(O)/obj/harness/main.o $(call libs,obj,$(LAYERS))
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) $(LDLIBS)

$(O)/dt/%.dtbo: images/dt/%.dtso
	@mkdir -p $(@D)
	$(say) DTC $@
	$(Q)$(DTC) -q -@ -I dts -O dtb -o $@ $<

# A test sees its own layer and those below it.
below_base := base
below_plan := plan base
below_evidence := evidence base
below_image := image plan base
below_machine := machine plan base
below_probe := probe machine plan base
below_judge := judge evidence plan base
below_run := run image machine probe evidence judge plan base
below_store := store judge evidence plan base
below_report := report store judge evidence plan base
below_cmd := $(LAYERS)

test_bins = $(patsubst harness/test/$(1)/%.c,$(O)/test/$(1)/%,$(filter harness/test/$(1)/%,$(TEST_SRCS)))

define test_layer
$(O)/test/$(1)/%: $(O)/san/harness/test/$(1)/%.o $(call libs,san,$(below_$(1)))
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(SAN) -o $$@ $$^ $$(LDLIBS) -lcmocka

.PHONY: test-$(1)
test-$(1): $(call test_bins,$(1))
	@harness/test/runner.sh $$^
endef
$(foreach l,$(LAYERS),$(eval $(call test_layer,$(l))))

.PRECIOUS: $(O)/san/%.o $(O)/obj/%.o

ALL_TESTS := $(foreach l,$(LAYERS),$(call test_bins,$(l)))

.PHONY: clean
clean:
	rm -rf $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
