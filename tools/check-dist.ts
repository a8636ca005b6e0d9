import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, dist } from './bundle/bundle.ts';

// Fails if dist/ is not built from the current sources: runners execute dist/, and reviewers read the sources.
const built = await bundle();
const present = await readdir(dist).catch(() => []);
const stale = [
  ...present.filter((name) => !built.has(name)).map((name) => `dist/${name} is no longer built`),
  ...(await Promise.all([...built].map(([name, content]) => compare(name, content)))).flat(),
];
if (stale.length > 0) {
  console.error([...stale, 'Run `npm run build`, and commit dist/.'].join('\n'));
  process.exitCode = 1;
} else {
  console.log(`dist/ is up to date: ${[...built.keys()].join(', ')}`);
}

async function compare(name: string, content: Buffer): Promise<readonly string[]> {
  const committed = await readFile(join(dist, name)).catch(() => undefined);
  if (committed === undefined) return [`dist/${name} is missing`];
  return withoutCarriageReturns(committed).equals(withoutCarriageReturns(content)) ? [] : [`dist/${name} is stale`];
}

/** Git may check out files with other line endings. */
function withoutCarriageReturns(content: Buffer): Buffer {
  return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
