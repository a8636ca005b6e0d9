import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedWorkflows, isComplete, pathOf, workflowsIn } from '../test/support/workflows.ts';

// Writes the workflows of examples/ and of the documentation to build/workflows, for linters that read files:
// actionlint and zizmor. It is a git repository, because both take the workflows of one together: those that are called
// are found, and the repository around it, which ignores build/, is not asked.
const repository = join(import.meta.dirname, '..', 'build', 'workflows');
const folder = join(repository, '.github', 'workflows');
rmSync(repository, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync('git', ['init', '--quiet', repository]);

const names = new Set<string>();
for (const workflow of [...workflowsIn('examples'), ...documentedWorkflows().filter(isComplete)]) {
  const place = workflow.where.replaceAll(/\.(?:md|yml)|,/gu, '').replaceAll(/[ /]/gu, '-');
  // The name that it has in a repository, by which others call it; several pages may show one of the same name.
  const wanted = pathOf(workflow)?.split('/').at(-1) ?? `${place}.yml`;
  const name = names.has(wanted) ? `${place}-${wanted}` : wanted;
  names.add(name);
  writeFileSync(join(folder, name), workflow.text);
  console.log(`${name}: ${workflow.where}`);
}
