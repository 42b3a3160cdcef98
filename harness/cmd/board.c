// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board.c - `kjump board`: what is plugged in on this bench, and what answers.
 */
#include <getopt.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "cmd/boards.h"
#include "cmd/cmd.h"
#include "machine/board_power.h"
#include "machine/console/console_place.h"
#include "plan/board.h"

static const char usage_text[] =
	"usage: kjump board list [--json]\n"
	"       kjump board check [PLACE]\n"
	"       kjump board power PLACE [ROLE] on|off\n"
	"\n"
	"list shows the places of this bench. check reads the files of their boards and\n"
	"tells what is plugged in and which relays answer; it switches nothing. power\n"
	"switches one relay; ROLE is power (the default), reset or maskrom.\n"
	"\n"
	"  --lab FILE        what is plugged in where (default: board/lab/HOST.yaml)\n"
	"  --results DIR     where the leases are (default: results)\n"
	"  --json            one JSON document on stdout\n";

struct board_cmd {
	const char *lab_path, *results;
	bool json;
	struct paths *paths;
	struct lab *lab;
};

static void board_cmd_fini(struct board_cmd *c)
{
	lab_free(c->lab);
	paths_free(c->paths);
}

static int usage(FILE *out)
{
	fputs(usage_text, out);
	return out == stdout ? EXIT_EXPECTED : EXIT_USAGE;
}

static enum exit_status begin(struct board_cmd *c)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = NULL;

	if (paths_find(&c->paths, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	path = boards_lab_path(c->paths, c->lab_path);
	if (!lab_load(path, &diag, &c->lab))
		return EXIT_EXPECTED;
	diag_print(&diag, stderr);
	return EXIT_USAGE;
}

static const struct lab_place *find_place(const struct board_cmd *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->lab->n; i++) {
		if (!strcmp(c->lab->places[i].name, name))
			return &c->lab->places[i];
	}
	log_error("no place '%s' in '%s'", name, c->lab->doc->file);
	return NULL;
}

static enum exit_status board_list(struct board_cmd *c)
{
	struct json *doc __free(json) = json_new_object();
	struct json *places = json_new_array();
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	json_set(doc, "places", places);
	for (i = 0; i < c->lab->n; i++) {
		struct json *o = json_new_object();

		json_set_str(o, "name", c->lab->places[i].name);
		json_set_str(o, "board", c->lab->places[i].board);
		json_push(places, o);
		if (!c->json)
			printf("%-16s %s\n", c->lab->places[i].name, c->lab->places[i].board);
	}
	if (c->json) {
		json_print(doc, true, &text);
		puts(text.data);
	}
	return EXIT_EXPECTED;
}

static bool check_board(const struct board_cmd *c, const struct lab_place *p)
{
	char *path __free(str) = xasprintf("%s/%s.yaml", c->paths->boards, p->board);
	struct diag diag __free_diag = DIAG_INIT;
	struct board *board __free(board) = NULL;
	int rc = board_load(path, p->board, &diag, &board);

	diag_print(&diag, stderr);
	if (rc || !board->hardware) {
		printf("  board     '%s' is no real board\n", p->board);
		return false;
	}
	printf("  board     %s, %u baud\n", p->board, board->hardware->baud);
	return true;
}

static bool check_console(const struct lab_place *p)
{
	struct console_place console __cleanup(console_place_fini) = {.kind = CONSOLE_TTY};
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = NULL;

	if (!console_place_read(&console, p->console, &diag)) {
		diag_print(&diag, stderr);
		return false;
	}
	if (console.kind != CONSOLE_TTY) {
		printf("  console   on the network\n");
		return true;
	}
	if (tty_find(&console.tty, NULL, &path, &e)) {
		printf("  console   %s\n", err_msg(&e));
		return false;
	}
	printf("  console   %s\n", path);
	return true;
}

static bool check_role(const struct lab_place *p, enum lab_role role)
{
	enum power_state state = POWER_UNKNOWN;
	struct err e __free_err = ERR_INIT;
	int rc;

	if (!p->roles[role])
		return true;
	rc = board_power_ask(p, role, &state, &e);
	printf("  %-9s %s\n", lab_role_name(role),
	       rc			? err_msg(&e)
	       : state == POWER_UNKNOWN ? "cannot tell (which is not off)"
					: power_state_name(state));
	return !rc;
}

static bool check_files(const struct lab_place *p)
{
	bool tree = file_exists(p->devicetree), tftp = file_exists(p->tftp_directory);

	printf("  tree      %s%s\n", p->devicetree, tree ? "" : " does not exist");
	printf("  tftp      %s%s\n", p->tftp_directory, tftp ? "" : " does not exist");
	return tree && tftp;
}

static bool check_place(const struct board_cmd *c, const struct lab_place *p)
{
	bool good;
	int role;

	printf("%s\n", p->name);
	good = check_board(c, p);
	good = check_console(p) && good;
	for (role = 0; role < LAB_N_ROLES; role++)
		good = check_role(p, (enum lab_role)role) && good;
	return check_files(p) && good;
}

static enum exit_status board_check(struct board_cmd *c, const char *name)
{
	const struct lab_place *p = name ? find_place(c, name) : NULL;
	bool good = true;
	size_t i;

	if (name && !p)
		return EXIT_USAGE;
	for (i = 0; i < c->lab->n; i++) {
		if (!p || p == &c->lab->places[i])
			good = check_place(c, &c->lab->places[i]) && good;
	}
	return good ? EXIT_EXPECTED : EXIT_INFRA;
}

static enum exit_status switch_leased(struct board_cmd *c, const struct lab_place *p,
				      enum lab_role role, bool on)
{
	const char *results = c->results ? c->results : c->paths->results;
	struct lease lease __cleanup(lease_give) = LEASE_INIT;
	struct err e __free_err = ERR_INIT;
	char *dead __free(str) = NULL;
	int rc = lease_take(&lease, results, p->name, false, &dead, &e);

	if (!rc)
		rc = board_power_switch(p, role, on, &e);
	if (rc)
		log_error("%s", err_msg(&e));
	return rc ? EXIT_INFRA : EXIT_EXPECTED;
}

static enum exit_status board_power(struct board_cmd *c, char **words, int n)
{
	const struct lab_place *p = find_place(c, words[0]);
	int role = LAB_POWER;

	if (!p)
		return EXIT_USAGE;
	for (role = 0; n == 3 && role < LAB_N_ROLES; role++) {
		if (!strcmp(words[1], lab_role_name((enum lab_role)role)))
			break;
	}
	if (role == LAB_N_ROLES || (strcmp(words[n - 1], "on") && strcmp(words[n - 1], "off")))
		return usage(stderr);
	return switch_leased(c, p, (enum lab_role)role, !strcmp(words[n - 1], "on"));
}

static int dispatch(struct board_cmd *c, char **words, int n)
{
	enum exit_status status;

	if (!n)
		return usage(stderr);
	status = begin(c);
	if (status != EXIT_EXPECTED)
		return status;
	if (!strcmp(words[0], "list") && n == 1)
		return board_list(c);
	if (!strcmp(words[0], "check") && n <= 2)
		return board_check(c, words[1]);
	if (!strcmp(words[0], "power") && (n == 3 || n == 4))
		return board_power(c, words + 1, n - 1);
	return usage(stderr);
}

int cmd_board(int argc, char **argv)
{
	static const struct option longs[] = {{"json", no_argument, NULL, 'J'},
					      {"lab", required_argument, NULL, 'l'},
					      {"results", required_argument, NULL, 'r'},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	struct board_cmd cmd __cleanup(board_cmd_fini) = {.json = false};
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == 'J')
			cmd.json = true;
		else if (c == 'l')
			cmd.lab_path = optarg;
		else if (c == 'r')
			cmd.results = optarg;
		else
			return usage(c == 'h' ? stdout : stderr);
	}
	return dispatch(&cmd, argv + optind, argc - optind);
}
