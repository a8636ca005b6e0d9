/**
 * The words that trails are found by. `place` is the place of the trail in the order of creation, which it keeps when its
 * flow is renamed, in backups, and in copies. The empty word stands for all older trails that are not indexed yet.
 */
export const searchWords = `
CREATE TABLE search_words (
  org TEXT NOT NULL REFERENCES organizations,
  word TEXT NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (org, word, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_words_waiting ON search_words (org) WHERE word = '';
INSERT INTO search_words (org, word, place) SELECT org, '', max(rowid) FROM trails GROUP BY org;
`;
