import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { conflictMarkers } from './conflict-markers.ts';

// Fails if a tracked text file in the current folder contains a conflict marker. Generated files are not checked,
// because bundled code may contain anything.
const generated = /^(?:dist\/|package-lock\.json$)/u;

const tracked = execFileSync('git', ['ls-files', '-z', '--cached'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  .split('\0')
  .filter((path) => path !== '' && !generated.test(path));
const findings = tracked.flatMap((path) =>
  conflictMarkers(textOf(path)).map(({ line, text }) => `${path}:${line}: ${text}`),
);
if (findings.length > 0) {
  console.error([...findings, 'Resolve these conflicts, and remove the markers.'].join('\n'));
  process.exitCode = 1;
}

/** Empty for binary files, links, submodules and deleted files. */
function textOf(path: string): string {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return '';
  }
  return content.includes(0) ? '' : content.toString('utf8');
}
