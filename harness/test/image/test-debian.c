// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "image/debian.h"
#include "image/mirror.h"

static void abi_of_a_package(void **state)
{
	static const struct {
		const char *package, *flavour, *abi;
	} cases[] = {
		{"linux-image-6.1.0-50-cloud-arm64", "cloud", "6.1.0-50"},
		{"linux-image-6.1.0-50-arm64", "plain", "6.1.0-50"},
		{"linux-image-7.2.6+deb13-arm64", "plain", "7.2.6+deb13"},
		{"linux-image-7.2.6+deb13-cloud-arm64", "cloud", "7.2.6+deb13"},
		{"linux-image-7.2.6+deb13-rt-arm64", "rt", "7.2.6+deb13"},
		{"linux-image-7.2.6+deb13-arm64-16k", "16k", "7.2.6+deb13"},
		{"linux-image-7.2.6+deb13-cloud-arm64", "plain", NULL},
		{"linux-image-6.1.0-50-cloud-arm64", "plain", NULL},
		{"linux-image-7.2.6+deb13-arm64", "cloud", NULL},
		{"linux-image-7.2.6+deb13-arm64-16k", "plain", NULL},
		{"linux-image-6.1.0-50-arm64-unsigned", "plain", NULL},
		{"linux-image-6.1.0-50-arm64-dbg", "plain", NULL},
		{"linux-image-arm64", "plain", NULL},
		{"linux-image-cloud-arm64", "cloud", NULL},
		{"linux-headers-7.2.6+deb13-arm64", "plain", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *abi __free(str) = debian_kernel_abi(cases[i].package, cases[i].flavour);

		if (!cases[i].abi)
			assert_null(abi);
		else
			assert_string_equal(abi ? abi : "none", cases[i].abi);
	}
}

static char *abis[] = {(char *)"7.2.12+deb13", (char *)"7.2.6+deb13", (char *)"6.1.0-50",
		       (char *)"6.1.0-9", (char *)"6.12.117+deb13"};

/* The last of those that match, or "none". */
static const char *newest(const char *version)
{
	const char **match;
	const char *last;
	size_t n;

	debian_match(abis, ARRAY_SIZE(abis), version, &match, &n);
	last = n ? match[n - 1] : "none";
	free(match);
	return last;
}

static void newest_that_begins_so(void **state)
{
	assert_string_equal(newest("7.2.6"), "7.2.6+deb13");
	assert_string_equal(newest("7.2"), "7.2.12+deb13");
	assert_string_equal(newest("6.1"), "6.1.0-50");
	assert_string_equal(newest("6.12"), "6.12.117+deb13");
	assert_string_equal(newest("7.2.1"), "none");
	assert_string_equal(newest("6.1.0-5"), "none");
	assert_string_equal(newest("7"), "7.2.12+deb13");
	assert_string_equal(newest(""), "none");
}

static void nearest_in_order(void **state)
{
	static const struct {
		const char *version;
		size_t max;
		const char *text;
	} cases[] = {
		{"7.2.7", 2, "7.2.6+deb13, 7.2.12+deb13"},
		{"5.10", 2, "6.1.0-9, 6.1.0-50"},
		{"99", 2, "7.2.6+deb13, 7.2.12+deb13"},
		{"6.12", 9, "6.1.0-9, 6.1.0-50, 6.12.117+deb13, 7.2.6+deb13, 7.2.12+deb13"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out __free_buf = BUF_INIT;

		debian_nearest(abis, ARRAY_SIZE(abis), cases[i].version, cases[i].max, &out);
		assert_string_equal(out.data, cases[i].text);
	}
}

static int collect(const char *name, void *arg)
{
	buf_addf(arg, "%s ", name);
	return 0;
}

static void dependency_names(void **state)
{
	struct buf out __free_buf = BUF_INIT;

	packages_each_dependency(
		"dracut | initramfs-tools (>= 0.120) | x, kmod,linux-base-7 (= 1), "
		"python3:any, , libc6(>= 2)",
		collect, &out);
	assert_string_equal(out.data, "dracut kmod linux-base-7 python3 libc6 ");
}

/* In the order and form in which apt-get indextargets prints them. */
static void chooses_a_mirror(void **state)
{
	static const struct {
		const char *text, *uri;
	} cases[] = {
		{"http://sec/|Debian|Debian-Security|bookworm-security|main|Packages\n"
		 "http://other/|nodesource|. x|nodistro|main|Packages\n"
		 "http://m/debian/|Debian|Debian|bookworm|contrib|Packages\n"
		 "http://m/debian/|Debian|Debian|bookworm|main|Translations\n"
		 "http://m/debian/|Debian|Debian|bookworm|main|Packages\n",
		 "http://m/debian/"},
		{"http://b/debian/|Debian|Debian Backports|x-backports|main|Packages\n", NULL},
		/* Before the first apt-get update. */
		{"http://other/|$(ORIGIN)|$(LABEL)|nodistro|main|Packages\n"
		 "http://sec/|$(ORIGIN)|$(LABEL)|bookworm-security|main|Packages\n"
		 "http://m/debian/|$(ORIGIN)|$(LABEL)|bookworm-updates|main|Packages\n",
		 "http://m/debian/"},
		{"http://m/|$(ORIGIN)|$(LABEL)|jammy|main|Packages\n", NULL},
		{"http://m/debian/|Debian|Debian|bookworm|main\n", NULL},
		{"", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *uri __free(str) = mirror_choose(cases[i].text);

		if (cases[i].uri)
			assert_string_equal(uri ? uri : "none", cases[i].uri);
		else
			assert_null(uri);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abi_of_a_package), cmocka_unit_test(newest_that_begins_so),
		cmocka_unit_test(nearest_in_order), cmocka_unit_test(dependency_names),
		cmocka_unit_test(chooses_a_mirror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
