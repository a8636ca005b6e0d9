/** When a trail was begun for its present commit; null if it never had another. */
export const movedTrails = `
ALTER TABLE trails ADD COLUMN begun_at double precision;
`;
