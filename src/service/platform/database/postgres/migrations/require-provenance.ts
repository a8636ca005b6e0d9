/** Whether an environment requires provenance; see the script of the same name for SQLite. */
export const requireProvenance = `
ALTER TABLE environments ADD COLUMN requires_provenance smallint NOT NULL DEFAULT 0;
`;
