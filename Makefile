# SPDX-License-Identifier: GPL-2.0-or-later
#
# make help lists the targets.

O ?= build
JOBS ?= $(shell nproc)
CASE ?= cases/demo.yaml
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
DTC ?= dtc

# Folders in link order: each may use those to its right (see doc/design.md).
LAYERS := cmd report store run judge probe machine image evidence plan base

PKGS := json-c libsystemd nettle yaml-0.1 libarchive sqlite3 libhs libpcre2-8 libbpf libelf libpng expat
WARN := -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes \
	-Wvla -Wshadow -Wpointer-arith -Wwrite-strings
CFLAGS ?= -O2 -g
# What decodes a grabber's pictures is a program of its own, for it brings 200 libraries.
GRAB_PKGS := libavdevice libavformat libavcodec libswscale libavutil
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) $(GRAB_PKGS) 2>/dev/null)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Iharness $(WARN) $(PKG_CFLAGS) $(CFLAGS)
GRAB_LIBS := $(shell pkg-config --libs $(GRAB_PKGS) 2>/dev/null)
LDLIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lfdt -lm
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
all: $(O)/kjump $(O)/kjump-grab $(O)/board-sim $(DTBOS)

# The two commands of the README. Set-up comes first and in a make of its own:
# only then can the flags of what it installs be asked for.
.PHONY: matrix check deps
matrix:
	@harness/setup.sh
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@# A kernel that surprises is a result, not an error of make.
	@$(O)/kjump run $(CASE) || [ $$? -eq 1 ]

check:
	@harness/setup.sh
	@$(MAKE) --no-print-directory check-all

deps:
	@harness/setup.sh

.PHONY: help
help:
	@echo 'make matrix        set up, build, run $(CASE) and print the matrix'
	@echo 'make check         set up, build, run every test'
	@echo 'make               build build/kjump'
	@echo 'make deps          install what is missing on this host (says what, first)'
	@echo 'make demo-board    the seven jumps on a simulated board, by way of its relay and U-Boot'
	@echo 'make check-fast    unit tests under ASan and UBSan; no QEMU'
	@echo 'make check-boot    tests that boot real kernels in QEMU'
	@echo 'make check-layers  who includes whom, as doc/design.md says'
	@echo 'make check-traps   every test that doc/judge.md names is there'
	@echo 'make check-format  clang-format, SPDX lines'
	@echo 'make check-clang   the whole tree through clang, warnings are errors'
	@echo 'make test-LAYER    unit tests of one folder of harness/, e.g. test-plan'
	@echo 'make fuzz          build the fuzzers; make fuzz-NAME SECONDS=60 runs one'
	@echo 'make bench-overhead  wall time of a job against bare QEMU'
	@echo 'make bench-first-pixel  how late a pixel is seen, and what looking costs'
	@echo 'make bench-debug-port  what a debug port costs a guest, attached and not'
	@echo 'make bench-judge   speed and memory of the judge against grep -E'
	@echo 'make bench-tables  what the table check costs, at 2G and 64G'
	@echo 'make corpus        record the attempts that the judge is measured with (20 minutes)'
	@echo 'make judge-table   its precision and recall over them, into doc/judge.md'
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

# Files taken into objects whole (base/embed.h), which -MMD does not see.
$(foreach v,obj san fuzz/obj,$(O)/$(v)/harness/store/schema.o): \
	harness/store/schema.sql $(wildcard harness/store/migrations/*.sql)
$(foreach v,obj san fuzz/obj,$(O)/$(v)/harness/report/html.o): harness/report/html.css

libs = $(foreach l,$(2),$(O)/$(1)/lib-$(l).a)

$(O)/kjump: $(O)/obj/harness/main.o $(call libs,obj,$(LAYERS))
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) $(LDLIBS)

# A board that is a program; tests and `make demo-board` use it as one.
SIM_OBJS := $(patsubst harness/sim/%.c,$(O)/obj/harness/sim/%.o,$(sort $(wildcard harness/sim/*.c)))
$(O)/board-sim: $(SIM_OBJS) $(call libs,obj,machine plan base)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDFLAGS) $(LDLIBS)

# A simulated board of its own for one run; it ends with it.
.PHONY: demo-board
demo-board: $(O)/kjump $(O)/board-sim $(DTBOS)
	@harness/sim/demo.sh $(O) cases/demo-board.yaml

# The program once more, as boot tests run it: a stray pointer must not go unseen.
$(O)/san/kjump: $(O)/san/harness/main.o $(call libs,san,$(LAYERS))
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SAN) -o $@ $^ $(LDFLAGS) $(LDLIBS)

GRAB_OBJS := $(patsubst %.c,$(O)/VARIANT/%.o,$(call lib_src,grab))
define grab
$(O)/$(2)kjump-grab: $(subst VARIANT,$(1),$(GRAB_OBJS)) $(call libs,$(1),machine base)
	$$(say) LD $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $(3) -o $$@ $$^ $$(LDFLAGS) $$(GRAB_LIBS) $$(LDLIBS)
endef
$(eval $(call grab,obj,,))
$(eval $(call grab,san,san/,$$(SAN)))

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
below_run := run image probe machine evidence judge plan base
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
test-$(1): $(call test_bins,$(1)) | $(O)/san/kjump-grab
	@harness/test/runner.sh $$^
endef
$(foreach l,$(LAYERS),$(eval $(call test_layer,$(l))))

.PRECIOUS: $(O)/san/%.o $(O)/obj/%.o

ALL_TESTS := $(foreach l,$(LAYERS),$(call test_bins,$(l)))

# Real boots: against all layers and the program itself.
BOOT_TESTS := $(patsubst harness/test/boot/%.c,$(O)/test/boot/%,$(wildcard harness/test/boot/test-*.c))
$(O)/test/boot/%: $(O)/san/harness/test/boot/%.o $(O)/san/harness/test/boot/kjump.o $(call libs,san,$(LAYERS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SAN) -o $@ $^ $(LDLIBS) -lcmocka

.PHONY: check-fast check-boot check-traps check-layers check-format check-clang check-all
check-fast: $(ALL_TESTS) | check-traps $(O)/san/kjump-grab
	@harness/test/runner.sh $^

check-boot: $(BOOT_TESTS) $(O)/san/kjump $(DTBOS)
	@harness/test/runner.sh $(BOOT_TESTS)

check-traps:
	@harness/test/traps.sh && echo 'ok   check-traps'

check-layers:
	@harness/test/layers.sh && echo 'ok   check-layers'

ALL_C := $(sort $(shell find harness -name '*.[ch]'))
check-format:
	@clang-format --dry-run --Werror $(ALL_C)
	@! grep -L 'SPDX-License-Identifier: GPL-2.0-or-later' $(ALL_C) | grep . || \
		{ echo 'these files lack their SPDX line'; exit 1; }
	@echo 'ok   check-format'

check-clang:
	@printf '%s\n' $(filter %.c,$(ALL_C)) | xargs -P $(JOBS) -n 8 $(CLANG) $(ALL_CFLAGS) -Wno-string-concatenation -fsyntax-only
	@echo 'ok   check-clang'

check-all:
	@$(MAKE) --no-print-directory check-layers check-traps check-format check-clang
	@$(MAKE) --no-print-directory -j$(JOBS) all $(O)/san/kjump $(O)/san/kjump-grab $(ALL_TESTS) $(BOOT_TESTS) $(FUZZERS)
	@rm -f $(O)/tally
	@KJUMP_TEST_TALLY=$(O)/tally harness/test/runner.sh $(ALL_TESTS); a=$$?; \
	 KJUMP_TEST_TALLY=$(O)/tally harness/test/fuzz-smoke.sh $(FUZZERS); b=$$?; \
	 KJUMP_TEST_TALLY=$(O)/tally harness/test/runner.sh $(BOOT_TESTS); c=$$?; \
	 awk '{p += $$1; f += $$2} END {printf "%d passed, %d failed\n", p, f}' $(O)/tally; \
	 exit $$((a + b + c))

# Fuzzers: every layer once more, through clang with coverage.
FUZZ_CFLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZERS := $(patsubst harness/fuzz/%.c,$(O)/fuzz/%,$(FUZZ_SRCS))
$(O)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(ALL_CFLAGS) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<
$(O)/fuzz/libkjump.a: $(LIB_SRCS:%.c=$(O)/fuzz/obj/%.o)
	@rm -f $@
	@ar rcs $@ $^
$(O)/fuzz/fuzz-%: $(O)/fuzz/obj/harness/fuzz/fuzz-%.o $(O)/fuzz/libkjump.a
	$(say) LD $@
	$(Q)$(CLANG) -g -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

.PHONY: fuzz
fuzz: $(FUZZERS)
SECONDS ?= 60
fuzz-%: $(O)/fuzz/fuzz-%
	@mkdir -p $(O)/fuzz/corpus/$*
	$< -max_total_time=$(SECONDS) -print_final_stats=1 $(O)/fuzz/corpus/$*

.PRECIOUS: $(O)/fuzz/obj/%.o

# Benches print a ratio of medians of interleaved pairs; none asserts a time.
$(O)/bench/%: $(O)/obj/harness/test/bench/%.o $(call libs,obj,$(LAYERS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

PAIRS ?= 9
.PHONY: bench-overhead bench-judge bench-first-pixel bench-debug-port bench-tables
bench-debug-port: $(O)/bench/bench-debug-port $(O)/kjump $(DTBOS)
	@$< $(PAIRS)
bench-overhead: $(O)/bench/bench-overhead $(O)/kjump $(DTBOS)
	@$< $(PAIRS)
bench-first-pixel: $(O)/bench/bench-first-pixel $(O)/kjump $(DTBOS)
	@$<
bench-judge: $(O)/bench/bench-judge $(O)/bench/bench-judge-flood
	@$(O)/bench/bench-judge
	@$(O)/bench/bench-judge-flood
# Its guests are those of a boot test, which speaks cmocka.
$(O)/bench/bench-tables: LDLIBS += -lcmocka
bench-tables: $(O)/bench/bench-tables
	@$<

# What the judge is measured with: recorded anew on real kernels; the table from the record.
.PHONY: corpus judge-table
corpus: $(O)/kjump $(DTBOS)
	@harness/test/judge/record-corpus.sh $(O)/kjump $(O)/corpus
judge-table: $(O)/test/judge/test-corpus
	@KJUMP_JUDGE_TABLE=doc/judge.md $<

.PHONY: clean
clean:
	rm -rf $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
