import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load as parse } from 'js-yaml';
import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { fixedInputs, parseOwnAction } from './own-action.ts';

/** The folder of this project. */
export const root = join(import.meta.dirname, '..', '..');

/** The pages of the documentation, in all folders of `docs/`. */
export const docPages: readonly string[] = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`);

/** The text of a file of this project. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/**
 * The inputs or outputs of this action by name.
 *
 * @param file the metadata of the root action, or of the action of one operation
 */
export function actionEntries(section: 'inputs' | 'outputs', file = 'action.yml'): ReadonlyMap<string, Mapping> {
  const entries = valueAt(parse(readText(file)), section);
  if (!isMapping(entries)) throw new Error(`${file} has no ${section}`);
  return new Map(Object.entries(entries).map(([name, entry]) => [name, isMapping(entry) ? entry : {}]));
}

/** The inputs of the steps that run this action, in a workflow or a part of one; with the operation that it fixes. */
export function actionSteps(workflow: unknown): readonly ReadonlyMap<string, string>[] {
  return stepsOf(workflow).flatMap((step) => {
    const action = parseOwnAction(textAt(step, 'uses') ?? '');
    if (action === undefined) return [];
    const given = valueAt(step, 'with');
    const inputs = { ...(isMapping(given) ? given : {}), ...fixedInputs(action) };
    return [new Map(Object.entries(inputs).map(([name, value]) => [name, String(value)]))];
  });
}

/** All steps of a workflow, of a list of steps, or of a mapping that has one under `steps`. */
export function stepsOf(workflow: unknown): readonly unknown[] {
  if (Array.isArray(workflow)) return workflow as readonly unknown[];
  const jobs = valueAt(workflow, 'jobs');
  const ofJobs = isMapping(jobs) ? Object.values(jobs).flatMap((job) => listAt(job, 'steps')) : [];
  return [...listAt(workflow, 'steps'), ...ofJobs];
}
