import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load as parse } from 'js-yaml';
import { isMapping, listAt, textAt, valueAt, type Mapping } from '../../src/runtime/untrusted-data.ts';

/** The folder of this project. */
export const root = join(import.meta.dirname, '..', '..');

/** The text of a file of this project. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The inputs or outputs of action.yml by name. */
export function actionEntries(section: 'inputs' | 'outputs'): ReadonlyMap<string, Mapping> {
  const entries = valueAt(parse(readText('action.yml')), section);
  if (!isMapping(entries)) throw new Error(`action.yml has no ${section}`);
  return new Map(Object.entries(entries).map(([name, entry]) => [name, isMapping(entry) ? entry : {}]));
}

/** The inputs of the steps that run this action, in a workflow or a part of one. */
export function actionSteps(workflow: unknown): readonly ReadonlyMap<string, string>[] {
  return stepsOf(workflow).flatMap((step) => {
    const uses = textAt(step, 'uses') ?? '';
    if (uses !== './' && !uses.startsWith('OWNER/compliance-action@')) return [];
    const given = valueAt(step, 'with');
    return [new Map(isMapping(given) ? Object.entries(given).map(([name, value]) => [name, String(value)]) : [])];
  });
}

/** All steps of a workflow, of a list of steps, or of a mapping that has one under `steps`. */
export function stepsOf(workflow: unknown): readonly unknown[] {
  if (Array.isArray(workflow)) return workflow as readonly unknown[];
  const jobs = valueAt(workflow, 'jobs');
  const ofJobs = isMapping(jobs) ? Object.values(jobs).flatMap((job) => listAt(job, 'steps')) : [];
  return [...listAt(workflow, 'steps'), ...ofJobs];
}
