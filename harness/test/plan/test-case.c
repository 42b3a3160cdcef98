// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "plan/axes.h"

static const struct plan_paths paths = {
	.kernels = "images/kernels.yaml",
	.profiles = "images/profiles",
	.boards = "board",
};

static char *dir;

static int make_dir(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";

	dir = xstrdup(mkdtemp(template));
	return 0;
}

static int drop_dir(void **state)
{
	int rc = file_remove_tree(dir, NULL);

	free(dir);
	return rc;
}

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

static void leaves_out_impossible_pivots(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml", CROSS "jumps: [pivot]\n", &diag);
	size_t i;

	assert_int_equal(p->n_jobs, 4); /* to no-graphics would need another tree */
	for (i = 0; i < p->n_jobs; i++)
		assert_string_equal(p->jobs[i].to->id, "minimal");
	assert_int_equal(p->n_warnings, 1);
}

static void ids_depend_on_content_only(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("a.yaml", CROSS "jumps: [kexec, cold]\n", &diag);
	struct plan *q __free(plan) =
		load("renamed.yaml", "# other order\n" CROSS "jumps: [cold, kexec]\n", &diag);
	size_t i, k, same = 0;

	for (i = 0; i < p->n_jobs; i++) {
		for (k = 0; k < q->n_jobs; k++)
			same += !strcmp(p->jobs[i].id, q->jobs[k].id);
	}
	assert_int_equal(same, p->n_jobs);
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
		     CROSS "jumps: [kexec]\n"
			   "exclude: [{machine: '*lpa2=on', kernel: debian-6*}]\n"
			   "include: [{jump: reboot, to: minimal, kernel: "
			   "debian-6.1-cloud}]\n",
		     &diag);

	assert_int_equal(diag.n, 0);
	assert_int_equal(p->n_jobs, 8 - 2 + 2);
}

static void explicit_lists_keep_their_order(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = NULL;

	assert_int_equal(plan_load("cases/seven-jumps.yaml", &paths, &diag, &p), 0);
	assert_int_equal(p->n_jobs, 5); /* two of the seven are listed twice */
	assert_int_equal(p->jobs[0].dt, DT_LIVE);
	assert_string_equal(p->jobs[1].to->id, "no-graphics");
	assert_int_equal(p->jobs[2].repeat, 2);
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
		 3, 12, "only for cpu max"},
		{"name: t\nkernels: []\nmachines: [{board: qemu-virt, ram: 2G}]\nfrom: [minimal]\n"
		 "to: [minimal]\njumps: [kexec]\n",
		 1, 1, "no job is left"},
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

static void all_mistakes_in_one_go(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load("bad.yaml",
					   "name: t\n"
					   "machines: [{board: qemu-virt, ram: 2X, cpu: mux}]\n"
					   "kernels: [nope]\n"
					   "from: [nope]\n"
					   "to: [minimal]\n"
					   "jumps: [jump]\n"
					   "wrong: 1\n",
					   &diag);

	assert_null(p);
	assert_int_equal(diag.n, 6);
}

static bool has_pair(const struct points *points, unsigned int i, unsigned int vi, unsigned int j,
		     unsigned int vj)
{
	size_t k;

	for (k = 0; k < points->n; k++) {
		if (points->p[k].at[i] == vi && points->p[k].at[j] == vj)
			return true;
	}
	return false;
}

/* Whatever the sizes and whatever is left out: no possible pair is lost. */
static void pairwise_covers_every_pair(void **state)
{
	unsigned int seed, i, j, vi, vj;
	size_t k, out;

	for (seed = 1; seed <= 30; seed++) {
		struct axes a = {0};
		struct points all = {0}, kept = {0};
		struct axis_value values[8] = {0};

		srand(seed);
		for (i = 0; i < N_AXES; i++) {
			a.axis[i].v = values;
			a.axis[i].n = 1 + (size_t)rand() % 4;
		}
		axes_cross(&a, &all);
		for (k = 0, out = 0; k < all.n; k++) {
			if (rand() % 4)
				all.p[out++] = all.p[k];
		}
		all.n = out;
		kept.n = all.n;
		kept.p = xcalloc(all.n, sizeof(*kept.p));
		memcpy(kept.p, all.p, all.n * sizeof(*kept.p));
		if (all.n)
			axes_pairwise(&a, &kept);
		for (i = 0; i < N_AXES; i++) {
			for (j = i + 1; j < N_AXES; j++) {
				for (vi = 0; vi < a.axis[i].n; vi++) {
					for (vj = 0; vj < a.axis[j].n; vj++)
						assert_int_equal(has_pair(&all, i, vi, j, vj),
								 has_pair(&kept, i, vi, j, vj));
				}
			}
		}
		assert_true(kept.n <= all.n);
		free(all.p);
		free(kept.p);
	}
}

static void pairwise_saves_jobs(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = NULL;

	assert_int_equal(plan_load("cases/demo.yaml", &paths, &diag, &p), 0);
	assert_true(p->n_jobs < p->n_full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crosses_axes),
		cmocka_unit_test(leaves_out_impossible_pivots),
		cmocka_unit_test(ids_depend_on_content_only),
		cmocka_unit_test(filters),
		cmocka_unit_test(includes_and_excludes),
		cmocka_unit_test(explicit_lists_keep_their_order),
		cmocka_unit_test(mistakes_have_positions),
		cmocka_unit_test(all_mistakes_in_one_go),
		cmocka_unit_test(pairwise_covers_every_pair),
		cmocka_unit_test(pairwise_saves_jobs),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
