// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorded attempts of cases/corpus.yaml, of which it is known what went
 * wrong because it was put in (corpus-truth.tsv): how often the judge is right,
 * with all the evidence and with the console alone. doc/judge.md has the table;
 * KJUMP_JUDGE_TABLE=FILE writes it there anew (make judge-table).
 */
#include "test/judge/attempt.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fnmatch.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/evidence.h"

#define TRUTH_PATH   "harness/test/judge/corpus-truth.tsv"
#define CORPUS_PATH  "harness/test/judge/corpus.tar.xz"
#define DOC_PATH     "doc/judge.md"
#define TABLE_BEGIN  "<!-- made by make judge-table -->\n"
#define TABLE_END    "<!-- end -->\n"
#define CONSOLE_MAX  (16 << 20)
#define ATTEMPTS_MIN 60

/* With which evidence it was judged. */
enum view { VIEW_ALL, VIEW_CONSOLE, N_VIEWS };

struct truth {
	char *from, *to, *jump, *outcome[N_VIEWS];
};

struct tally {
	unsigned int is[N_OUTCOMES], said[N_OUTCOMES], right[N_OUTCOMES];
};

struct corpus {
	char *dir;	 /* unpacked */
	struct buf text; /* of the truth */
	struct truth *truths;
	size_t n_truths, n_attempts;
	struct tally tally[N_VIEWS];
	struct buf wrong; /* the attempts that the judge gets wrong, one a line */
};

/* --- the archive ----------------------------------------------------------- */

static void unpack_entry(struct archive *a, struct archive_entry *entry, const char *dir)
{
	char *path __free(str) = file_join(dir, archive_entry_pathname(entry));

	archive_entry_set_pathname(entry, path);
	assert_int_equal(archive_read_extract(a, entry,
					      ARCHIVE_EXTRACT_SECURE_SYMLINKS |
						      ARCHIVE_EXTRACT_SECURE_NODOTDOT),
			 ARCHIVE_OK);
}

static void unpack(const char *dir)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_filter_xz(a);
	archive_read_support_format_tar(a);
	assert_int_equal(archive_read_open_filename(a, CORPUS_PATH, 65536), ARCHIVE_OK);
	while (archive_read_next_header(a, &entry) == ARCHIVE_OK)
		unpack_entry(a, entry, dir);
	archive_read_free(a);
}

/* --- the truth --------------------------------------------------------------- */

static void read_truths(struct corpus *c)
{
	char *rest, *line;

	assert_int_equal(file_read(TRUTH_PATH, 1 << 20, &c->text, NULL), 0);
	for (rest = c->text.data; (line = strsep(&rest, "\n")) && *line;) {
		struct truth *t;

		if (*line == '#')
			continue;
		t = array_push(c->truths, c->n_truths);
		t->from = strsep(&line, "\t");
		t->to = strsep(&line, "\t");
		t->jump = strsep(&line, "\t");
		t->outcome[VIEW_ALL] = strsep(&line, "\t");
		t->outcome[VIEW_CONSOLE] = strsep(&line, "\t");
		assert_non_null(t->outcome[VIEW_CONSOLE]);
	}
}

/* @name: FROM,TO,JUMP,KERNEL, as the recorder names the folder of an attempt. */
static const struct truth *find_truth(const struct corpus *c, const char *name, char **ret_jump)
{
	char *copy __free(str) = xstrdup(name), *rest = copy;
	const char *from = strsep(&rest, ","), *to = strsep(&rest, ","), *jump = strsep(&rest, ",");
	size_t i;

	assert_non_null(jump);
	*ret_jump = xstrdup(jump);
	for (i = 0; i < c->n_truths; i++) {
		const struct truth *t = &c->truths[i];

		if (!fnmatch(t->from, from, 0) && !fnmatch(t->to, to, 0) &&
		    !fnmatch(t->jump, jump, 0))
			return t;
	}
	fail_msg("%s: corpus-truth.tsv does not say what it is", name);
	return NULL;
}

/* --- judging ------------------------------------------------------------------ */

static int feed(const struct event *ev, void *arg)
{
	judge_feed(arg, ev);
	return 0;
}

static struct verdict *judge_all(const char *dir, enum jump_kind kind)
{
	struct story s;
	size_t skipped;

	story_new(&s, false, kind);
	assert_int_equal(evidence_replay(dir, feed, s.judge, &skipped, NULL), 0);
	return ends(&s);
}

static struct verdict *judge_console(const char *dir)
{
	char *path __free(str) = file_join(dir, "console.log");
	struct buf bytes __free_buf = BUF_INIT;
	struct story s;

	assert_int_equal(file_read(path, CONSOLE_MAX, &bytes, NULL), 0);
	story_new(&s, true, JUMP_COLD);
	says_bytes(&s, bytes.data, bytes.len);
	return ends(&s);
}

static void count(struct corpus *c, enum view view, const char *name, const char *truth,
		  const struct verdict *v)
{
	static const char *const views[] = {[VIEW_ALL] = "all", [VIEW_CONSOLE] = "console"};
	struct tally *t = &c->tally[view];
	enum outcome is;

	assert_int_equal(outcome_parse(truth, &is), 0);
	t->is[is]++;
	t->said[v->outcome]++;
	t->right[is] += is == v->outcome;
	if (is != v->outcome)
		buf_addf(&c->wrong, "%s (%s): is %s, judged %s, %s\n", name, views[view], truth,
			 outcome_name(v->outcome), v->signature ? v->signature : "no title");
}

static void judge_attempt(struct corpus *c, const char *name)
{
	char *dir __free(str) = file_join(c->dir, name), *jump __free(str) = NULL;
	const struct truth *truth = find_truth(c, name, &jump);
	struct verdict *all __free(verdict) = NULL, *console __free(verdict) = NULL;
	enum jump_kind kind;

	assert_int_equal(jump_kind_parse(jump, &kind), 0);
	all = judge_all(dir, kind);
	console = judge_console(dir);
	count(c, VIEW_ALL, name, truth->outcome[VIEW_ALL], all);
	count(c, VIEW_CONSOLE, name, truth->outcome[VIEW_CONSOLE], console);
	c->n_attempts++;
}

static int is_attempt(const struct dirent *d)
{
	return *d->d_name != '.';
}

static void judge_corpus(struct corpus *c)
{
	struct dirent **names;
	int i, n = scandir(c->dir, &names, is_attempt, alphasort);

	assert_true(n > 0);
	for (i = 0; i < n; i++) {
		judge_attempt(c, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* --- the table ----------------------------------------------------------------- */

static void add_share(struct buf *b, unsigned int part, unsigned int whole)
{
	if (whole)
		buf_addf(b, " %u/%u |", part, whole);
	else
		buf_adds(b, " - |");
}

static void make_table(const struct corpus *c, struct buf *b)
{
	enum outcome o;
	int v;

	buf_addf(b,
		 "%zu recorded attempts. Precision: how many of those judged so are so; recall:\n"
		 "how many of those that are so were judged so.\n\n"
		 "| outcome | precision | recall | console alone: precision | recall |\n"
		 "|---|---|---|---|---|\n",
		 c->n_attempts);
	for (o = 0; o < N_OUTCOMES; o++) {
		if (!c->tally[VIEW_ALL].is[o] && !c->tally[VIEW_CONSOLE].is[o] &&
		    !c->tally[VIEW_ALL].said[o] && !c->tally[VIEW_CONSOLE].said[o])
			continue;
		buf_addf(b, "| %s |", outcome_name(o));
		for (v = 0; v < N_VIEWS; v++) {
			const struct tally *t = &c->tally[v];

			add_share(b, t->right[o], t->said[o]);
			add_share(b, t->right[o], t->is[o]);
		}
		buf_addch(b, '\n');
	}
	if (c->wrong.len)
		buf_addf(b, "\nJudged otherwise than what was put in:\n\n```\n%s```\n",
			 c->wrong.data);
}

static void write_table(const char *path, const struct buf *doc, size_t begin, size_t end,
			const struct buf *table)
{
	struct buf made __free_buf = BUF_INIT;

	buf_add(&made, doc->data, begin);
	buf_add(&made, table->data, table->len);
	buf_adds(&made, doc->data + end);
	assert_int_equal(file_write(path, made.data, made.len, NULL), 0);
}

static size_t count_lines(const struct buf *b)
{
	size_t i, n = 0;

	for (i = 0; i < b->len; i++)
		n += b->data[i] == '\n';
	return n;
}

static void the_table_in_the_guide_is_what_comes_out(void **state)
{
	const char *to = getenv("KJUMP_JUDGE_TABLE");
	struct buf doc __free_buf = BUF_INIT, table __free_buf = BUF_INIT;
	char template[] = "/tmp/kjump-corpus-XXXXXX";
	struct corpus c = {.dir = template};
	char *begin, *end;

	buf_init(&c.text);
	buf_init(&c.wrong);
	assert_non_null(mkdtemp(template));
	unpack(c.dir);
	read_truths(&c);
	judge_corpus(&c);
	assert_int_equal(file_remove_tree(c.dir, NULL), 0);
	make_table(&c, &table);

	assert_int_equal(file_read(DOC_PATH, 1 << 20, &doc, NULL), 0);
	begin = strstr(doc.data, TABLE_BEGIN);
	assert_non_null(begin);
	begin += strlen(TABLE_BEGIN);
	end = strstr(begin, TABLE_END);
	assert_non_null(end);
	if (to)
		write_table(to, &doc, (size_t)(begin - doc.data), (size_t)(end - doc.data), &table);
	else if ((size_t)(end - begin) != table.len || memcmp(begin, table.data, table.len))
		fail_msg("doc/judge.md is not what comes out now:\n%s", table.data);
	printf("corpus: %zu attempts, of which %zu judgements differ\n", c.n_attempts,
	       count_lines(&c.wrong));
	assert_true(c.n_attempts >= ATTEMPTS_MIN);
	free(c.truths);
	buf_fini(&c.text);
	buf_fini(&c.wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_in_the_guide_is_what_comes_out),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
