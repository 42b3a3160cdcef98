// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/temp_dir.h"

#include "plan/case.h"

static const struct plan_paths paths = {
	.kernels = "images/kernels.yaml",
	.profiles = "images/profiles",
	.boards = "board",
};

static struct plan *load(const char *name, const char *text, struct diag *diag)
{
	char *path __free(str) = file_join(dir, name);
	struct plan *p = NULL;

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	plan_load(path, &paths, diag, &p);
	return p;
}

#define HEAD                                                                   \
	"name: t\n"                                                            \
	"machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: [on, off]}]\n" \
	"kernels: [debian-7.2.6-cloud, debian-6.1-cloud]\n"

#define CROSS HEAD "from: [minimal]\nto: [minimal, no-graphics]\n"

static void crosses_axes(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) =
		load("a.yaml", CROSS "jumps: [kexec, cold]\nrepeat: 3\n", &diag);

	assert_int_equal(diag.n, 0);
	assert_int_equal(p->n_jobs, 2 * 2 * 2 * 2);
	assert_int_equal(p->jobs[0].repeat, 3);
	assert_string_equal(p->jobs[0].title,
			    "minimal -> minimal kexec, debian-7.2.6-cloud, max-2G-lpa2=on");
}

static void leaves_out_what_cannot_be(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml",
					   CROSS "jumps: [pivot, kexec]\n"
						 "dt: [profile, live]\n"
						 "to-kernels: [same, debian-6.1-cloud]\n",
					   &diag);
	size_t i, pivots = 0;
	char *expected __free(str) = xasprintf(
		"%s/a.yaml:6:8: 12 combinations left out: only a kexec can take the live device "
		"tree along",
		dir);

	assert_int_equal(diag.n, 0);
	for (i = 0; i < p->n_jobs; i++) {
		const struct job *j = &p->jobs[i];

		if (j->kind != JUMP_PIVOT)
			continue;
		pivots++;
		assert_string_equal(j->to->id, "minimal");
		assert_ptr_equal(j->from_kernel, j->to_kernel);
		assert_int_equal(j->dt, DT_PROFILE);
	}
	/* Each kernel on each machine; "same" and its own name are one. */
	assert_int_equal(pivots, 4);
	assert_int_equal(p->n_warnings, 3);
	assert_string_equal(p->warnings[0], expected);
	assert_non_null(strstr(p->warnings[1], "keeps its device tree"));
	assert_non_null(strstr(p->warnings[2], "stays on its kernel"));
	/* kexec: 2 machines, 3 pairs of kernels, 2 profiles, 2 trees. */
	assert_int_equal(p->n_jobs - pivots, 24);
}

static size_t ids_in_common(const struct plan *p, const struct plan *q)
{
	size_t i, k, same = 0;

	for (i = 0; i < p->n_jobs; i++) {
		for (k = 0; k < q->n_jobs; k++)
			same += !strcmp(p->jobs[i].id, q->jobs[k].id);
	}
	return same;
}

static void write_file(const char *name, const char *text)
{
	char *path __free(str) = file_join(dir, name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

/* The lines of the profile minimal, last one first, without its comments. */
static void write_reversed_profile(const char *name)
{
	struct buf text __free_buf = BUF_INIT, reversed __free_buf = BUF_INIT;
	char *line;

	assert_int_equal(file_read("images/profiles/minimal.conf", 65536, &text, NULL), 0);
	while ((line = strrchr(text.data, '\n'))) {
		if (line[1] && line[1] != '#')
			buf_addf(&reversed, "%s\n", line + 1);
		*line = '\0';
	}
	write_file(name, reversed.data);
}

/* The same content under other names, in other order, with other comments. */
static void ids_depend_on_content_only(void **state)
{
	char *kernels __free(str) = file_join(dir, "k.yaml");
	const struct plan_paths other = {.kernels = kernels, .profiles = dir, .boards = "board"};
	char *path __free(str) = file_join(dir, "other.yaml");
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml", CROSS "jumps: [kexec, cold]\n", &diag);
	struct plan *q __free(plan) =
		load("renamed.yaml", "# other order\n" CROSS "jumps: [cold, kexec]\n", &diag);
	struct plan *r __free(plan) = NULL;

	assert_int_equal(ids_in_common(p, q), p->n_jobs);
	write_reversed_profile("plain.conf");
	write_file("k.yaml", "userland: {suite: trixie}\n# a comment\nkernels:\n"
			     "  k: {flavour: cloud, version: 7.2.6, suite: trixie-backports, "
			     "source: debian}\n");
	write_file("other.yaml", "jumps: [cold]\nto: plain\nfrom: plain\nkernels: k\nname: u\n"
				 "machines: {cpu: max, lpa2: off, ram: 2048M, board: qemu-virt}\n"
				 "kexec-checks: on\n");
	plan_load(path, &other, &diag, &r);
	assert_int_equal(diag.n, 0);
	assert_int_equal(r->n_jobs, 1);
	assert_int_equal(ids_in_common(p, r), 1);
}

static void ids_differ_where_content_does(void **state)
{
	static const char *const variants[] = {
		"jumps: [kexec]\n",
		"jumps: [reboot]\n",
		"jumps: [kexec]\ndt: live\n",
		"jumps: [kexec]\nkexec-checks: yes\n",
		"jumps: [kexec]\nto-kernels: [debian-7.2.9-cloud]\n",
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(variants); i++) {
		for (k = 0; k < i; k++) {
			struct diag diag __free_diag = DIAG_INIT;
			char *a __free(str) = xasprintf(CROSS "%s", variants[i]);
			char *b __free(str) = xasprintf(CROSS "%s", variants[k]);
			struct plan *p __free(plan) = load("a.yaml", a, &diag);
			struct plan *q __free(plan) = load("b.yaml", b, &diag);

			assert_int_equal(diag.n, 0);
			assert_int_equal(ids_in_common(p, q), 0);
		}
	}
}

static void the_digest_covers_what_was_read(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml", CROSS "jumps: [cold]\n", &diag);
	struct plan *q __free(plan) = load("b.yaml", CROSS "jumps: [cold]\n", &diag);
	struct plan *r __free(plan) = load("a.yaml", CROSS "jumps: [cold] #\n", &diag);

	assert_string_equal(p->digest, q->digest);
	assert_string_not_equal(p->digest, r->digest);
}

static void filters(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml", CROSS "jumps: [kexec, cold]\n", &diag);
	struct plan *q __free(plan) = load("a.yaml", CROSS "jumps: [kexec, cold]\n", &diag);

	plan_filter(p, "*cold*", 0, 0);
	assert_int_equal(p->n_jobs, 8);
	plan_filter(p, NULL, 3, 3);
	assert_int_equal(p->n_jobs, 2);
	plan_filter(q, q->jobs[5].id, 0, 0);
	assert_int_equal(q->n_jobs, 1);
}

static void includes_and_excludes(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) =
		load("a.yaml",
		     CROSS "jumps: [kexec, pivot]\n"
			   "exclude: [{machine: '*lpa2=on', kernel: debian-6*}, {jump: pivot}]\n"
			   "include:\n"
			   "  - {jump: reboot, to: minimal, kernel: debian-7.2.9-cloud}\n"
			   "  - {jump: cold, to: minimal}\n"
			   "  - {jump: kexec, to: minimal, machine: '*lpa2=on'}\n",
		     &diag);

	assert_int_equal(diag.n, 0);
	/* The second block knows nothing of the kernel that the first one brought. */
	assert_int_equal(p->n_jobs, (8 - 2) + 2 + 4 + 1);
	assert_int_equal(p->n_full, p->n_jobs);
	assert_string_equal(p->jobs[6].title,
			    "minimal -> minimal reboot, debian-7.2.9-cloud, max-2G-lpa2=on");
	assert_int_equal(p->n_warnings, 0);
}

static void explicit_lists_keep_their_order(void **state)
{
	static const char *const ends[] = {
		"desktop -> desktop kexec (live tree)",
		"desktop -> no-graphics kexec",
		"minimal -> no-graphics kexec",
		"no-graphics -> desktop kexec",
		"desktop -> minimal kexec",
		"minimal -> no-graphics kexec",
		"no-graphics -> desktop kexec",
	};
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = NULL;
	size_t i, k;

	assert_int_equal(plan_load("cases/seven-jumps.yaml", &paths, &diag, &p), 0);
	assert_int_equal(p->n_jobs, ARRAY_SIZE(ends));
	for (i = 0; i < p->n_jobs; i++) {
		assert_memory_equal(p->jobs[i].title, ends[i], strlen(ends[i]));
		assert_int_equal(p->jobs[i].machine->lpa2, LPA2_OFF);
		for (k = 0; k < i; k++)
			assert_string_not_equal(p->jobs[i].id, p->jobs[k].id);
	}
	assert_non_null(strstr(p->jobs[5].title, ", #2"));
}

static void machines_are_crossed(void **state)
{
	static const char *const names[] = {
		"max-2G",
		"max-2G-el2",
		"max,sve=off-2G",
		"max,sve=off-2G-el2",
		"max-64G",
		"max-64G-el2",
		"max,sve=off-64G",
		"max,sve=off-64G-el2",
		"x-cortex-a72-2G-4cpu",
		"y-max-2G",
		"y-max-2G-gic3",
	};
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) =
		load("a.yaml",
		     "name: m\n"
		     "machines:\n"
		     "  - {board: [qemu-virt], ram: [2G, 64G], cpu: [max, 'max,sve=off'], "
		     "el2: [off, on]}\n"
		     "  - {name: x, board: qemu-virt, ram: 2G, cpu: cortex-a72, cpus: 4}\n"
		     "  - {name: y, board: qemu-virt, ram: 2G, gic: [2, 3]}\n"
		     "kernels: [debian-7.2.6-cloud]\n"
		     "from: [minimal]\nto: [minimal]\njumps: [cold]\n",
		     &diag);
	size_t i;

	diag_print(&diag, stderr);
	assert_int_equal(diag.n, 0);
	assert_int_equal(p->n_machines, ARRAY_SIZE(names));
	for (i = 0; i < p->n_machines; i++)
		assert_string_equal(p->machines[i].name, names[i]);
	assert_true(p->jobs[4].limits.boot_ms > p->jobs[0].limits.boot_ms);
}

static void limits_are_in_seconds(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) =
		load("a.yaml", CROSS "jumps: [cold]\nlimits: {boot: 7, silence: 3}\n", &diag);

	assert_int_equal(p->jobs[0].limits.boot_ms, 7000);
	assert_int_equal(p->jobs[0].limits.silence_ms, 3000);
	assert_true(p->jobs[0].limits.jump_ms > 7000);
}

/* Each mistake, and where it must be reported. */
static void mistakes_have_positions(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, col;
		const char *part;
	} cases[] = {
		{"name: [\n", 2, 1, "not YAML"},
		{"", 1, 1, "empty"},
		{"- a\n", 1, 1, "a map of keys"},
		{CROSS "jumps: [kexce]\n", 6, 9, "did you mean 'kexec'"},
		{CROSS "jumps: [kexec]\nselekt: all\n", 7, 1, "did you mean 'select'"},
		{CROSS "jumps: [kexec]\nfrom: [desktop]\n", 7, 1, "duplicate key 'from'"},
		{CROSS "jumps: [kexec]\nrepeat: 0\n", 7, 9, "expected 1 to 10000"},
		{CROSS "jumps: [kexec]\nrepeat: 12junk\n", 7, 9, "not a whole number"},
		{CROSS "jumps: [kexec]\nlimits: {boot: x}\n", 7, 16, "not a whole number"},
		{CROSS "jumps: [kexec]\nexclude: [{jump: cold}]\n", 7, 11, "matches no job"},
		{CROSS "jumps: [kexec]\nexclude: [{kind: cold}]\n", 7, 12, "unknown key 'kind'"},
		{CROSS "jumps: &x [kexec]\ndt: *x\n", 7, 5, "aliases"},
		{HEAD "from: [minimal]\nto: [minimul]\njumps: [kexec]\n", 5, 6,
		 "no profile 'minimul'"},
		{HEAD "jumps: [{from: minimal, to: no-graphics, jump: pivot}]\n", 4, 9,
		 "cannot be"},
		{HEAD "jumps: [{from: minimal, jump: kexec}]\n", 4, 9, "'to' is missing"},
		{"name: t\nkernels: [debian-7.2.6-clowd]\nmachines: []\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 2, 11, "did you mean 'debian-7.2.6-cloud'"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 2X}]\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 3, 36, "'2X' is not a size"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 1M}]\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 3, 36, "64M to 4T"},
		{"name: t\nkernels: []\nmachines: [{board: nowhere, ram: 2G}]\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 3, 20, "no board 'nowhere'"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 2G, cpu: cortex-a72, "
		 "lpa2: "
		 "off}]\nfrom: [minimal]\nto: [minimal]\njumps: [kexec]\n",
		 3, 63, "only for cpu max"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 2G}]\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 2, 10, "an empty list"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 2G, cpus: 9}]\n"
		 "from: [minimal]\nto: [minimal]\njumps: [kexec]\n",
		 3, 12, "at most 8 CPUs"},
		{CROSS "jumps: [kexec]\nexclude: [{to: '*'}]\n", 1, 1, "no job is left"},
		{CROSS "jumps: [pivot]\ninclude: [{jump: pivot, to: no-graphics}]\n", 7, 11,
		 "adds no job: a pivot keeps"},
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;
		struct plan *p __free(plan) = load("bad.yaml", cases[i].text, &diag);
		bool found = false;

		assert_null(p);
		for (k = 0; k < diag.n; k++) {
			const struct diag_message *m = &diag.messages[k];

			found |= m->line == cases[i].line && m->col == cases[i].col &&
				 strstr(m->text, cases[i].part);
		}
		if (!found) {
			diag_print(&diag, stderr);
			fail_msg("case %zu: expected %u:%u: ...%s...", i, cases[i].line,
				 cases[i].col, cases[i].part);
		}
	}
}

static const char wrong_case[] = "name: t\n"
				 "machines:\n"
				 "  - {board: qemu-virt, ram: [2X, 1M], cpu: mux, lpa2: maybe}\n"
				 "  - {board: qemu-vurt, ram: 2G}\n"
				 "  - {board: qemu-virt, ram: 2G, cpu: cortex-a72, lpa2: on}\n"
				 "  - {board: qemu-virt, ram: 2G}\n"
				 "  - {board: qemu-virt, ram: 2G, cpus: 99}\n"
				 "  - {board: qemu-virt, ram: 2G, mem: 4G}\n"
				 "kernels: [good, gone, god]\n"
				 "from: [ok, wrong, tree, fit]\n"
				 "to: [okk, o*]\n"
				 "jumps: [kexce]\n"
				 "dt: lve\n"
				 "repeat: 0\n"
				 "limits: {boot: x, lod: 3}\n"
				 "select: pairwize\n"
				 "exclude: [{jumpp: kexec}, {to: nope}]\n"
				 "include: [{}, 3]\n"
				 "kexec-checks: perhaps\n"
				 "wrong: 1\n";

/* What must be said about it, where DIR is the directory. */
static const char all_wrong[] =
	"DIR/k.yaml:4:3: kernel 'gone': image 'DIR/nowhere/Image' does not exist\n"
	"DIR/profiles/tree.conf:2:12: devicetree '/other.dtb': expected /base.dtb, which stands "
	"for the machine's own tree\n"
	"DIR/profiles/tree.conf:3:20: overlay '/a.dtbo': there is no 'DIR/dt/a.dtso' to make it "
	"of\n"
	"DIR/profiles/tree.conf:3:28: overlay '/b.txt': expected a name that ends in .dtbo\n"
	"DIR/profiles/wrong.conf:1:1: 'linux' has no value, expected \"key value\"\n"
	"DIR/profiles/wrong.conf:3:17: 'x-kjump-display' is 'perhaps', expected yes, no or dark\n"
	"DIR/wrong.yaml:3:30: '2X' is not a size, expected e.g. 2G or 512M\n"
	"DIR/wrong.yaml:3:34: board 'qemu-virt' has 64M to 4T of RAM, not 1M\n"
	"DIR/wrong.yaml:3:44: 'mux' is not known, did you mean 'max'?\n"
	"DIR/wrong.yaml:3:55: 'maybe' is not known, expected one of: off, on, false, true, no, "
	"yes\n"
	"DIR/wrong.yaml:4:13: no board 'qemu-vurt' in 'board'\n"
	"DIR/wrong.yaml:5:56: lpa2 can be chosen only for cpu max, not for cortex-a72\n"
	"DIR/wrong.yaml:7:39: '99' is not a whole number, expected 1 to 16\n"
	"DIR/wrong.yaml:8:5: machine 'max-2G' is listed twice\n"
	"DIR/wrong.yaml:8:33: unknown key 'mem', did you mean 'ram'?\n"
	"DIR/wrong.yaml:9:23: no kernel 'god' in 'DIR/k.yaml', did you mean 'good'?\n"
	"DIR/wrong.yaml:10:25: cannot jump there: profile 'fit': 'fit' and no 'linux' line: only "
	"U-Boot can boot it\n"
	"DIR/wrong.yaml:11:6: no profile 'okk' in 'DIR/profiles', did you mean 'ok'?\n"
	"DIR/wrong.yaml:11:11: 'o*' is a pattern, expected a name\n"
	"DIR/wrong.yaml:12:9: 'kexce' is not known, did you mean 'kexec'?\n"
	"DIR/wrong.yaml:13:5: 'lve' is not known, did you mean 'live'?\n"
	"DIR/wrong.yaml:14:9: '0' is not a whole number, expected 1 to 10000\n"
	"DIR/wrong.yaml:15:16: 'x' is not a whole number, expected 1 to 86400\n"
	"DIR/wrong.yaml:15:19: unknown key 'lod', did you mean 'load'?\n"
	"DIR/wrong.yaml:16:9: 'pairwize' is not known, did you mean 'pairwise'?\n"
	"DIR/wrong.yaml:17:12: unknown key 'jumpp', did you mean 'jump'?\n"
	"DIR/wrong.yaml:17:32: no profile 'nope' in 'DIR/profiles'\n"
	"DIR/wrong.yaml:18:11: an empty block matches everything: name a key\n"
	"DIR/wrong.yaml:18:15: an include block is a single value, expected a map of keys\n"
	"DIR/wrong.yaml:19:15: 'perhaps' is not known, expected one of: off, on, false, true, no, "
	"yes\n"
	"DIR/wrong.yaml:20:1: unknown key 'wrong', expected one of: name, description, machines, "
	"kernels, to-kernels, from, to, jumps, dt, repeat, select, include, exclude, limits, "
	"kexec-checks, inject, watch, check, on-finding\n";

/* @text with the directory's name in place of "DIR"; *returned*. */
static char *in_dir(const char *text)
{
	struct buf b = BUF_INIT;
	const char *at;

	while ((at = strstr(text, "DIR"))) {
		buf_add(&b, text, (size_t)(at - text));
		buf_adds(&b, dir);
		text = at + 3;
	}
	buf_adds(&b, text);
	return buf_steal(&b);
}

/* A project whose every file is wrong in several ways. */
static void all_mistakes_in_one_go(void **state)
{
	char *kernels __free(str) = file_join(dir, "k.yaml");
	char *profiles __free(str) = file_join(dir, "profiles");
	char *path __free(str) = file_join(dir, "wrong.yaml");
	char *expected __free(str) = in_dir(all_wrong);
	const struct plan_paths own = {.kernels = kernels, .profiles = profiles, .boards = "board"};
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = NULL;
	char *shown = NULL;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	assert_int_equal(file_mkdir(profiles, 0755, NULL), 0);
	write_file("k.yaml", "userland: {suite: trixie}\nkernels:\n"
			     "  good: {source: debian, suite: trixie, version: 6.12}\n"
			     "  gone: {source: file, image: nowhere/Image}\n");
	write_file("profiles/ok.conf", "linux /l\n");
	write_file("profiles/wrong.conf", "linux\nlinux /l\nx-kjump-display perhaps\n");
	write_file("profiles/tree.conf", "linux /l\ndevicetree /other.dtb\n"
					 "devicetree-overlay /a.dtbo /b.txt\n");
	write_file("profiles/fit+3.conf", "fit /l\n");
	write_file("wrong.yaml", wrong_case);
	plan_load(path, &own, &diag, &p);
	assert_null(p);
	diag_print(&diag, out);
	fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
}

/* {kernel: NAME, series: each} stands for every length of its series. */
static void a_series_is_crossed(void **state)
{
	static const char body[] = "name: s\nmachines: [{board: qemu-virt, ram: 2G}]\n"
				   "from: [plain]\nto: [plain]\njumps: [cold]\n";
	char *kernels __free(str) = file_join(dir, "k.yaml");
	char *path __free(str) = file_join(dir, "s.yaml");
	const struct plan_paths own = {kernels, dir, paths.boards};
	struct diag diag __free_diag = DIAG_INIT, bad __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = NULL, *q __free(plan) = NULL;
	char *text __free(str) = xasprintf("%skernels:\n  - {kernel: k, series: each}\n", body);
	char *wrong __free(str) = xasprintf("%skernels:\n  - {kernel: d, series: each}\n"
					    "  - {kernel: k, series: all}\n",
					    body);

	write_reversed_profile("plain.conf");
	write_file("a.patch", "");
	write_file("linux.tar", "");
	write_file("c.fragment", "");
	write_file("k.yaml", "userland: {suite: trixie}\nkernels:\n"
			     "  k: {source: tarball, path: linux.tar, config: ./c.fragment, "
			     "patches: [a.patch, ./a.patch]}\n"
			     "  d: {source: debian, suite: sid, version: \"7\"}\n");
	write_file("s.yaml", text);
	plan_load(path, &own, &diag, &p);
	diag_print(&diag, stderr);
	assert_non_null(p);
	assert_int_equal(p->n_jobs, 3);
	assert_string_equal(p->jobs[0].from_kernel->name, "k+0");
	assert_string_equal(p->jobs[1].from_kernel->name, "k+1");
	assert_string_equal(p->jobs[2].from_kernel->name, "k");
	write_file("s.yaml", wrong);
	plan_load(path, &own, &bad, &q);
	assert_null(q);
	assert_int_equal(bad.n, 2);
	assert_int_equal(bad.messages[0].line, 7);
	assert_int_equal(bad.messages[0].col, 14);
	assert_int_equal(bad.messages[1].line, 8);
	assert_int_equal(bad.messages[1].col, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_series_is_crossed),
		cmocka_unit_test(crosses_axes),
		cmocka_unit_test(leaves_out_what_cannot_be),
		cmocka_unit_test(ids_depend_on_content_only),
		cmocka_unit_test(ids_differ_where_content_does),
		cmocka_unit_test(the_digest_covers_what_was_read),
		cmocka_unit_test(filters),
		cmocka_unit_test(includes_and_excludes),
		cmocka_unit_test(explicit_lists_keep_their_order),
		cmocka_unit_test(machines_are_crossed),
		cmocka_unit_test(limits_are_in_seconds),
		cmocka_unit_test(mistakes_have_positions),
		cmocka_unit_test(all_mistakes_in_one_go),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
