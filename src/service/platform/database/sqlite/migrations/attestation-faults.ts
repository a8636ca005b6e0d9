/** What keeps an attestation from being compliant, as JSON; null for compliant ones, and for those of earlier versions. */
export const attestationFaults = `
ALTER TABLE attestations ADD COLUMN faults TEXT;
`;
