import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, dist } from './bundle/bundle.ts';

// Builds dist/ as the runner downloads it: see tools/bundle/bundle.ts.
const files = await bundle();
await mkdir(dist, { recursive: true });
for (const [name, content] of files) {
  const path = join(dist, name);
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(content) !== true) await writeFile(path, content);
  console.log(`${name}: ${content.length} bytes`);
}
const old = (await readdir(dist)).filter((name) => !files.has(name));
for (const name of old) await rm(join(dist, name), { recursive: true });
const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
console.log(`in all: ${total} bytes`);
