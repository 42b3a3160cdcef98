// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/build.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "image/build_log.h"
#include "image/git.h"
#include "image/kconfig.h"
#include "image/kernel.h"
#include "image/patches.h"
#include "image/source.h"
#include "image/toolchain.h"

#define BUILD_FORMAT	 "build 1"
#define MAX_CONFIG_BYTES (4 << 20)
#define MAX_WHY_BYTES	 (1 << 20)
#define MAX_WORDS	 40

struct build {
	struct image_ctx *ctx;
	const struct kernel_spec *spec;
	const char *id;
	struct source source;
	struct toolchain tools;
	char *src, *obj, *log_path, *release; /* release: what is appended to the version */
	int lock_fd;
	struct build_log log;
	int log_fd;
};

static void build_fini(struct build *b)
{
	source_fini(&b->source);
	toolchain_fini(&b->tools);
	build_log_fini(&b->log);
	free(b->src);
	free(b->obj);
	free(b->log_path);
	free(b->release);
	if (b->log_fd >= 0)
		close(b->log_fd);
	if (b->lock_fd >= 0)
		close(b->lock_fd);
}

/* All but the patches. */
static int digest_inputs(struct digest *d, const struct kernel_build *b, const struct source *s,
			 const struct toolchain *t, struct err *e)
{
	size_t i;

	digest_update_str(d, BUILD_FORMAT);
	digest_update_str(d, KERNEL_FORMAT);
	digest_update_str(d, s->id);
	digest_update_str(d, t->version);
	for (i = 0; i < b->n_config; i++) {
		char hex[DIGEST_HEX_SIZE];
		int rc = digest_of_file(b->config[i], hex, e);

		if (rc)
			return rc;
		digest_update_str(d, hex);
	}
	return 0;
}

static int make_id(const struct kernel_build *b, const struct source *s, const struct toolchain *t,
		   size_t n_patches, char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	struct digest *d __free(digest) = digest_new();
	char hex[DIGEST_HEX_SIZE];
	int rc = digest_inputs(d, b, s, t, e);

	if (!rc && n_patches) {
		rc = patches_id(b, n_patches, s->id, hex, e);
		digest_update_str(d, hex);
	}
	if (!rc)
		digest_hex(d, ret_id);
	return rc;
}

static int find_id(struct image_ctx *c, const struct kernel_spec *spec, bool archive,
		   bool with_patches, char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	struct source s __free_source = {.what = NULL};
	struct toolchain t __free_toolchain = {.version = NULL};
	int rc = source_find(c, spec, archive, &s, e);

	if (!rc)
		rc = toolchain_find(spec->build.compiler, &t, e);
	return rc ? rc
		  : make_id(&spec->build, &s, &t, with_patches ? spec->build.n_patches : 0, ret_id,
			    e);
}

int build_id(struct image_ctx *c, const struct kernel_spec *spec, bool archive,
	     char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	return find_id(c, spec, archive, true, ret_id, e);
}

int build_workspace_id(struct image_ctx *c, const struct kernel_spec *spec,
		       char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	return find_id(c, spec, false, false, ret_id, e);
}

/* One source is unpacked once, whoever asks. */
static int make_worktree(struct build *b, struct err *e)
{
	char *repository __free(str) = source_repository(b->ctx->cache);
	char *lock __free(str) = xasprintf("%s.lock", repository);
	char *makefile __free(str) = file_join(b->src, "Makefile");
	char *ref __free(str) = xasprintf("refs/kjump/source/%s", b->source.id);
	const char *const add[] = {"worktree", "add",  "--force", "--detach",
				   "--quiet",  b->src, ref,	  NULL};
	int fd __free(fd) = -1;
	int rc = cache_lock(lock, &fd, e);

	if (!rc)
		rc = source_get(b->ctx, b->spec, &b->source, e);
	if (rc || file_exists(makefile))
		return rc;
	rc = file_remove_tree(b->src, e); /* of one who was killed amid it */
	return rc ? rc : git_run(repository, add, NULL, NULL, e);
}

static int begin(struct build *b, struct err *e)
{
	char id[DIGEST_HEX_SIZE];
	char *dir __free(str) = NULL, *lock __free(str) = NULL;
	const struct kernel_build *spec = &b->spec->build;
	int rc = source_find(b->ctx, b->spec, true, &b->source, e);

	if (!rc)
		rc = toolchain_find(spec->compiler, &b->tools, e);
	if (!rc)
		rc = make_id(spec, &b->source, &b->tools, 0, id, e);
	if (rc)
		return rc;
	dir = cache_path(b->ctx->cache, "build", id);
	lock = xasprintf("%s.lock", dir);
	rc = cache_lock(lock, &b->lock_fd, e);
	if (rc)
		return rc;
	b->src = file_join(dir, "src");
	/* In the tree, whose name is then ".." for the compiler: a compiler cache sees no path. */
	b->obj = file_join(b->src, "kjump-obj");
	b->log_path = file_join(dir, "build.log");
	b->release = xasprintf("LOCALVERSION=-kjump-%.8s", b->id);
	rc = file_mkdir(dir, 0755, e);
	if (!rc)
		rc = make_worktree(b, e);
	return rc ? rc : file_mkdir(b->obj, 0755, e);
}

/*
 * One make at a time in an object tree: children of a killed one keep the lock. The
 * compiler cache is to see the same paths in every workspace.
 */
static size_t make_words(const struct build *b, const char **argv, char *const own[5])
{
	const char *const words[] = {
		"flock",
		"--no-fork",
		own[0],
		"env",
		own[1],
		own[2],
		"CCACHE_NOHASHDIR=1",
		"LC_ALL=C",
		"KBUILD_BUILD_TIMESTAMP=1970-01-01",
		"KBUILD_BUILD_USER=kjump",
		"KBUILD_BUILD_HOST=kjump",
		own[3],
		"make",
		own[4],
		"ARCH=arm64",
		b->tools.cc,
		b->tools.prefix,
		b->tools.llvm,
		b->release,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		argv[i] = words[i];
	return i;
}

/* Runs make with @targets, up to NULL; @more: an assignment for the environment. */
static int run_make(struct build *b, const char *more, const char *const *targets, struct err *e)
{
	char *lock __free(str) = xasprintf("%s.lock", b->obj);
	char *base __free(str) = xasprintf("CCACHE_BASEDIR=%s", cache_dir(b->ctx->cache));
	char *why __free(str) = xasprintf("KJUMP_WHY=%s/config/why.c", b->ctx->images_dir);
	char *out __free(str) = xasprintf("O=%s", b->obj);
	char *const own[5] = {lock, base, why, more ? (char *)more : (char *)"KJUMP_MAKE=1", out};
	const char *argv[MAX_WORDS];
	size_t n = make_words(b, argv, own);

	while (*targets && n + 1 < MAX_WORDS)
		argv[n++] = *targets++;
	argv[n] = NULL;
	return build_log_run(&b->log, b->src, argv, e);
}

static int merge_fragments(struct build *b, struct err *e)
{
	const struct kernel_build *spec = &b->spec->build;
	char *merged __free(str) = file_join(b->obj, "kjump.config");
	char *all __free(str) = xasprintf("KCONFIG_ALLCONFIG=%s", merged);
	const char *const configure[] = {"allnoconfig", NULL};
	const char **argv __free(names) = xcalloc(spec->n_config + 7, sizeof(*argv));
	char *config __free(str) = xasprintf("KCONFIG_CONFIG=%s", merged);
	size_t n = 0, i;
	int rc;

	argv[n++] = "env";
	argv[n++] = config;
	argv[n++] = "sh";
	argv[n++] = "scripts/kconfig/merge_config.sh";
	argv[n++] = "-m";
	for (i = 0; i < spec->n_config; i++)
		argv[n++] = spec->config[i];
	rc = build_log_run(&b->log, b->src, argv, e);
	return rc ? rc : run_make(b, all, configure, e);
}

/* What the kernel's own Kconfig says about the options that are in @lost. */
static void explain(struct build *b, const struct buf *lost, struct buf *reasons)
{
	struct buf options __free_buf = BUF_INIT;
	char *mk __free(str) = xasprintf("MAKEFILES=%s/config/why.mk", b->ctx->images_dir);
	char *copy __free(str) = xstrdup(lost->data);
	const char *targets[] = {NULL, "-s", "kjumpwhyconfig", NULL};
	char *line, *next = copy;
	off_t from = lseek(b->log_fd, 0, SEEK_END);
	struct buf text __free_buf = BUF_INIT;

	buf_adds(&options, "KJUMP_OPTIONS=");
	while ((line = strsep(&next, "\n")))
		buf_addf(&options, "%.*s ", (int)strcspn(line, " "), line);
	targets[0] = options.data;
	if (run_make(b, mk, targets, NULL) || from < 0)
		return;
	if (!file_read(b->log_path, MAX_WHY_BYTES + (size_t)from, &text, NULL) &&
	    text.len > (size_t)from)
		buf_adds(reasons, text.data + from);
}

/* "file:line: CONFIG_X=y did not stick, it is n: depends on FOO[=n]". */
static int refuse_config(struct build *b, const struct buf *lost, struct err *e)
{
	struct buf reasons __free_buf = BUF_INIT, text __free_buf = BUF_INIT;
	char *copy __free(str) = xstrdup(lost->data);
	char *line, *next = copy;

	explain(b, lost, &reasons);
	while ((line = strsep(&next, "\n")) && *line) {
		const char *name = strsep(&line, " "), *value = strsep(&line, " ");
		const char *is = strsep(&line, " "), *why;
		char *mark __free(str) = xasprintf("%s: ", name);

		why = strstr(reasons.data, mark);
		why = why ? why + strlen(mark) : "";
		buf_addf(&text, "%s%s: %s=%s did not stick, it is %s%s%.*s", text.len ? "\n" : "",
			 line, name, value, is, *why ? ": " : "", (int)strcspn(why, "\n"), why);
	}
	return err_set(e, EILSEQ, "%s", text.data);
}

static int configure(struct build *b, struct err *e)
{
	const struct kernel_build *spec = &b->spec->build;
	char *config __free(str) = file_join(b->obj, ".config");
	struct buf lost __free_buf = BUF_INIT;
	int rc = merge_fragments(b, e);

	if (!rc)
		rc = kconfig_compare(spec->config, spec->n_config, config, &lost, e);
	if (rc || !lost.len)
		return rc;
	return refuse_config(b, &lost, e);
}

static int compile(struct build *b, bool *ret_modules, bool *ret_btf, struct err *e)
{
	char *config __free(str) = file_join(b->obj, ".config");
	char *jobs __free(str) = xasprintf("-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
	const char *const targets[] = {jobs, "Image", NULL};
	const char *const with_modules[] = {jobs, "Image", "modules", NULL};
	struct buf text __free_buf = BUF_INIT;
	int rc = file_read(config, MAX_CONFIG_BYTES, &text, e);

	if (rc)
		return rc;
	*ret_modules = kconfig_is_set(text.data, "CONFIG_MODULES");
	*ret_btf = kconfig_is_set(text.data, "CONFIG_DEBUG_INFO_BTF");
	return run_make(b, NULL, *ret_modules ? with_modules : targets, e);
}

static int install_modules(struct build *b, const char *made, struct err *e)
{
	char *path __free(str) = xasprintf("INSTALL_MOD_PATH=%s/root", made);
	const char *const targets[] = {path, "INSTALL_MOD_STRIP=1", "DEPMOD=true",
				       "modules_install", NULL};

	return run_make(b, NULL, targets, e);
}

static int extract_btf(struct build *b, const char *made, struct err *e)
{
	char *section __free(str) = xasprintf(".BTF=%s/BTF", made);
	char *vmlinux __free(str) = file_join(b->obj, "vmlinux");
	const char *const argv[] = {b->tools.objcopy, "--dump-section", section,
				    vmlinux,	      "/dev/null",	NULL};

	return build_log_run(&b->log, b->src, argv, e);
}

static char *provenance(const struct build *b)
{
	const struct kernel_build *spec = &b->spec->build;
	struct buf s __free_buf = BUF_INIT;
	size_t i;

	buf_adds(&s, b->source.what);
	for (i = 0; i < spec->n_patches; i++) {
		const char *slash = strrchr(spec->patches[i], '/');

		buf_addf(&s, " + %s", slash ? slash + 1 : spec->patches[i]);
	}
	buf_adds(&s, ";");
	for (i = 0; i < spec->n_config; i++) {
		const char *slash = strrchr(spec->config[i], '/'), *name = slash + 1;

		buf_addf(&s, " %.*s", (int)strcspn(name, "."), name);
	}
	buf_addf(&s, "; %s", b->tools.version);
	return buf_steal(&s);
}

static int publish(struct build *b, bool modules, bool btf, struct err *e)
{
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	char *made __free(str) = NULL, *from __free(str) = provenance(b);
	int rc = cache_tmp_init(&tmp, b->ctx->cache, e);

	if (rc)
		return rc;
	made = file_join(tmp.path, "kernel");
	rc = file_mkdir(made, 0755, e);
	if (!rc && modules)
		rc = install_modules(b, made, e);
	if (!rc && btf)
		rc = extract_btf(b, made, e);
	return rc ? rc
		  : kernel_from_build(b->ctx->cache, b->id, b->obj, b->log_path, made, from, e);
}

static void on_step(size_t n, const char *line, void *arg)
{
	struct build *b = arg;

	if (b->ctx->build_step)
		b->ctx->build_step(b->spec->name, n, line, b->ctx->build_arg);
}

static int work(struct build *b, struct err *e)
{
	bool modules = false, btf = false;
	int rc;

	b->log_fd = open(b->log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (b->log_fd < 0)
		return err_errno(e, errno, "cannot write '%s'", b->log_path);
	b->log = (struct build_log)BUILD_LOG_INIT(b->log_fd);
	b->log.step = on_step;
	b->log.arg = b;
	log_info("building kernel '%s': log in %s", b->spec->name, b->log_path);
	rc = patches_apply(b->src, &b->spec->build, b->source.id, e);
	if (!rc)
		rc = configure(b, e);
	if (!rc)
		rc = compile(b, &modules, &btf, e);
	if (rc)
		return err_prefix(e, -ENOEXEC, "build-failed");
	return publish(b, modules, btf, e);
}

int build_kernel(struct image_ctx *c, const struct kernel_spec *spec, const char *id, struct err *e)
{
	struct build b __cleanup(build_fini) = {
		.ctx = c, .spec = spec, .id = id, .lock_fd = -1, .log_fd = -1};
	struct kernel_files *files __free(kernel_files) = NULL;
	int rc;

	buf_init(&b.log.pending);
	rc = begin(&b, e);
	if (rc)
		return rc;
	/* Another process may have built it while we waited for the lock. */
	if (!kernel_load(c->cache, id, &files, NULL))
		return 0;
	return work(&b, e);
}
