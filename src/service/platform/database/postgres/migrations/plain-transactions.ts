/**
 * Each transaction leaves a token in `recent_commits`, which proves that it was committed if its connection is lost. The
 * tables that earlier versions used for it told their caches, too, what was written. They are removed, so that processes of
 * those versions can neither write nor read any more: they would not learn what newer ones write.
 */
export const plainTransactions = `
DROP TABLE written_sources, written_sources_state;
CREATE TABLE recent_commits (
  token uuid PRIMARY KEY,
  committed_at timestamptz NOT NULL DEFAULT now()
);
`;
