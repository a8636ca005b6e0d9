/** Whether the key that began a trail counts for any environment; 0 for trails of earlier versions. */
export const countingTrails = `
ALTER TABLE trails ADD COLUMN counts INTEGER NOT NULL DEFAULT 0;
`;
