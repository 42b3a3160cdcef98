/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - from names to bootable files.
 *
 * Everything made here lies in the cache under a name made from its content,
 * complete or absent; two processes may make the same thing at once. Calls
 * block (they download and compose) and report progress to the log.
 */
#ifndef KJUMP_IMAGE_IMAGE_H
#define KJUMP_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "plan/framebuffer.h"
#include "plan/job.h"

/* A kernel's files, absolute paths in the cache. */
struct kernel_files {
	char *image;  /* an uncompressed arm64 Image */
	char *config; /* NULL where the source has none, as the next two */
	char *system_map;
	char *modules_dir; /* contains kernel/ and modules.dep */
	char *release;	   /* as uname -r will print it */
	char *provenance;  /* one line for reports: package and version */
	char *digest;	   /* SHA-256 of the Image, hex */
};

void kernel_files_free(struct kernel_files *k);
DEFINE_FREE(kernel_files, struct kernel_files *, kernel_files_free(_v));

struct image_ctx;

struct image_opts {
	const char *images_dir;	    /* the project's images/ */
	const char *dt_dir;	    /* compiled overlays: build/dt */
	const char *mirror;	    /* NULL: KJUMP_MIRROR, else the host's apt configuration */
	const char *userland_suite; /* of kernels.yaml */
	bool refresh;		    /* ask the archive again also for what is indexed */
	/* After each step of a compiler, counted from 1; NULL: nobody wants to know. */
	void (*build_step)(const char *kernel, size_t n, const char *line, void *arg);
	void *build_arg;
};

int image_ctx_new(const struct image_opts *opts, struct image_ctx **ret, struct err *e);
void image_ctx_free(struct image_ctx *c);
DEFINE_FREE(image_ctx, struct image_ctx *, image_ctx_free(_v));

/*
 * Fetches and unpacks, or builds, if it is not cached. -ENOEXEC: what was to be built
 * does not build, and the text says which patch and hunk, or which file and line. A
 * version that names several kernels ("6.1") stays what it was when first fetched,
 * until a refresh.
 */
int image_kernel(struct image_ctx *c, const struct kernel_spec *spec, struct kernel_files **ret,
		 struct err *e);

/* As image_kernel(), but makes nothing: -ENOENT when it is not in the cache. */
int image_kernel_cached(struct image_ctx *c, const struct kernel_spec *spec,
			struct kernel_files **ret, struct err *e);

/* Fetches what every initramfs needs, so that one can be made without a network. */
int image_userland(struct image_ctx *c, struct err *e);

/* What image_gc() removed. */
struct image_gc_result {
	size_t files;
	uint64_t bytes;
};

/*
 * Removes from the cache what the @n kernels of @keep and the userland do not
 * need, and every initramfs, which is quickly made again. -EBUSY while another
 * process has an image_ctx; no kernel_files of this one are valid afterwards.
 */
int image_gc(struct image_ctx *c, const struct kernel_spec *keep, size_t n,
	     struct image_gc_result *ret, struct err *e);

/*
 * The initramfs of @profile on @kernel: path of a newc cpio, *returned*.
 * Modules named with a trailing '?' are optional; those left out are appended
 * to @warnings (may be NULL), one a line.
 */
int image_initramfs(struct image_ctx *c, const struct profile *profile,
		    const struct kernel_files *kernel, char **ret_path, struct buf *warnings,
		    struct err *e);

/* One file to be placed into a payload cpio. */
struct payload_file {
	const char *name; /* "boot-b/linux": path inside the guest's root */
	const char *path; /* file of the host; or NULL and */
	const void *data; /* the content */
	size_t len;
};

/*
 * Writes @base (an initramfs) followed by a cpio of @files to @out_path: what
 * A boots with, when it must carry B. Directories are made as needed. An
 * existing @out_path is replaced.
 */
int image_with_payload(const char *base, const struct payload_file *files, size_t n_files,
		       const char *out_path, struct err *e);

/* Device trees (flattened, big-endian; Devicetree Specification v0.4). */

/*
 * @base with @n overlays (compiled, by name in the dt directory) applied to a
 * copy; appended to @out. A failing overlay names itself and the reason.
 */
int image_devicetree(struct image_ctx *c, const void *base, size_t base_len, char *const *overlays,
		     size_t n, struct buf *out, struct err *e);

/*
 * Is the live tree @seen what was asked for with @expected? All nodes and
 * properties count but for what a loader writes (/chosen, /memory*, reserved
 * memory, blank space). Differences are appended to @diff as
 * "/path: property: expected X, is Y", at most 20. -EBADMSG: not a tree.
 */
int image_devicetree_compare(const void *expected, size_t expected_len, const void *seen,
			     size_t seen_len, struct buf *diff, struct err *e);

/* Has it a /memory node? Without one a kexec'ed kernel dies before its console. */
bool image_devicetree_has_memory(const void *dtb, size_t len);

/* The first enabled simple-framebuffer with a format that we know; false: there is none. */
bool image_devicetree_framebuffer(const void *dtb, size_t len, struct framebuffer *ret);

#endif
