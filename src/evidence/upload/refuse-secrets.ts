import { UserError } from '../../runtime/failure.ts';
import { containsSecret, type Content, SecretSearch } from './find-secret.ts';

/** What a request would send. */
export interface Upload {
  readonly parameters: unknown;
  readonly document?: unknown;
  readonly file?: Content & {
    readonly filename: string;
    /** The files in an archive; a file without `open` is the attachment itself. */
    readonly parts?: readonly (Partial<Content> & { readonly name: string })[];
  };
}

/**
 * Refuses to send a secret of the step, in its texts or its file. The files of an archive are searched one by one.
 *
 * @param forms the secrets in all their encodings
 * @throws UserError if a secret was found; whatever reading the files throws
 */
export async function refuseSecrets(
  { parameters, document, file }: Upload,
  forms: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const isIn = (text: string): boolean => forms.some((form) => text.includes(form));
  if (isIn(JSON.stringify([parameters, document]))) {
    throw createSecretError('the evidence', 'Remove the secret from `user-data` and the other inputs.');
  }
  if (file === undefined) return;
  const search = new SecretSearch(forms);
  for (const part of file.parts ?? [{ name: file.filename }]) {
    const { name } = part;
    if (!isIn(name) && !(await containsSecret(part.open ? { open: part.open } : file, search, signal))) continue;
    const remedy = 'Remove it from the file, or leave the file out with a line that starts with "!".';
    throw createSecretError(`the file ${name}`, `${remedy} If others could read the file, revoke the secret.`);
  }
}

function createSecretError(what: string, remedy: string): UserError {
  return new UserError({
    what: `${what} contains a secret of this step, such as \`api-token\` or \`github-token\`, so nothing was sent`,
    remedy,
  });
}
