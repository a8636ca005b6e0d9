import { getPolicy, type Policy } from '../../contract/policy.ts';
import { decodeText } from '../../runtime/decode-text.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import type { EndpointCaller } from '../endpoint-call.ts';
import type { FilePart } from '../request-body.ts';
import type { SentWrite } from './sent-write.ts';

/** Looks for an upload of a policy: it is recorded if the latest version has its text, comment and description. */
export async function findPolicy(
  { parameters, document, file }: SentWrite,
  client: EndpointCaller,
): Promise<Policy | undefined> {
  const { body } = await client.call(getPolicy, {
    parameters: { org: textAt(parameters, 'org') ?? '', policy_name: textAt(document, 'name') ?? '' },
  });
  return file !== undefined && isUpload(body, document, await readText(file)) ? body : undefined;
}

/** The text of a policy file, without a byte order mark. */
async function readText(file: FilePart): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  // A chunk is valid only until the next one.
  for await (const chunk of file.open()) chunks.push(Uint8Array.from(chunk));
  return decodeText(Buffer.concat(chunks));
}

/** Whether the latest version is the upload: same text, and same comment and description if they were sent. */
function isUpload(policy: Policy, document: unknown, text: string | undefined): boolean {
  const latest = policy.versions.toSorted((one, other) => other.version - one.version)[0];
  const comment = textAt(document, 'comment');
  const description = textAt(document, 'description');
  return (
    text !== undefined &&
    latest?.policy_yaml === text &&
    (comment === undefined || comment === latest.comment) &&
    (description === undefined || description === policy.description)
  );
}
