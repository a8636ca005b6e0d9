import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { conflictMarkers } from './conflict-markers.ts';

// Fails if a tracked text file of the current folder holds the remains of a merge. What is generated is not looked at:
// bundled code may hold anything.
const generated = /^(?:dist\/|package-lock\.json$)/u;

const tracked = execFileSync('git', ['ls-files', '-z', '--cached'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  .split('\0')
  .filter((path) => path !== '' && !generated.test(path));
const findings = tracked.flatMap((path) =>
  conflictMarkers(textOf(path)).map(({ line, text }) => `${path}:${line}: ${text}`),
);
if (findings.length > 0) {
  console.error([...findings, 'Resolve these conflicts: keep one side or write both into one text.'].join('\n'));
  process.exitCode = 1;
}

/** Empty for what is no text: a binary file, a link or a submodule, and a file that is about to be deleted. */
function textOf(path: string): string {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return '';
  }
  return content.includes(0) ? '' : content.toString('utf8');
}
