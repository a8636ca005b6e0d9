/**
 * When each environment was last reported, also if nothing had changed; for existing environments, the time of the
 * latest snapshot is the best that is known. The names of artifacts in `appearances`, and its order by snapshot, are for
 * the log of what started and stopped running.
 */
export const environmentReading = `
CREATE TABLE environment_reports (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  reported_at REAL NOT NULL,
  PRIMARY KEY (org, environment),
  FOREIGN KEY (org, environment) REFERENCES environments
) STRICT, WITHOUT ROWID;
INSERT INTO environment_reports (org, environment, reported_at)
  SELECT e.org, e.name, s.made_at FROM environments e
    JOIN snapshots s ON s.org = e.org AND s.environment = e.name AND s.number = e.latest
    WHERE e.kind <> 'logical';

ALTER TABLE appearances ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE appearances SET name = known.name FROM (
  SELECT s.org, s.environment, s.number, a.value ->> 'fingerprint' AS fingerprint, min(a.value ->> 'name') AS name
    FROM snapshots s JOIN environments e ON e.org = s.org AND e.name = s.environment AND e.kind <> 'logical',
      json_each(s.content) a
    GROUP BY 1, 2, 3, 4
) AS known
  WHERE known.org = appearances.org AND known.environment = appearances.environment
    AND known.number = appearances.started AND known.fingerprint = appearances.fingerprint;
CREATE INDEX appearances_by_start ON appearances (org, environment, started);
CREATE INDEX appearances_by_exit ON appearances (org, environment, exited) WHERE exited IS NOT NULL;
`;
