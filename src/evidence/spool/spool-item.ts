import { maximumDocumentBytes, maximumLineLength } from '../../contract/limits.ts';
import { commitSha, fingerprint } from '../../contract/names.ts';
import { type Static, strictObject, Type } from '../../contract/schema.ts';

/*
 * The format of a spool: a folder with one folder per item, which is evidence that could not be delivered. An item has
 * these files. docs/kept-evidence.md describes the format.
 */

/** The version of the format. A reader refuses every other version. */
export const spoolVersion = 1;

/** What is to be sent, as JSON: see `spoolManifest`. */
export const manifestFile = 'manifest.json';

/** The SHA-256 of the manifest, in the format of `sha256sum`. */
export const checksumFile = 'SHA256SUMS';

/** The bytes of the attachment; absent if there is none. */
export const attachmentFile = 'attachment';

export const deliveredFile = 'delivered.json';

/** The names of items that are not complete begin with this. Artifacts of GitHub leave such folders out, too. */
export const incompletePrefix = '.incomplete-';

/** The maximum size of a manifest, in bytes: the document, and room for the rest and the indentation. */
export const maximumManifestBytes = 2 * maximumDocumentBytes;

/** The workflow run that gathered the evidence. GitHub's API is asked whether it is true. */
export const spoolRun = strictObject({
  repository: Type.String({ pattern: '^[A-Za-z0-9_.\\-]{1,100}/[A-Za-z0-9_.\\-]{1,100}$' }),
  run_id: Type.String({ pattern: '^[1-9][0-9]{0,18}$' }),
  run_attempt: Type.String({ pattern: '^[1-9][0-9]{0,5}$' }),
  event_name: Type.String({ pattern: '^[a-z_]{1,64}$' }),
  head_sha: commitSha,
});

/** The workflow run that gathered the evidence. */
export type SpoolRun = Static<typeof spoolRun>;

/** The content of `manifest.json`. It names neither the service nor the organization, and it has no secrets. */
export const spoolManifest = strictObject({
  version: Type.Literal(spoolVersion),
  operation: Type.String({ pattern: '^[a-z0-9\\-]{1,64}$' }),
  parameters: Type.Record(Type.String(), Type.String({ maxLength: maximumLineLength }), {
    description: 'The parameters of the path without the organization.',
  }),
  document: Type.Record(Type.String(), Type.Unknown()),
  idempotency_key: Type.String({ pattern: '^[!#-\\[\\]-~]{1,255}$' }),
  gathered_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
  run: spoolRun,
  file: Type.Optional(
    strictObject({
      name: Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f/\\\\]{1,255}$' }),
      size: Type.Integer({ minimum: 0 }),
      sha256: fingerprint,
    }),
  ),
});

/** The content of `manifest.json`. */
export type SpoolManifest = Static<typeof spoolManifest>;

/** What is to be sent, without its attachment. */
export type SpoolEntry = Omit<SpoolManifest, 'version' | 'file'>;
