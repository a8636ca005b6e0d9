import { commonTables } from '../../common-tables.ts';

const recordTables = ['attestations', 'artifacts', 'policy_versions'] as const;

/** Existing records have no key. The index leaves them out, so that records without keys do not pay for it. */
const addKeys = recordTables.map(
  (table) => `ALTER TABLE ${table} ADD COLUMN idempotency_key TEXT;
ALTER TABLE ${table} ADD COLUMN request_digest TEXT;
CREATE UNIQUE INDEX ${table}_by_key ON ${table} (org, idempotency_key) WHERE idempotency_key IS NOT NULL;`,
);

/**
 * The idempotency keys of requests. What a request appends has its key, for as long as it exists, with the digest of the
 * request. A policy version also has what later changes would alter in the answer to that request: the policy's
 * description and its environments (a JSON list). `remembered_answers` has the answers to all other requests, for a
 * limited time.
 */
export const idempotencyKeys = `
${addKeys.join('\n')}
ALTER TABLE policy_versions ADD COLUMN answered_description TEXT;
ALTER TABLE policy_versions ADD COLUMN answered_environments TEXT;

${commonTables.rememberedAnswers.sqlite}
`;
