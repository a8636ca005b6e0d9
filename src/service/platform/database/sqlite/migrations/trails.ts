/**
 * The report that began a trail, its updates, and its own template. `report` is JSON; `last_modified_at`
 * is null for a trail that was only reported to. Templates have a table of their own, because most trails have none.
 *
 * The indexes end with the row number, which grows in the order of creation.
 */
export const trails = `
ALTER TABLE trails ADD COLUMN report TEXT NOT NULL DEFAULT '{}';
ALTER TABLE trails ADD COLUMN last_modified_at REAL;
CREATE INDEX trails_by_org ON trails (org);
CREATE INDEX trails_by_flow ON trails (org, flow);

CREATE TABLE trail_templates (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  trail TEXT NOT NULL,
  template TEXT NOT NULL,
  PRIMARY KEY (org, flow, trail),
  FOREIGN KEY (org, flow, trail) REFERENCES trails
) STRICT;

CREATE TABLE trail_updates (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  trail TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  updated_at REAL NOT NULL,
  commit_sha TEXT,
  commit_url TEXT,
  PRIMARY KEY (org, flow, trail, sequence),
  FOREIGN KEY (org, flow, trail) REFERENCES trails
) STRICT, WITHOUT ROWID;
`;
