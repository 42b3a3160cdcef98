-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Who writes a run, so that another process that is refused can say so.

ALTER TABLE run ADD COLUMN writer_pid INTEGER;
ALTER TABLE run ADD COLUMN writer_host TEXT;
