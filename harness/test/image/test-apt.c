// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/fake_apt.h"

#include <utime.h>

#include "base/log.h"
#include "image/apt.h"
#include "image/debian.h"
#include "image/image.h"

static int setup(void **state)
{
	int rc = sandbox_setup(state);

	if (!rc)
		fake_apt_install(*state);
	return rc;
}

static struct cache *open_cache(void)
{
	struct err e __free_err = ERR_INIT;
	struct cache *c = NULL;

	assert_ok(cache_open(&c, &e));
	return c;
}

static void needs_keyring(void)
{
	if (!file_exists("/usr/share/keyrings/debian-archive-keyring.gpg"))
		skip_because("debian-archive-keyring is not installed");
}

static const struct tar_item one_file = {.name = "./usr/bin/tool", .content = "tool"};

static void shows_and_fetches(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct apt *a __free(apt) = apt_new(c, "trixie", NULL);
	struct apt_package p = {0}, absent = {0};
	char *path __free(str) = NULL, *again __free(str) = NULL;
	struct err e __free_err = ERR_INIT;

	needs_keyring();
	fake_apt_add(*state, "tool", "1:2.0-1", "libc6", &one_file, 1);
	assert_ok(apt_show(a, "tool", &p, &e));
	assert_string_equal(p.version, "1:2.0-1");
	assert_string_equal(p.depends, "libc6, pre (>= 1)");
	assert_int_equal(apt_show(a, "absent", &absent, &e), -ENOENT);
	assert_contains(err_msg(&e), "package 'absent': not in trixie");
	assert_ok(apt_fetch(a, &p, &path, &e));
	assert_true(file_exists(path));
	assert_int_equal(fake_apt_calls(*state, "apt-get -q download tool=1:2.0-1"), 1);
	/* Now it is here: no apt, no network. */
	sandbox_puts(*state, "offline", "");
	assert_ok(apt_fetch(a, &p, &again, &e));
	assert_int_equal(fake_apt_calls(*state, "download"), 1);
	assert_int_equal(fake_apt_calls(*state, "apt-get -q update"), 1);
	apt_package_fini(&p);
}

static void our_own_configuration(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct apt *a __free(apt) = apt_new(c, "trixie", "http://given/debian");
	char *conf_path __free(str) = file_join(*state, "seen.conf");
	struct buf conf __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char **names;
	size_t n;

	needs_keyring();
	assert_ok(apt_names(a, "x", &names, &n, &e));
	assert_int_equal(n, 0);
	apt_names_free(names, n);
	assert_int_equal(fake_apt_calls(*state, "indextargets"), 0);
	assert_int_equal(file_read(conf_path, 1 << 20, &conf, &e), 0);
	assert_contains(conf.data, "Acquire::http::Proxy \"http://proxy/\";");
	assert_null(strstr(conf.data, "Post-Invoke")); /* the host's hooks are not ours */
	assert_contains(conf.data, "Dir::Etc::Parts \"/dev/null\";");
	assert_contains(conf.data, "APT::Architecture \"arm64\";");
}

static void a_download_that_is_another(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct apt *a __free(apt) = apt_new(c, "trixie", NULL);
	struct apt_package p = {0};
	char *path = NULL;
	struct err e __free_err = ERR_INIT;

	needs_keyring();
	fake_apt_add(*state, "tool", "1", "", &one_file, 1);
	assert_ok(apt_show(a, "tool", &p, &e));
	sandbox_puts(*state, "archive/tool.deb", "something else");
	assert_int_equal(apt_fetch(a, &p, &path, &e), -EBADMSG);
	assert_contains(err_msg(&e), "SHA-256");
	assert_null(path);
	apt_package_fini(&p);
}

/* The last line that was logged. */
static char logged[512];

static void keep_line(enum log_level level, const char *line, void *arg)
{
	if (level == LOG_LEVEL_WARN)
		snprintf(logged, sizeof(logged), "%s", line);
}

static void age_the_lists(const char *dir, const char *mirror)
{
	const struct utimbuf old = {.actime = 1000000, .modtime = 1000000};
	char hex[DIGEST_HEX_SIZE];
	char *stamp __free(str) = NULL;

	digest_of(mirror, strlen(mirror), hex);
	stamp = xasprintf("%s/kjump/apt/trixie-%.8s/updated", dir, hex);
	assert_int_equal(utime(stamp, &old), 0);
}

static void old_lists_are_better_than_none(void **state)
{
	struct cache *c __free(cache) = open_cache();
	struct err e __free_err = ERR_INIT;
	unsigned int round;

	needs_keyring();
	fake_apt_add(*state, "tool", "1", "", &one_file, 1);
	sandbox_puts(*state, "offline", "");
	for (round = 0; round < 3; round++) {
		struct apt *a __free(apt) = apt_new(c, "trixie", NULL);
		char *offline __free(str) = file_join(*state, "offline");
		struct apt_package p = {0};
		int rc = apt_show(a, "tool", &p, &e);

		apt_package_fini(&p);
		if (round == 0) { /* offline and nothing here */
			assert_int_equal(rc, -EIO);
			assert_contains(err_msg(&e), "E: no network");
			assert_int_equal(unlink(offline), 0);
		} else if (round == 1) { /* online */
			assert_int_equal(rc, 0);
			age_the_lists(*state, "http://m/debian/");
			sandbox_puts(*state, "offline", "");
			log_set_hook(keep_line, NULL);
		} else { /* offline, with lists of long ago */
			log_set_hook(NULL, NULL);
			assert_int_equal(rc, 0);
			assert_contains(logged, "E: no network: using older lists of trixie");
		}
	}
	assert_int_equal(fake_apt_calls(*state, "apt-get -q update"), 3);
}

static void names_that_are_none(void **state)
{
	static const char *const suites[] = {"", "-o", "a b", "../x", "x]"};
	struct cache *c __free(cache) = open_cache();
	struct err e __free_err = ERR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		struct apt *a __free(apt) = apt_new(c, suites[i], NULL);
		struct apt_package p = {0};

		assert_int_equal(apt_show(a, "tool", &p, &e), -EINVAL);
	}
	assert_int_equal(fake_apt_calls(*state, "update"), 0);
}

static void add_kernel(const char *dir)
{
	char image[64 + 64] = "MZ";

	memcpy(image + 0x38, "ARM\x64", 4);
	strcpy(image + 64, "Linux version 7.2.6+x-cloud-arm64 (x)");
	const struct tar_item binary = {.name = "./usr/lib/modules/7.2.6+x-cloud-arm64/vmlinuz",
					.content = image,
					.len = sizeof(image)};

	fake_apt_add(dir, "linux-image-7.2.6+x-cloud-arm64", "7.2.6-1",
		     "dracut | y, linux-base (>= 4), linux-binary-7.2.6+x-cloud-arm64 (= 7.2.6-1)",
		     NULL, 0);
	fake_apt_add(dir, "linux-binary-7.2.6+x-cloud-arm64", "7.2.6-1", "", &binary, 1);
	fake_apt_add(dir, "linux-image-7.2.9+x-cloud-arm64", "7.2.9-1", "", NULL, 0);
	fake_apt_add(dir, "linux-image-7.2.9+x-arm64", "7.2.9-1", "", NULL, 0);
}

static int get(const char *version, const char *flavour, bool refresh, struct err *e)
{
	const struct image_opts opts = {.refresh = refresh};
	const struct kernel_spec spec = {
		.name = (char *)"k",
		.source = KERNEL_DEBIAN,
		.debian = {(char *)"trixie", (char *)version, (char *)flavour}};
	struct image_ctx *c __free(image_ctx) = NULL;
	struct kernel_files *k __free(kernel_files) = NULL;
	int rc;

	assert_int_equal(image_ctx_new(&opts, &c, e), 0);
	rc = image_kernel(c, &spec, &k, e);
	if (!rc)
		assert_string_equal(k->release, "7.2.6+x-cloud-arm64");
	return rc;
}

static void a_kernel_and_again(void **state)
{
	struct err e __free_err = ERR_INIT;
	size_t calls;

	needs_keyring();
	add_kernel(*state);
	assert_ok(get("7.2.6", "cloud", false, &e));
	calls = fake_apt_calls(*state, "apt-");
	sandbox_puts(*state, "offline", "");
	assert_ok(get("7.2.6", "cloud", false, &e));
	assert_int_equal(fake_apt_calls(*state, "apt-"), calls); /* not even asked */
	assert_ok(get("7.2.6", "cloud", true, &e));
	assert_true(fake_apt_calls(*state, "apt-") > calls);
	assert_int_equal(fake_apt_calls(*state, "download"), 2);
	/* By the package's version it is the same one. */
	assert_ok(get("7.2.6-1", "cloud", false, &e));
	assert_int_equal(fake_apt_calls(*state, "download"), 2);
}

static struct kernel_spec cloud(const char *version)
{
	return (struct kernel_spec){.name = (char *)"k",
				    .source = KERNEL_DEBIAN,
				    .debian = {(char *)"trixie", (char *)version, (char *)"cloud"}};
}

static void cleans_up(void **state)
{
	const struct image_opts opts = {.images_dir = NULL};
	const struct kernel_spec kept = cloud("7.2.6"), unknown = cloud("1.0");
	struct image_ctx *c __free(image_ctx) = NULL, *other __free(image_ctx) = NULL;
	struct kernel_files *k __free(kernel_files) = NULL, *none = NULL;
	struct image_gc_result r;
	struct err e __free_err = ERR_INIT;

	needs_keyring();
	add_kernel(*state);
	assert_ok(get("7.2.6", "cloud", false, &e));
	assert_ok(image_ctx_new(&opts, &c, &e));
	assert_ok(image_ctx_new(&opts, &other, &e));
	assert_int_equal(image_gc(c, &kept, 1, &r, &e), -EBUSY);
	image_ctx_free(steal_ptr(other));
	sandbox_puts(*state, "kjump/debs/0000.deb", "12345");
	sandbox_puts(*state, "kjump/kernels/old/image", "12345");
	assert_ok(image_gc(c, &kept, 1, &r, &e));
	assert_int_equal(r.files, 2);
	assert_int_equal(r.bytes, 10);
	assert_ok(image_kernel_cached(c, &kept, &k, &e));
	assert_true(file_exists(k->image));
	assert_int_equal(image_kernel_cached(c, &unknown, &none, &e), -ENOENT);
	assert_ok(image_gc(c, NULL, 0, &r, &e));
	assert_true(r.files > 2);
	assert_false(file_exists(k->image));
	assert_int_equal(image_kernel_cached(c, &kept, &none, &e), -ENOENT);
}

static void a_kernel_that_is_not_there(void **state)
{
	struct err e __free_err = ERR_INIT;

	needs_keyring();
	add_kernel(*state);
	assert_int_equal(get("7.2.7", "cloud", false, &e), -ENOENT);
	assert_string_equal(err_msg(&e), "kernel 'k': no cloud kernel '7.2.7' in suite 'trixie'; "
					 "nearest there: 7.2.6+x, 7.2.9+x");
	assert_int_equal(get("7.2.6", "rt", false, &e), -ENOENT);
	assert_contains(err_msg(&e), "no kernel of flavour 'rt'");
}

static void what_is_no_paragraph(void **state)
{
	static const char *const texts[] = {
		"", "Package: x\n", "Package: x\nVersion: 1\nSHA256: 12\n",
		"Package: x\nVersion: 1\n\nSHA256: "
		"0000000000000000000000000000000000000000000000000000000000000000\n",
		"Package: x\nVersion: 1\nSHA256: "
		"zzzz000000000000000000000000000000000000000000000000000000000000\n"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct apt_package p;

		assert_int_equal(apt_parse_package(texts[i], strlen(texts[i]), &p, NULL), -EBADMSG);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(shows_and_fetches),
		T(our_own_configuration),
		T(a_download_that_is_another),
		T(old_lists_are_better_than_none),
		T(names_that_are_none),
		T(a_kernel_and_again),
		T(cleans_up),
		T(a_kernel_that_is_not_there),
		T(what_is_no_paragraph),
	};

	log_set_level(LOG_LEVEL_WARN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
