/** When a flow, an environment or a policy was archived; null if it is not. */
export const archive = `
ALTER TABLE flows ADD COLUMN archived_at double precision;
ALTER TABLE environments ADD COLUMN archived_at double precision;
ALTER TABLE policies ADD COLUMN archived_at double precision;
`;
