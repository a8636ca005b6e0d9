import { getArtifact, type Artifact } from '../../contract/artifact.ts';
import { idempotencyDataKey } from '../../contract/idempotency.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { EndpointCaller } from '../endpoint-call.ts';
import type { SentWrite } from './sent-write.ts';

/**
 * Looks for the report of an artifact in the latest report of the artifact to its trail, by its idempotency key.
 *
 * @throws ExternalError if the latest report has no key: the service may not show what was sent
 */
export async function findArtifact(
  { key, parameters, document }: SentWrite,
  client: EndpointCaller,
): Promise<Artifact | undefined> {
  const trail = textAt(document, 'trail_name');
  const { body } = await client.call(getArtifact, {
    parameters: {
      org: textAt(parameters, 'org') ?? '',
      flow_name: textAt(parameters, 'flow_name') ?? '',
      fingerprint: textAt(document, 'fingerprint') ?? '',
    },
    query: trail === undefined ? {} : { trail },
  });
  const recorded = textAt(body, 'user_data', idempotencyDataKey);
  if (recorded === key) return body;
  if (recorded !== undefined) return undefined;
  throw new ExternalError({
    what: 'get-artifact: the artifact has a report that does not say which request it came from',
    remedy: 'Look for the report on the page of its trail.',
  });
}
