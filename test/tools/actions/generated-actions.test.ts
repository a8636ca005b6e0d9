import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { operations } from '../../../src/operations/registry.ts';
import { isMapping, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { commonNames } from '../../../src/step/run/common-inputs.ts';
import { createActionFiles, dailyOperations } from '../../../tools/actions/generated-actions.ts';
import { readText, root } from '../../support/repository.ts';

const files = await createActionFiles();
const names = Object.keys(dailyOperations) as (keyof typeof dailyOperations)[];

describe('the generated actions', () => {
  it('are up to date (if not, run npm run actions)', () => {
    const present = readdirSync(join(root, 'actions'), { recursive: true, withFileTypes: true });
    expect(present.filter((entry) => entry.isFile())).toHaveLength(files.size);
    for (const [path, content] of files) expect(readText(path)).toBe(content);
  });

  it('run the bundle of the root action', () => {
    expect(existsSync(join(root, 'actions', 'get-artifact', '..', '..', 'dist', 'index.js'))).toBe(true);
    expect(files.get('actions/get-artifact/index.cjs')).toContain("require('../../dist/index.js')");
  });
});

describe.each(names)('the action %s', (name) => {
  const metadata = load(files.get(`actions/${name}/action.yml`) ?? '');
  const root = load(readText('action.yml'));
  const inputs = valueAt(metadata, 'inputs');
  const declared = isMapping(inputs) ? Object.entries(inputs) : [];

  it('declares exactly the inputs of its operation, as action.yml does', async () => {
    const uses = Object.values((await operations[name]()).inputs);
    const used = new Set([...commonNames, ...uses.map(({ input }) => input.name)]);
    used.delete('operation');
    expect(declared.map(([input]) => input).sort()).toEqual([...used].sort());
    for (const [input, entry] of declared) {
      expect(textAt(entry, 'description')).toBe(textAt(root, 'inputs', input, 'description'));
      expect(valueAt(entry, 'default')).toEqual(valueAt(root, 'inputs', input, 'default'));
    }
  });

  it('requires exactly the inputs that have no fallback', async () => {
    const uses = Object.values((await operations[name]()).inputs);
    const needed = uses.filter(({ input, absent }) => absent === 'error' && input.fallback !== true);
    const required = declared.filter(([, entry]) => valueAt(entry, 'required') === true).map(([input]) => input);
    expect(required.sort()).toEqual(needed.map(({ input }) => input.name).sort());
  });

  it('has the outputs of action.yml, and runs on Node 24', () => {
    expect(valueAt(metadata, 'outputs')).toEqual(valueAt(root, 'outputs'));
    expect(valueAt(metadata, 'runs')).toEqual({ using: 'node24', main: 'index.cjs' });
  });
});
