/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_apt.h - an archive in a directory, and an apt that reads it.
 *
 * Programs of apt's names are put ahead of the real ones in PATH. They do what
 * apt does as far as kjump asks for it, from DIR/archive: <package>.control and
 * <package>.deb. Every call is written to DIR/calls; DIR/offline makes those
 * fail that need the network.
 */
#ifndef KJUMP_TEST_IMAGE_FAKE_APT_H
#define KJUMP_TEST_IMAGE_FAKE_APT_H

#include "test/image/sandbox.h"

#include "base/digest.h"
#include "test/image/make_archive.h"

static const char fake_apt_script[] =
	"#!/bin/sh\n"
	"here=$(cd \"$(dirname \"$0\")/..\" && pwd)\n"
	"echo \"${0##*/} $*\" >>$here/calls\n"
	"[ \"$1\" = -q ] && shift\n"
	"offline() {\n"
	"  [ ! -e $here/offline ] || { echo 'W: other' >&2; echo 'E: no network' >&2; exit 100; }\n"
	"}\n"
	"case \"${0##*/} $1\" in\n"
	"'apt-get indextargets')\n"
	"  echo 'http://m/debian/|Debian|Debian|trixie|main|Packages' ;;\n"
	"'apt-config dump')\n"
	"  echo 'Acquire::http::Proxy \"http://proxy/\";'\n"
	"  echo 'APT::Update::Post-Invoke:: \"rm -rf /\";' ;;\n"
	"'apt-get update')\n"
	"  offline; cp $APT_CONFIG $here/seen.conf ;;\n"
	"'apt-cache pkgnames')\n"
	"  cd $here/archive && for f in $2*.control; do\n"
	"    [ ! -e \"$f\" ] || echo \"${f%.control}\"; done ;;\n"
	"'apt-cache show')\n"
	"  cat \"$here/archive/$3.control\" 2>/dev/null ||\n"
	"    { echo 'E: No packages found' >&2; exit 100; } ;;\n"
	"'apt-get download')\n"
	"  offline; cp \"$here/archive/${2%%=*}.deb\" . ;;\n"
	"*) echo \"E: what is $0 $*\" >&2; exit 100 ;;\n"
	"esac\n";

static inline void fake_apt_install(const char *dir)
{
	static const char *const names[] = {"bin/apt-get", "bin/apt-cache", "bin/apt-config"};
	char *path __free(str) = xasprintf("%s/bin:/usr/sbin:/usr/bin:/sbin:/bin", dir);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *file __free(str) = file_join(dir, names[i]);

		sandbox_puts(dir, names[i], fake_apt_script);
		assert_int_equal(chmod(file, 0755), 0);
	}
	sandbox_puts(dir, "archive/none", "");
	sandbox_puts(dir, "calls", "");
	unsetenv("KJUMP_MIRROR");
	setenv("PATH", path, 1);
}

/* Puts a package into the archive; @items NULL: it is in the index only. */
static inline void fake_apt_add(const char *dir, const char *name, const char *version,
				const char *depends, const struct tar_item *items, size_t n)
{
	char *deb_name __free(str) = xasprintf("archive/%s.deb", name);
	char *control_name __free(str) = xasprintf("archive/%s.control", name);
	char *control __free(str) = NULL;
	struct buf deb __free_buf = BUF_INIT;
	char hex[DIGEST_HEX_SIZE];

	make_deb(&deb, items, n, "xz");
	sandbox_put(dir, deb_name, deb.data, deb.len);
	digest_of(deb.data, deb.len, hex);
	control = xasprintf("Package: %s\nVersion: %s\nPre-Depends: pre (>= 1)\nDepends: %s\n"
			    "Description: x\n Depends: not this\nSHA256: %s\n\nPackage: other\n",
			    name, version, depends, hex);
	sandbox_puts(dir, control_name, control);
}

/* How often a call that begins with @call was made. */
static inline size_t fake_apt_calls(const char *dir, const char *call)
{
	char *path __free(str) = file_join(dir, "calls");
	struct buf text __free_buf = BUF_INIT;
	const char *p;
	size_t n = 0;

	assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
	for (p = text.data; (p = strstr(p, call)); p++)
		n++;
	return n;
}

#endif
