import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, dist } from './bundle.ts';

// Builds dist/ as the runner downloads it: see tools/bundle.ts.
const files = await bundle();
for (const [name, content] of files) {
  const path = join(dist, name);
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(content) !== true) await writeFile(path, content);
  console.log(`${name}: ${content.length} bytes`);
}
