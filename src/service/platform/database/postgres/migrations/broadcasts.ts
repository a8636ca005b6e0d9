import { text } from './base/text-type.ts';

/**
 * Messages for targets of notifications (JSON lists; a target is `[number, position]`), until all of them have been added
 * to `deliveries`. `done` counts the targets that have them.
 */
export const broadcasts = `
CREATE TABLE broadcasts (
  org ${text} NOT NULL REFERENCES organizations,
  sequence bigint NOT NULL,
  messages ${text} NOT NULL,
  targets ${text} NOT NULL,
  done bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (org, sequence)
);
`;
