/** What an attestation says in numbers, words and lists, as JSON; null for those of earlier versions. */
export const attestationFacts = `
ALTER TABLE attestations ADD COLUMN facts TEXT;
`;
