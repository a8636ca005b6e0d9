import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load as parse } from 'js-yaml';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { fencesOf } from './markdown.ts';
import { docPages, readText, root } from './repository.ts';

/** A workflow of this project, or of its documentation; or a piece of one. */
export interface Workflow {
  /** Its file, or the page and the number of the block. */
  readonly where: string;
  /** The name that it has; of a piece of one, the heading that it stands under. */
  readonly name: string;
  readonly text: string;
  readonly content: unknown;
}

export function workflowsIn(folder: string): readonly Workflow[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.yml'));
  return names.map((name) => workflow(`${folder}/${name}`, name, readText(`${folder}/${name}`)));
}

/** The blocks of YAML on the pages of the documentation: workflows, and pieces of them. */
export function documentedWorkflows(): readonly Workflow[] {
  return ['README.md', ...docPages].flatMap(workflowsOn);
}

export function workflowsOn(page: string): readonly Workflow[] {
  const fences = fencesOf(readText(page)).filter(({ language }) => language === 'yaml');
  return fences.map(({ heading, text }, at) => workflow(`${page}, block ${at + 1}`, heading, text));
}

/** Whether it is a whole workflow, which GitHub would run. */
export function isComplete({ content }: Workflow): boolean {
  return valueAt(content, 'on') !== undefined && valueAt(content, 'jobs') !== undefined;
}

/** The path that the first line of a workflow says it has in its repository: `# .github/workflows/gate.yml`. */
export function pathOf({ text }: Workflow): string | undefined {
  return /^# (\.github\/workflows\/\S+\.yml)\b/u.exec(text)?.[1];
}

function workflow(where: string, heading: string, text: string): Workflow {
  const content = parse(text);
  return { where, name: textAt(content, 'name') ?? heading, text, content };
}
