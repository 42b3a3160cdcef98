// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_dry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "machine/qemu_args.h"
#include "machine/runtime.h"

#define MIB		    ((uint64_t)1024 * 1024)
#define DTB_MAX		    (2 * MIB) /* what arm64 Linux maps of a tree, at most */
#define OUTPUT_MAX	    65536

/*
 * Measured peaks of QEMU's resident memory, one boot of a 4K-page kernel to
 * userspace: 1G: 241 MB, 2G: 267, 8G: 450, 64G: 1563, 512G: 9786. The slope is
 * what every kernel touches of all its RAM: a struct page (64 bytes) and an
 * entry of the linear map (8 bytes) for each 4 KiB page. Larger pages need
 * less. On top come QEMU with its translation cache, and what a guest works
 * with: initramfs, images to load, the next system beside the old one.
 */
#define QEMU_BYTES	    (512 * MIB)
#define WORKING_SET_MAX	    (768 * MIB)
#define GUEST_PAGE_BYTES    4096
#define PAGE_STRUCT_BYTES   64
#define PAGE_ENTRY_BYTES    8

/*
 * kexec copies the linear map's tables. A kernel built for 52 bits of virtual
 * address copies them 16 times on a CPU without LPA2 (7.2 before 7.2.9; held by
 * a loaded 64G guest: 207 MB with LPA2, 2.1 GB without).
 */
#define COPIES_WITHOUT_LPA2 16

uint64_t qemu_boot_bytes(uint64_t ram_bytes)
{
	uint64_t working_set = ram_bytes < WORKING_SET_MAX ? ram_bytes : WORKING_SET_MAX;
	uint64_t pages = ram_bytes / GUEST_PAGE_BYTES;

	return QEMU_BYTES + pages * (PAGE_STRUCT_BYTES + PAGE_ENTRY_BYTES) + working_set;
}

uint64_t qemu_jump_bytes(const struct machine_spec *spec)
{
	bool lpa2 = spec->lpa2 != LPA2_OFF && qemu_args_has_lpa2(spec);
	uint64_t map = spec->ram_bytes / GUEST_PAGE_BYTES * PAGE_ENTRY_BYTES;

	return qemu_boot_bytes(spec->ram_bytes) + map * (lpa2 ? 1 : COPIES_WITHOUT_LPA2);
}

int qemu_available_bytes(uint64_t *ret, struct err *e)
{
	struct buf text __free_buf = BUF_INIT;
	const char *line;
	uint64_t kib;
	int rc = file_read("/proc/meminfo", OUTPUT_MAX, &text, e);

	if (rc)
		return rc;
	line = strstr(text.data, "MemAvailable:");
	if (!line || sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) != 1)
		return err_set(e, EBADMSG, "/proc/meminfo says nothing about available memory");
	*ret = kib * 1024;
	return 0;
}

int qemu_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e)
{
	struct runtime_dir dir __free_runtime_dir = RUNTIME_DIR_INIT;
	struct qemu_args args __free_qemu_args = QEMU_ARGS_INIT;
	char *file __free(str) = NULL;
	int rc = runtime_dir_init(&dir, e);

	if (rc)
		return rc;
	file = file_join(dir.path, "base.dtb");
	rc = qemu_args_machine(&args, opts, NULL, file, e);
	if (!rc)
		rc = process_run(qemu_args_argv(&args), OUTPUT_MAX, NULL, NULL, e);
	if (!rc)
		rc = file_read(file, DTB_MAX, out, e);
	return rc ? err_prefix(e, rc, "device tree") : 0;
}

/* QEMU itself knows best what a CPU model has room and properties for. */
static int try_machine(const struct machine_spec *spec, struct err *e)
{
	const struct machine_opts opts = {.spec = spec};
	struct buf dtb __free_buf = BUF_INIT;
	int rc = qemu_base_dtb(&opts, &dtb, e);

	return rc == -EIO ? -ENOTSUP : rc;
}

/* Refused is what cannot even boot; a jump that needs more may still be tried, alone. */
int qemu_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e)
{
	uint64_t need = qemu_boot_bytes(spec->ram_bytes), available;
	char ram[24];
	int rc;

	*ret_bytes = qemu_jump_bytes(spec);
	rc = try_machine(spec, e);
	if (!rc)
		rc = qemu_available_bytes(&available, e);
	if (rc || need <= available)
		return rc;
	text_format_size(spec->ram_bytes, ram, sizeof(ram));
	return err_set(e, ENOMEM,
		       "a guest with %s of RAM needs about %" PRIu64 " MiB of host memory, "
		       "%" PRIu64 " MiB are available",
		       ram, need / MIB, available / MIB);
}

int qemu_version(int *ret_major, int *ret_minor, struct err *e)
{
	const char *const argv[] = {QEMU_BINARY, "--version", NULL};
	struct buf text __free_buf = BUF_INIT;
	int rc = process_run(argv, OUTPUT_MAX, &text, NULL, e);

	if (rc)
		return rc;
	if (sscanf(text.data, "QEMU emulator version %d.%d", ret_major, ret_minor) != 2)
		return err_set(e, EBADMSG, QEMU_BINARY " does not tell its version");
	return 0;
}
