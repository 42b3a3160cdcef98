// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/toolchain.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/process.h"

#define MAX_VERSION_BYTES 65536

void toolchain_fini(struct toolchain *t)
{
	free(t->version);
	free(t->cc);
	free(t->prefix);
	free(t->llvm);
	free(t->objcopy);
	*t = (struct toolchain){.version = NULL};
}

/* The first line of what it says of itself; NULL: it is not there. */
static char *version_of(const char *program)
{
	const char *const argv[] = {"env", "LC_ALL=C", program, "--version", NULL};
	struct buf out __free_buf = BUF_INIT;

	if (process_run(argv, MAX_VERSION_BYTES, &out, NULL, NULL))
		return NULL;
	return xstrndup(out.data, strcspn(out.data, "\n"));
}

int toolchain_find(enum kernel_compiler compiler, struct toolchain *ret, struct err *e)
{
	struct toolchain t __free_toolchain = {.version = NULL};
	char *cache __free(str) = version_of("ccache"), *program __free(str) = NULL;
	struct utsname host;
	const char *cross;

	uname(&host);
	cross = strcmp(host.machine, "aarch64") ? "aarch64-linux-gnu-" : "";
	if (compiler == COMPILER_CLANG)
		program = xstrdup("clang");
	else
		program = xasprintf("%sgcc", cross);
	t.version = version_of(program);
	if (!t.version)
		return err_set(e, ENOENT, "there is no '%s': install %s", program,
			       compiler == COMPILER_CLANG ? "clang, lld and llvm"
			       : *cross			  ? "gcc-aarch64-linux-gnu"
							  : "gcc");
	t.cc = xasprintf("CC=%s%s", cache ? "ccache " : "", program);
	t.prefix = xasprintf("CROSS_COMPILE=%s", compiler == COMPILER_CLANG ? "" : cross);
	t.llvm = xstrdup(compiler == COMPILER_CLANG ? "LLVM=1" : "KJUMP_LLVM=");
	t.objcopy = compiler == COMPILER_CLANG ? xstrdup("llvm-objcopy")
					       : xasprintf("%sobjcopy", cross);
	*ret = t;
	t = (struct toolchain){.version = NULL};
	return 0;
}
