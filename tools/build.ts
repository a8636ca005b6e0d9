import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, dist } from './bundle/bundle.ts';

// Builds dist/ as the runner downloads it (tools/bundle/README.md).
// --plain leaves out the substitutes; --out writes to another folder.
const { values } = parseArgs({ options: { plain: { type: 'boolean', default: false }, out: { type: 'string' } } });
const folder = values.out === undefined ? dist : resolve(values.out);
const files = await bundle({ plain: values.plain });
await mkdir(folder, { recursive: true });
const present = await readdir(folder);
if (present.length > 0 && !present.includes('licenses.txt'))
  throw new Error(`${folder} is not empty and does not contain a build; name another folder with --out`);
for (const [name, content] of files) {
  const path = join(folder, name);
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(content) !== true) await writeFile(path, content);
  console.log(`${name}: ${content.length} bytes`);
}
const old = present.filter((name) => !files.has(name));
for (const name of old) await rm(join(folder, name), { recursive: true });
const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
console.log(`total: ${total} bytes`);
