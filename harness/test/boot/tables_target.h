/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_target.h - a real guest with a kexec loaded, halted by its debug port, its
 * RAM mapped here: what the table check sees.
 */
#ifndef KJUMP_TEST_BOOT_TABLES_TARGET_H
#define KJUMP_TEST_BOOT_TABLES_TARGET_H

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "image/image.h"
#include "machine/debug/debug_rsp.h"
#include "machine/ram.h"
#include "probe/kernel_map.h"
#include "probe/table_edit.h"
#include "test/boot/guest.h"

#define TARGET_RAM	 0x40000000ull /* where QEMU's virt machine has it */
#define TARGET_MAX_IMAGE (512u << 20)

struct target_spec {
	const struct kernel_spec *kernel;
	const char *cpu, *machine, *ram;
	uint64_t ram_bytes;
};

struct tables_target {
	struct guest guest;
	char *dir;
	struct ram ram;
	uint8_t *writable; /* the same RAM */
	sd_event *loop;
	struct debug *debug;
	unsigned int answers;
	struct debug_regs regs;
	struct kernel_map *map;
	struct buf image, initrd;
	struct phys_memory memory;
	struct arm64_regime regime;
	struct kexec_image kexec;
	struct table_content contents[2];
	struct table_check_input in;
};

static const char *const target_registers[] = {"ttbr0_el1", "ttbr1_el1", "tcr_el1",  "mair_el1",
					       "tcr2_el1",  "pir_el1",	 "hcr_el2",  "ttbr0_el2",
					       "ttbr1_el2", "tcr_el2",	 "mair_el2", "tcr2_el2",
					       "pir_el2",   "vbar_el1",	 "vbar_el2"};

/* A with B inside: B is the same kernel and the same root. */
static inline void target_files(struct tables_target *t, const struct kernel_spec *spec,
				char **ret_kernel, char **ret_initrd)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	const struct profile p = {.id = (char *)"tables"};
	struct image_ctx *c __free(image_ctx) = NULL;
	struct kernel_files *k __free(kernel_files) = NULL;
	char *initramfs __free(str) = NULL;
	struct err e __free_err = ERR_INIT;

	assert_ok(image_ctx_new(&opts, &c, &e));
	assert_ok(image_kernel(c, spec, &k, &e));
	assert_ok(image_initramfs(c, &p, k, &initramfs, NULL, &e));
	assert_ok(file_read(k->image, TARGET_MAX_IMAGE, &t->image, &e));
	assert_ok(file_read(initramfs, TARGET_MAX_IMAGE, &t->initrd, &e));
	*ret_kernel = xstrdup(k->image);
	*ret_initrd = file_join(t->dir, "initrd");
	assert_ok(image_with_payload(
		initramfs,
		(const struct payload_file[]){{.name = "boot-b/linux", .path = k->image},
					      {.name = "boot-b/initrd", .path = initramfs}},
		2, *ret_initrd, &e));
}

static inline void target_boot(struct tables_target *t, const struct target_spec *s,
			       const char *kernel, const char *initrd)
{
	char *file __free(str) = ram_path(&t->ram);
	char *machine __free(str) =
		xasprintf("virt,gic-version=3,accel=tcg,memory-backend=ram%s", s->machine);
	char *object __free(str) =
		xasprintf("memory-backend-file,id=ram,size=%s,mem-path=%s,share=on,reserve=off",
			  s->ram, file);
	char *stub __free(str) = xasprintf("socket,id=gdb,path=%s/gdb,server=on,wait=off", t->dir);
	const char *const argv[] = {"qemu-system-aarch64",
				    "-M",
				    machine,
				    "-cpu",
				    s->cpu,
				    "-m",
				    s->ram,
				    "-object",
				    object,
				    "-nodefaults",
				    "-display",
				    "none",
				    "-serial",
				    "stdio",
				    "-no-reboot",
				    "-chardev",
				    stub,
				    "-gdb",
				    "chardev:gdb",
				    "-kernel",
				    kernel,
				    "-initrd",
				    initrd,
				    "-append",
				    "console=ttyAMA0 panic=-1",
				    NULL};

	guest_start_program(&t->guest, argv);
	guest_expect(&t->guest, "built-in shell");
	guest_type(&t->guest, "dmesg -n 1; kexec --kexec-syscall -l /boot-b/linux "
			      "--initrd=/boot-b/initrd --reuse-cmdline && echo load''ed\n");
	guest_expect(&t->guest, "\nloaded");
}

static inline void target_answer(const struct debug_reply *r, void *arg)
{
	struct tables_target *t = arg;

	if (r->error)
		fail_msg("debug port: %s", r->text ? r->text : strerror(-r->error));
	if (r->registers)
		t->regs = *r->registers;
	t->answers++;
}

static inline void target_lost(const char *why, void *arg)
{
	fail_msg("debug port lost: %s", why);
}

static inline void target_ask(struct tables_target *t, enum debug_op op)
{
	const struct debug_request r = {.op = op,
					.names = target_registers,
					.n_names = ARRAY_SIZE(target_registers),
					.done = target_answer,
					.arg = t};
	unsigned int before = t->answers;

	assert_int_equal(debug_submit(t->debug, &r), 0);
	while (t->answers == before)
		assert_true(sd_event_run(t->loop, 60000000) > 0);
}

/* The kernel's vectors: with VHE those of EL2. */
static inline uint64_t target_vbar(const struct tables_target *t)
{
	uint64_t upper = 0, vbar = 0;

	debug_regs_get(&t->regs, "ttbr1_el2", &upper);
	debug_regs_get(&t->regs, upper && upper == t->regime.ttbr1 ? "vbar_el2" : "vbar_el1",
		       &vbar);
	return vbar;
}

/* A program has other tables, and the way into it, too (KPTI). */
static inline bool target_in_kernel(struct tables_target *t)
{
	struct arm64_tables live;

	return !arm64_regime_read(&t->regs, &t->regime) &&
	       !arm64_tables_live(&live, &t->memory, &t->regime, NULL) &&
	       kernel_map_is_mapped(t->map, &live, kernel_map_base(t->map, target_vbar(t)));
}

static inline void target_halt(struct tables_target *t)
{
	unsigned int tries;
	const struct debug_events events = {.lost = target_lost};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct err e __free_err = ERR_INIT;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true((size_t)snprintf(a.sun_path, sizeof(a.sun_path), "%s/gdb", t->dir) <
		    sizeof(a.sun_path));
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_true(sd_event_new(&t->loop) >= 0);
	assert_ok(debug_rsp_new(t->loop, fd, &events, &t->debug, &e));
	target_ask(t, DEBUG_ATTACH);
	target_ask(t, DEBUG_READ_REGISTERS);
	/* The shell waits, so the kernel is soon met. */
	for (tries = 0; tries < 100 && !target_in_kernel(t); tries++) {
		target_ask(t, DEBUG_RESUME);
		usleep(20000);
		target_ask(t, DEBUG_HALT);
		target_ask(t, DEBUG_READ_REGISTERS);
	}
	assert_true(target_in_kernel(t));
}

/* What was loaded, by its length: the kernel and the initrd. */
static inline void target_contents(struct tables_target *t)
{
	const struct buf *loaded[] = {&t->image, &t->initrd};
	unsigned int i, s;

	for (i = 0; i < 2; i++) {
		for (s = 0; s < t->kexec.n_segments; s++) {
			if (t->kexec.segments[s].bufsz == loaded[i]->len)
				t->contents[i] = (struct table_content){
					t->kexec.segments[s].mem, loaded[i]->data, loaded[i]->len};
		}
		assert_true(t->contents[i].len);
	}
}

static inline void target_init(struct tables_target *t, const struct target_spec *s)
{
	char *kernel __free(str) = NULL, *initrd __free(str) = NULL;
	struct err e __free_err = ERR_INIT;

	*t = (struct tables_target){
		.dir = xstrdup("/tmp/kjump-tables-XXXXXX"), .image = BUF_INIT, .initrd = BUF_INIT};
	assert_non_null(mkdtemp(t->dir));
	target_files(t, s->kernel, &kernel, &initrd);
	t->map = kernel_map_read(t->image.data, t->image.len);
	assert_true(kexec_layout_has_tables(&t->map->kexec));
	assert_ok(ram_init(&t->ram, TARGET_RAM, s->ram_bytes, &e));
	t->writable = mmap(NULL, s->ram_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			   t->ram.fd, 0);
	assert_true(t->writable != MAP_FAILED);
	target_boot(t, s, kernel, initrd);
	t->memory = (struct phys_memory){.address = TARGET_RAM,
					 .size_bytes = s->ram_bytes,
					 .bytes = t->ram.base,
					 .fd = t->ram.fd};
	target_halt(t);
	assert_ok(kexec_image_scan(&t->memory, &t->map->kexec, &t->kexec, &e));
	target_contents(t);
	t->in = (struct table_check_input){.memory = &t->memory,
					   .layout = &t->map->kexec,
					   .regime = &t->regime,
					   .image = &t->kexec,
					   .relocation = t->map->relocate_code,
					   .relocation_bytes = t->map->relocate_bytes,
					   .contents = t->contents,
					   .n_contents = 2};
}

static inline void target_fini(struct tables_target *t)
{
	debug_free(t->debug);
	sd_event_unref(t->loop);
	guest_stop(&t->guest);
	munmap(t->writable, t->memory.size_bytes);
	ram_fini(&t->ram);
	kernel_map_free(t->map);
	buf_fini(&t->image);
	buf_fini(&t->initrd);
	file_remove_tree(t->dir, NULL);
	free(t->dir);
}

#endif
