import * as fs from 'node:fs';
import { basename, resolve } from 'node:path';
import { promisify } from 'node:util';
import { maximumTemplateBytes } from '../contract/limits.ts';
import { describeError, UserError } from '../runtime/failure.ts';
import { attachFile, type Attachment } from './attachment/attachment.ts';
import { requireOwnFile } from './files/attachment-rules.ts';

// `node:fs/promises` would be loaded only for this.
const stat = promisify(fs.stat);

/**
 * Gets a template file ready to be sent. The service checks what it says.
 *
 * @param path relative to the workspace
 * @throws UserError if it is not a file that can be read, or too large
 */
export async function prepareTemplateFile(path: string, workspace: string): Promise<Attachment> {
  const whole = resolve(workspace, path);
  const refuse = (what: string, remedy: string, cause?: unknown): UserError =>
    new UserError({ input: 'template-file', what, remedy, cause });
  const found = await stat(whole).catch((error: unknown) => {
    throw refuse(
      `\`template-file\`: the file ${whole} cannot be read: ${describeError(error)}`,
      'Set it to the path of a YAML file, relative to the workspace; check out the repository first.',
      error,
    );
  });
  requireOwnFile('template-file', whole, workspace);
  if (!found.isFile()) throw refuse(`\`template-file\`: ${whole} is not a file`, 'Set it to the path of a YAML file.');
  if (found.size > maximumTemplateBytes) {
    const what = `\`template-file\`: ${whole} has ${found.size} bytes, but a template has at most ${maximumTemplateBytes}`;
    throw refuse(what, 'Check that it is the path of the template.');
  }
  return attachFile({ path: whole, name: basename(path), size: found.size });
}
