import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';

export const lambdaCommand = 'aws lambda list-functions';

/** Reads functions (AWS API, "ListFunctions"), or one of them ("GetFunctionConfiguration"). */
export function readFunctions(documents: readonly DocumentNode[], found: Findings): void {
  const functions = documents.flatMap((document) =>
    document.at('FunctionName').isMissing ? document.at('Functions').list() : [document],
  );
  // Each file can have a page of the list, and one of them is the last.
  const lists = documents.filter((document) => document.at('FunctionName').isMissing);
  const [next, ...others] = lists.map(findNextPage);
  if (others.every((other) => other !== undefined)) next?.requireEnd();
  for (const one of functions) {
    found.artifacts.push({
      digests: { [one.at('FunctionName').text()]: readDigest(one.at('CodeSha256')) },
      creationTimestamp: one.at('LastModified').seconds(),
    });
  }
}

/** The token of the next page, as the command line or the API itself names it. */
function findNextPage(document: DocumentNode): DocumentNode | undefined {
  return [document.at('NextToken'), document.at('NextMarker')].find(({ isMissing }) => !isMissing);
}

/** A package has its SHA-256 in base64, and an image in hex digits. */
function readDigest(node: DocumentNode): string {
  const text = node.text();
  if (/^[a-f0-9]{64}$/u.test(text)) return text;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64') !== text) throw node.createError('a SHA-256 in base64');
  return bytes.toString('hex');
}
