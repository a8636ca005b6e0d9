import { text } from './base/text-type.ts';

/** The words that trails are found by; see the script of the same name for SQLite. */
export const searchWords = `
CREATE TABLE search_words (
  org ${text} NOT NULL REFERENCES organizations,
  word ${text} NOT NULL,
  place bigint NOT NULL,
  PRIMARY KEY (org, word, place)
);
CREATE INDEX search_words_waiting ON search_words (org) WHERE word = '';
INSERT INTO search_words (org, word, place) SELECT org, '', max(place) FROM trails GROUP BY org;
`;
