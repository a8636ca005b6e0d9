/** When a rotated key would expire if it had not been rotated: its successors get the same lifetime. */
export const keyRotation = `
ALTER TABLE api_keys ADD COLUMN original_expires_at REAL;
`;
