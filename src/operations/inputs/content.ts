import { templateItem } from '../../contract/flow.ts';
import { maximumTextLength } from '../../contract/limits.ts';
import { address } from './address.ts';
import { conforming, lines, oneOf, text } from './parse.ts';

/** What a flow or an attestation is about, in words. */
export const description = text('description', maximumTextLength);

/** Who may see a flow. */
export const visibility = oneOf('visibility', ['public', 'private']);

/** The pieces of evidence that the artifacts of a flow must have, one a line. */
export const template = lines(
  conforming(
    'template',
    templateItem,
    'names of evidence, one a line, of letters, digits, `-` and `_`',
    'Write one name a line, without spaces.',
  ),
);

/** The address of a repository. */
export const repoUrl = address(
  'repo-url',
  "Give the address of the repository's page.",
  'Leave out what stands before the `@`: the address is stored for others to read.',
);

/** Paths and globs of files to send, one a line. */
export const files = lines(text('files'), 'ignored');

/** Paths and globs of artifacts to judge, one a line. */
export const artifactFiles = lines(text('files'));

/** A JSON object, or the path of a file that holds one. */
export const userData = text('user-data');
