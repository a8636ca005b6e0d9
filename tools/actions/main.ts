import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createActionFiles } from './generated-actions.ts';

// Writes the actions of the daily operations into actions/. A test checks that they are up to date.

const root = join(import.meta.dirname, '..', '..');
const files = await createActionFiles();
await rm(join(root, 'actions'), { recursive: true, force: true });
for (const [path, content] of files) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
