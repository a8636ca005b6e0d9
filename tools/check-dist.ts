import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle, dist } from './bundle/bundle.ts';

// Fails when dist/ is not what the sources build: a runner runs dist/, a reviewer reads the sources.
const built = await bundle();
const present = await readdir(dist).catch(() => []);
const stale = [
  ...present.filter((name) => !built.has(name)).map((name) => `dist/${name} is not built any more`),
  ...(await Promise.all([...built].map(([name, content]) => compare(name, content)))).flat(),
];
if (stale.length > 0) {
  console.error([...stale, 'Run `npm run build` and commit dist/.'].join('\n'));
  process.exitCode = 1;
} else {
  console.log(`dist/ is what the sources build: ${[...built.keys()].join(', ')}`);
}

async function compare(name: string, content: Buffer): Promise<readonly string[]> {
  const committed = await readFile(join(dist, name)).catch(() => undefined);
  if (committed === undefined) return [`dist/${name} is missing`];
  return withoutCarriageReturns(committed).equals(withoutCarriageReturns(content)) ? [] : [`dist/${name} is stale`];
}

/** Git may check files out with other line ends. */
function withoutCarriageReturns(content: Buffer): Buffer {
  return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
