/**
 * Stores times as the clock showed them. Attestations and snapshots are ordered by their numbers alone, and
 * `stepped_back` is 1 if the clock was set back since the previous record: between two such records, times never
 * decrease, so that records can be found by time (`time-series.ts`). Before this version, every time was raised
 * to that of the previous record, so no record had stepped back.
 */
export const clock = `
DROP INDEX attestations_by_time;
ALTER TABLE attestations ADD COLUMN stepped_back INTEGER NOT NULL DEFAULT 0;
CREATE INDEX attestations_stepped_back ON attestations (org, flow, sequence) WHERE stepped_back = 1;

DROP INDEX snapshots_by_time;
ALTER TABLE snapshots ADD COLUMN stepped_back INTEGER NOT NULL DEFAULT 0;
CREATE INDEX snapshots_stepped_back ON snapshots (org, environment, number) WHERE stepped_back = 1;
`;
