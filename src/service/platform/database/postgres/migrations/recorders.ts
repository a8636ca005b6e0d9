import { text } from './base/text-type.ts';

/**
 * What recorded a record, as JSON; null for records of earlier versions and of users. The latest evidence of each recorder
 * for each commit (`*` if it covers any) is beside the latest of all, because others must not replace it.
 */
export const recorders = `
ALTER TABLE attestations ADD COLUMN recorders ${text};
ALTER TABLE artifacts ADD COLUMN recorders ${text};

CREATE TABLE recorder_evidence (
  org ${text} NOT NULL,
  flow ${text} NOT NULL,
  scope ${text} NOT NULL,
  recorder ${text} NOT NULL,
  commit_sha ${text} NOT NULL,
  name ${text} NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (org, flow, scope, recorder, commit_sha, name),
  FOREIGN KEY (org, flow, sequence) REFERENCES attestations DEFERRABLE
);
`;
