import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { load as parse } from 'js-yaml';
import { connectionInputs } from '../../src/operations/inputs/connection-inputs.ts';
import type { Input } from '../../src/operations/inputs/input.ts';
import type { OperationResult } from '../../src/operations/operation.ts';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { reportResult } from '../../src/step/report/report-result.ts';
import { commonNames, secretInputs } from '../../src/step/run/common-inputs.ts';
import { decideResult } from '../../src/step/run/gate.ts';
import { fallbackVariable } from '../../src/step/run/read-inputs.ts';
import { createInputReference } from '../../tools/input-reference/page.ts';
import { captureOutput } from '../support/captured-output.ts';

const root = join(import.meta.dirname, '..', '..');
const metadata: unknown = parse(readFileSync(join(root, 'action.yml'), 'utf8'));

function entries(key: 'inputs' | 'outputs'): readonly (readonly [string, Mapping])[] {
  const found = valueAt(metadata, key);
  if (!isMapping(found)) throw new TypeError(`action.yml has no ${key}`);
  return Object.entries(found).map(([name, entry]) => [name, isMapping(entry) ? entry : {}]);
}

const declared = entries('inputs').map(([name]) => name);
let used: readonly Input<unknown>[];

beforeAll(async () => {
  const loaded = await Promise.all(allOperationNames.map((name) => operations[name]()));
  used = loaded.flatMap((operation) => Object.values(operation.inputs).map(({ input }) => input));
});

describe('action.yml', () => {
  it('declares exactly the inputs that the step and its operations read', () => {
    expect([...declared].sort()).toEqual([...new Set([...commonNames, ...used.map(({ name }) => name)])].sort());
  });

  it('declares exactly the outputs that a step sets', async () => {
    const result: OperationResult = {
      outcome: 'done',
      conclusion: 'A list.',
      response: [],
      count: 0,
      report: { subject: 'A list', facts: [] },
    };
    const stepResult = { decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: false };
    const { outputs } = await captureOutput([], (target) => reportResult(stepResult, target));
    const names = entries('outputs').map(([name]) => name);
    expect([...names].sort()).toEqual(Object.keys(outputs).sort());
  });

  it('describes every input and output in one or two short sentences, with a link to the rest', () => {
    const pages = { inputs: (name: string) => `inputs.md#${name}`, outputs: () => 'outputs.md#outputs' };
    for (const section of ['inputs', 'outputs'] as const) {
      for (const [name, entry] of entries(section)) {
        const link = `https://github.com/OWNER/compliance-action/blob/main/docs/${pages[section](name)}`;
        const [sentences = '', target] = (textAt(entry, 'description') ?? '').split(' Details: ');
        expect([name, target]).toEqual([name, link]);
        expect(sentences).toMatch(/^[\w`'].{10,140}\.$/u);
        expect(sentences.match(/\. /gu)?.length ?? 0).toBeLessThan(2);
      }
    }
  });

  it('names the environment variable of exactly the inputs that have one in their reference', async () => {
    const inputs = [...Object.values(connectionInputs).map(({ input }) => input), ...used];
    const withOne = inputs.filter(({ fallback }) => fallback === true).map(({ name }) => name);
    const said = [...(await createInputReference()).matchAll(/^- Environment variable: `(\w+)`$/gmu)].map(
      ([, variable]) => variable,
    );
    expect(said).toEqual([
      ...[
        'base-url',
        'api-token',
        'auth-method',
        'org',
        'timeout',
        'retries',
        'retry-for',
        'file-parts',
        'dry-run',
        'flow',
      ].map(fallbackVariable),
    ]);
    expect([...said].sort()).toEqual([...new Set(withOne)].map(fallbackVariable).sort());
  });

  it('sets no defaults except values from GitHub’s contexts: others would override the job’s variables', () => {
    const defaults = entries('inputs').flatMap(([name, entry]) =>
      Object.hasOwn(entry, 'default') ? [[name, entry['default']]] : [],
    );
    expect(defaults).toEqual([
      ['github-token', '${{ github.token }}'],
      ['matrix', '${{ toJSON(matrix) }}'],
    ]);
  });

  it('names operations that a step can run', () => {
    const text = textAt(Object.fromEntries(entries('inputs')), 'operation', 'description') ?? '';
    const named = [...text.matchAll(/`([^`]+)`/gu)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(1);
    expect(allOperationNames).toEqual(expect.arrayContaining(named));
  });

  it('runs on Node 24, from a file that is there', () => {
    expect(textAt(metadata, 'runs', 'using')).toBe('node24');
    const main = textAt(metadata, 'runs', 'main') ?? '';
    expect(main).toBe('dist/index.js');
    expect(existsSync(join(root, main))).toBe(true);
  });

  it('can be listed on the marketplace: a name, a description of at most 125 characters, an icon and a colour', () => {
    expect(textAt(metadata, 'name')).toBeDefined();
    expect(textAt(metadata, 'description')?.length).toBeLessThanOrEqual(125);
    expect(textAt(metadata, 'branding', 'icon')).toBe('shield');
    expect(['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark']).toContain(
      textAt(metadata, 'branding', 'color'),
    );
  });
});

describe('the secrets of a step', () => {
  it('are all inputs that are declared secret, so each is masked before anything is logged', () => {
    const secret = used.filter((input) => input.secret).map(({ name }) => name);
    expect([...new Set([...secret, 'api-token'])].sort()).toEqual([...secretInputs].sort());
  });
});

describe('the examples', () => {
  const examples = readdirSync(join(root, 'examples')).filter((name) => /\.ya?ml$/u.test(name));

  it.each(examples)('use only inputs of the action in %s', (name) => {
    const workflow: unknown = parse(readFileSync(join(root, 'examples', name), 'utf8'));
    const steps = Object.values(valueAt(workflow, 'jobs') ?? {}).flatMap((job) => listAt(job, 'steps'));
    const ours = steps.filter((step) => textAt(step, 'uses')?.includes('compliance-action') === true);
    expect(ours.length).toBeGreaterThan(0);
    const given = ours.flatMap((step) => Object.keys(valueAt(step, 'with') ?? {}));
    expect(given.filter((input) => !declared.includes(input))).toEqual([]);
  });
});
