import { text } from './base/text-type.ts';

/**
 * The environments that a record counts for, as JSON; null for all. The latest evidence of each such list of environments
 * is beside the latest that counts for all, because it must not replace that.
 */
export const countsFor = `
ALTER TABLE attestations ADD COLUMN counts_for ${text};
ALTER TABLE artifacts ADD COLUMN counts_for ${text};

CREATE TABLE limited_evidence (
  org ${text} NOT NULL,
  flow ${text} NOT NULL,
  scope ${text} NOT NULL,
  counts_for ${text} NOT NULL,
  name ${text} NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (org, flow, scope, counts_for, name),
  FOREIGN KEY (org, flow, sequence) REFERENCES attestations
);
`;
