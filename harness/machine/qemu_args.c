// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"

/* Nothing that the guest makes QEMU do may start a program or gain a right. */
#define SANDBOX "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"

/* The end of the guest is ours to notice: QEMU ends with it and says why. */
#define ACTIONS "reboot=shutdown,shutdown=poweroff,panic=none"

static void add(struct qemu_args *a, const char *arg)
{
	a->argv = xreallocarray(a->argv, a->n + 2, sizeof(*a->argv));
	a->argv[a->n++] = xstrdup(arg);
	a->argv[a->n] = NULL;
}

static void add2(struct qemu_args *a, const char *name, const char *value)
{
	add(a, name);
	add(a, value);
}

__printf(3, 4) static void addf(struct qemu_args *a, const char *name, const char *fmt, ...)
{
	char *value __free(str) = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		abort();
	va_end(ap);
	add2(a, name, value);
}

/* A comma inside a value of an option list is written twice; *returned*. */
static char *option_value(const char *s)
{
	struct buf b __free_buf = BUF_INIT;

	for (; *s; s++) {
		if (*s == ',')
			buf_addch(&b, ',');
		buf_addch(&b, *s);
	}
	return buf_steal(&b);
}

void qemu_args_fini(struct qemu_args *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		free(a->argv[i]);
	free(a->argv);
	*a = (struct qemu_args)QEMU_ARGS_INIT;
}

bool qemu_args_has_lpa2(const struct machine_spec *spec)
{
	/* "max", perhaps with properties after it, is the only one in QEMU 9 and 10. */
	return strcspn(spec->cpu, ",") == 3 && !strncmp(spec->cpu, "max", 3);
}

static int add_cpu(struct qemu_args *a, const struct machine_spec *spec, struct err *e)
{
	bool has_lpa2 = qemu_args_has_lpa2(spec);

	if (spec->lpa2 == LPA2_ON && !has_lpa2)
		return err_set(e, ENOTSUP, "CPU model '%s' has no LPA2: use 'max'", spec->cpu);
	if (spec->lpa2 == LPA2_DEFAULT || !has_lpa2)
		add2(a, "-cpu", spec->cpu);
	else
		addf(a, "-cpu", "%s,lpa2=%s", spec->cpu, spec->lpa2 == LPA2_ON ? "on" : "off");
	return 0;
}

static void add_board(struct qemu_args *a, const struct machine_spec *spec, const char *dump_dtb)
{
	char *file __free(str) = dump_dtb ? option_value(dump_dtb) : NULL;

	addf(a, "-machine", "virt,gic-version=%d,dtb-randomness=off,memory-backend=ram%s%s%s",
	     spec->gic == 3 ? 3 : 2, spec->el2 ? ",virtualization=on" : "", file ? ",dumpdtb=" : "",
	     file ? file : "");
}

/* Unreserved: the guest may have more RAM than the host, of which it uses little. */
static void add_ram(struct qemu_args *a, uint64_t bytes, const char *path)
{
	char *file __free(str) = path ? option_value(path) : NULL;

	addf(a, "-m", "size=%" PRIu64 "B", bytes);
	if (file)
		addf(a, "-object",
		     "memory-backend-file,id=ram,size=%" PRIu64
		     "B,mem-path=%s,share=on,reserve=off",
		     bytes, file);
	else
		addf(a, "-object", "memory-backend-ram,id=ram,size=%" PRIu64 "B,reserve=off",
		     bytes);
}

int qemu_args_machine(struct qemu_args *a, const struct machine_opts *opts, const char *ram,
		      const char *dump_dtb, struct err *e)
{
	const struct machine_spec *spec = opts->spec;
	int rc;

	add(a, QEMU_BINARY);
	add(a, "-no-user-config");
	add(a, "-nodefaults");
	add2(a, "-display", "none");
	add2(a, "-sandbox", SANDBOX);
	add_board(a, spec, dump_dtb);
	rc = add_cpu(a, spec, e);
	if (rc)
		return rc;
	add2(a, "-accel", "tcg,thread=multi");
	addf(a, "-smp", "%u", spec->cpus);
	add_ram(a, spec->ram_bytes, ram);
	if (opts->network) {
		/* Without the option ROM, which only firmware would use. */
		add2(a, "-netdev", "user,id=net,restrict=on");
		add2(a, "-device", "virtio-net-pci,netdev=net,romfile=");
	} else {
		add2(a, "-nic", "none");
	}
	if (opts->display && !opts->framebuffer) {
		/*
		 * On the first virtio-mmio slot, so that its node has a known name; and no
		 * larger than a person needs: a look costs as many pixels as it has.
		 */
		add2(a, "-global", "virtio-mmio.force-legacy=false");
		add2(a, "-device", "virtio-gpu-device,bus=virtio-mmio-bus.0,xres=800,yres=600");
	}
	return 0;
}

void qemu_args_trace(struct qemu_args *a, const char *file)
{
	static const char *const events[] = {"virtio_gpu_cmd_res_flush",
					     "virtio_gpu_cmd_set_scanout", "virtio_set_status"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		addf(a, "-trace", "enable=%s", events[i]);
	addf(a, "-D", "%s", file);
}

static void add_socket(struct qemu_args *a, const char *id, const char *path)
{
	char *value __free(str) = option_value(path);

	addf(a, "-chardev", "socket,id=%s,path=%s,server=off", id, value);
}

void qemu_args_run(struct qemu_args *a, const struct machine_boot *boot, const char *console,
		   const char *monitor)
{
	add_socket(a, "console", console);
	add2(a, "-serial", "chardev:console");
	add_socket(a, "monitor", monitor);
	add2(a, "-mon", "chardev=monitor,mode=control");
	add2(a, "-action", ACTIONS);
	add(a, "-S");
	add2(a, "-kernel", boot->kernel);
	if (boot->initrd)
		add2(a, "-initrd", boot->initrd);
	if (boot->dtb)
		add2(a, "-dtb", boot->dtb);
	if (boot->cmdline)
		add2(a, "-append", boot->cmdline);
}

void qemu_args_debug(struct qemu_args *a, const char *path)
{
	add_socket(a, "debug", path);
	add2(a, "-gdb", "chardev:debug");
}

const char *const *qemu_args_argv(const struct qemu_args *a)
{
	return (const char *const *)a->argv;
}
