import { maximumFileBytes } from '../../contract/limits.ts';
import { type Attachment, AttachmentTooLargeError, prepareAttachment } from '../../evidence/attachment/attachment.ts';
import type { UnattachedFiles } from '../../evidence/attachment/unattached-files.ts';
import { uniqueNames } from '../../evidence/files/archive-name.ts';
import { formatBytes } from '../../evidence/files/format-bytes.ts';
import { type MatchedFile, resolveFiles } from '../../evidence/files/resolve-files.ts';
import type { attestationInputs } from '../inputs/attestation-inputs.ts';
import type { ValuesOf } from '../inputs/input.ts';
import type { OperationContext } from '../operation.ts';

/** The files that are sent with an attestation, and those that are too large for it. */
export interface AttachedFiles {
  readonly attachment: Attachment | undefined;
  readonly unattached: UnattachedFiles | undefined;
}

const maximumListedFiles = 100;

/**
 * Prepares the attachment: the files of the input `files`, and those that the evidence was read from. If the latter do
 * not fit, they are left out, and their digests are recorded instead.
 *
 * @throws UserError if `files` alone exceeds the limit, or a file cannot be read
 */
export async function attachFiles(
  { files: patterns, includeHiddenFiles }: Pick<ValuesOf<typeof attestationInputs>, 'files' | 'includeHiddenFiles'>,
  sources: readonly MatchedFile[],
  { workspace, temporaryDirectory, call: { log, signal } }: OperationContext,
): Promise<AttachedFiles> {
  if (patterns === undefined && sources.length === 0) return { attachment: undefined, unattached: undefined };
  return log.group('Collect the files', async () => {
    const own =
      patterns === undefined
        ? []
        : await resolveFiles({ patterns, workspace, attachmentRules: { includesHidden: includeHiddenFiles, log } });
    const found = withSources(own, sources);
    for (const { name, size } of found.slice(0, maximumListedFiles)) log.info(`${name}: ${size} bytes`);
    if (found.length > maximumListedFiles) log.info(`… and ${found.length - maximumListedFiles} more files`);
    const options = { temporary: temporaryDirectory, signal };
    try {
      const packsSingleFile = own.length === 0;
      return { attachment: await prepareAttachment(found, { ...options, packsSingleFile }), unattached: undefined };
    } catch (thrown) {
      if (sources.length === 0 || !(thrown instanceof AttachmentTooLargeError)) throw thrown;
      const attachment = await prepareAttachment(own, options);
      const { digestUnattachedFiles } = await import('../../evidence/attachment/unattached-files.ts');
      const unattached = await digestUnattachedFiles(sources, signal);
      log.warning(
        `The files that the evidence was read from have ${formatBytes(unattached.size)}, and even packed they exceed the ${formatBytes(maximumFileBytes)} that the service accepts: they are not attached, and \`user_data\` has their digests instead. Keep the files elsewhere, for example as an artifact of the run.`,
      );
      return { attachment, unattached };
    }
  });
}

/** Each file once, with a name of its own. */
function withSources(own: readonly MatchedFile[], sources: readonly MatchedFile[]): readonly MatchedFile[] {
  const paths = new Set(own.map(({ path }) => path));
  const all = [...own, ...sources.filter(({ path }) => !paths.has(path))];
  const names = uniqueNames(all.map(({ name }) => name));
  return all.map((file, at) => ({ ...file, name: names[at] ?? file.name }));
}
