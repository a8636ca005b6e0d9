import type { Caller } from '../account/access.ts';
import { validationError } from '../platform/server/errors/api-error.ts';
import type { Recorded } from './recorded.ts';
import { type ClaimedOrigin, findContradictions } from './workflow-identity.ts';

/**
 * Adds to evidence what the run that sends it has proved.
 *
 * @throws ApiError if the evidence contradicts it
 */
export function withProof<Document extends ClaimedOrigin>({ proven }: Caller, document: Document): Recorded<Document> {
  if (proven === undefined) return document;
  const contradictions = findContradictions(proven, document);
  if (contradictions.length > 0) throw validationError(...contradictions);
  return { ...document, proven };
}
