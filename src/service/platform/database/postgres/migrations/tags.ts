import { text } from './base/text-type.ts';

/** The tags of flows and environments, as JSON. */
export const tags = `
ALTER TABLE flows ADD COLUMN tags ${text} NOT NULL DEFAULT '{}';
ALTER TABLE environments ADD COLUMN tags ${text} NOT NULL DEFAULT '{}';
`;
