import { text } from '../../../common-scripts.ts';

/**
 * What several processes need to know of each other. `written_sources` told the caches of all processes what each
 * transaction wrote, and `written_sources_state` what was deleted of it; a later script drops both. `probes` is written to
 * find out whether the database accepts writes.
 */
export const coordination = `
CREATE TABLE written_sources (
  xid xid8 PRIMARY KEY,
  slots integer[] NOT NULL,
  token ${text} NOT NULL
);

CREATE TABLE written_sources_state (
  only_row smallint PRIMARY KEY CHECK (only_row = 1),
  forgotten_before xid8 NOT NULL
);
INSERT INTO written_sources_state VALUES (1, '0');

CREATE TABLE probes (
  only_row smallint PRIMARY KEY CHECK (only_row = 1),
  probed_at timestamptz NOT NULL
);
INSERT INTO probes VALUES (1, now());
`;
