-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What the display showed, with pictures, and whether it should have.

CREATE TABLE milestone (
	attempt INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE,
	name TEXT NOT NULL,			-- what the display showed of B
	us INTEGER NOT NULL,			-- microseconds since the start
	uncertainty_us INTEGER NOT NULL,	-- it was at most so much earlier
	picture TEXT,				-- a file of the evidence
	PRIMARY KEY (attempt, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE job ADD COLUMN dark INTEGER NOT NULL DEFAULT 0;
