import { text } from '../../../common-scripts.ts';

/** The content of attachments by digest, in chunks. `kept_at` is when the content was received last. */
export const attachments = `
CREATE TABLE attachment_contents (
  digest ${text} PRIMARY KEY,
  size bigint NOT NULL,
  kept_at timestamptz NOT NULL
);

CREATE TABLE attachment_chunks (
  digest ${text} NOT NULL REFERENCES attachment_contents ON DELETE CASCADE,
  place integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (digest, place)
);
ALTER TABLE attachment_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
