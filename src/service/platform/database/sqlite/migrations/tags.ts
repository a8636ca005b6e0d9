/** The tags of flows and environments, as JSON. */
export const tags = `
ALTER TABLE flows ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
ALTER TABLE environments ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
`;
