import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

// Fails if files below a folder (default: src) import each other in a cycle. Types and `import()` count.
const folder = process.argv[2] ?? 'src';
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(folder, name));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

const reported = new Set<string>();
for (const file of files) {
  const cycle = reported.has(file) ? undefined : shortestCycle(file);
  if (cycle === undefined) continue;
  for (const member of cycle) reported.add(member);
  console.error(cycle.map((member) => relative(folder, member)).join(' → '));
  process.exitCode = 1;
}
if (reported.size > 0) console.error('These files import each other. Move what both need to a file of its own.');

function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles.flatMap(({ fileName }) => (fileName.startsWith('.') ? [join(dirname(file), fileName)] : []));
}

/** The shortest way from a file back to itself; undefined if there is none. */
function shortestCycle(start: string): readonly string[] | undefined {
  const seen = new Set<string>();
  const paths: (readonly string[])[] = [[start]];
  for (const path of paths) {
    for (const next of imports.get(path.at(-1) ?? '') ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}
