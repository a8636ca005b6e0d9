import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders within `attachments/`: uploads on their way; what has arrived; what no record names. */
export const incomingFolder = 'incoming';
export const contentFolder = 'content';
export const trashFolder = 'trash';

const groupForm = /^[0-9a-f]{2}$/u;
const digestForm = /^[0-9a-f]{64}$/u;
const uploadForm = /^[0-9a-f]{32}$/u;

/** Where content is kept: in a group by the first two digits of its digest. */
export function attachmentPath(attachments: string, digest: string): string {
  return join(attachments, contentFolder, digest.slice(0, 2), digest);
}

/** The digests of all that is kept. Folders and files whose names this service does not give are left out. */
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

/** The paths of uploads that did not end. Files whose names this service does not give are left out. */
export async function listUnfinishedUploads(attachments: string): Promise<readonly string[]> {
  const incoming = join(attachments, incomingFolder);
  const entries = await readdir(incoming, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && uploadForm.test(entry.name))
    .map(({ name }) => join(incoming, name));
}
