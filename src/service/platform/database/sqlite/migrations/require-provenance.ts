/** Whether an environment requires provenance of everything that runs in it, besides its policies: 1 or 0. */
export const requireProvenance = `
ALTER TABLE environments ADD COLUMN requires_provenance INTEGER NOT NULL DEFAULT 0;
`;
