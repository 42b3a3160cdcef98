-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The current schema of results/kjump.db. Whoever changes it raises
-- SCHEMA_VERSION in schema.c and adds migrations/N-to-N+1.sql.
-- Times are in milliseconds; NULL means not seen.

CREATE TABLE run (
	n INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	case_name TEXT NOT NULL,
	case_path TEXT NOT NULL,
	case_digest TEXT NOT NULL,
	started TEXT NOT NULL,			-- UTC, as is finished
	finished TEXT,
	host TEXT,
	kjump_version TEXT,
	qemu_version TEXT,
	time_factor REAL NOT NULL,
	jobs_at_once INTEGER NOT NULL,
	writer_pid INTEGER,			-- who writes it now or wrote it last
	writer_host TEXT
) STRICT;

CREATE TABLE kernel (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	name TEXT NOT NULL,
	release TEXT,				-- known once it was fetched, as the rest
	provenance TEXT,
	digest TEXT,
	PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
	n INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	seq INTEGER NOT NULL,			-- place in the plan
	id TEXT NOT NULL,
	title TEXT NOT NULL,
	from_profile TEXT NOT NULL,
	to_profile TEXT NOT NULL,
	kind TEXT NOT NULL,
	dt TEXT NOT NULL,
	kexec_checks INTEGER NOT NULL,
	from_kernel TEXT NOT NULL,
	to_kernel TEXT NOT NULL,
	machine TEXT NOT NULL,
	board TEXT NOT NULL,
	cpu TEXT,
	lpa2 TEXT NOT NULL,
	ram_bytes INTEGER NOT NULL,
	el2 INTEGER NOT NULL,
	cpus INTEGER NOT NULL,
	repeat INTEGER NOT NULL,		-- attempts that are planned
	dark INTEGER NOT NULL DEFAULT 0,	-- its end must leave the display dark
	UNIQUE (run, id)
) STRICT;

CREATE TABLE attempt (
	n INTEGER PRIMARY KEY,
	job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
	number INTEGER NOT NULL,		-- from 1
	expected INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	stage TEXT NOT NULL,			-- the last one reached
	proof TEXT NOT NULL,
	signature TEXT,
	detail TEXT,
	consequences TEXT,			-- one a line, as the next two
	degradations TEXT,
	last_lines TEXT,
	truncated INTEGER NOT NULL,
	rules_version TEXT,
	evidence_dir TEXT,
	load_ms INTEGER,			-- how long the load took
	jump_ms INTEGER,			-- leaving A, since the start
	first_pixel_ms INTEGER,			-- since the jump, as the next one
	userspace_ms INTEGER,
	UNIQUE (job, number)
) STRICT;

CREATE TABLE stage (
	attempt INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE,
	stage TEXT NOT NULL,
	ms INTEGER NOT NULL,			-- first seen, since the start
	PRIMARY KEY (attempt, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE milestone (
	attempt INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE,
	name TEXT NOT NULL,			-- what the display showed of B
	us INTEGER NOT NULL,			-- microseconds since the start
	uncertainty_us INTEGER NOT NULL,	-- it was at most so much earlier
	picture TEXT,				-- a file of the evidence
	PRIMARY KEY (attempt, name)
) STRICT, WITHOUT ROWID;
