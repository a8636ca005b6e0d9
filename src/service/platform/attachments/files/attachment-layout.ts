import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders within `attachments/`: uploads in progress; received content; content that no record refers to. */
export const incomingFolder = 'incoming';
export const contentFolder = 'content';
export const trashFolder = 'trash';

const groupForm = /^[0-9a-f]{2}$/u;
const digestForm = /^[0-9a-f]{64}$/u;
const uploadForm = /^[0-9a-f]{32}$/u;

/** The path of content: in a subfolder named after the first two digits of its digest. */
export function attachmentPath(attachments: string, digest: string): string {
  return join(attachments, contentFolder, digest.slice(0, 2), digest);
}

/** Lists the digests of all stored content. Folders and files with other names than the service's are ignored. */
export async function* listAttachments(attachments: string): AsyncGenerator<string> {
  const content = join(attachments, contentFolder);
  for (const group of await readdir(content, { withFileTypes: true })) {
    if (!group.isDirectory() || !groupForm.test(group.name)) continue;
    for (const file of await readdir(join(content, group.name), { withFileTypes: true })) {
      const ours = file.isFile() && digestForm.test(file.name) && file.name.startsWith(group.name);
      if (ours) yield file.name;
    }
  }
}

/** Lists the paths of unfinished uploads. Files with other names than the service's are ignored. */
export async function listUnfinishedUploads(attachments: string): Promise<readonly string[]> {
  const incoming = join(attachments, incomingFolder);
  const entries = await readdir(incoming, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && uploadForm.test(entry.name))
    .map(({ name }) => join(incoming, name));
}
