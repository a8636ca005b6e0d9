import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readText, root } from '../support/repository.ts';

it('the page about the trial has its steps, and no others', () => {
  const page = readText('docs/trial.md').replaceAll('\n  ', ' ');
  const documented = [...page.matchAll(/^- (.*) → (?:passes|fails): /gmu)].map(([, title]) => title);
  const stories = readdirSync(join(root, 'trial')).filter((name) => name.endsWith('-story.ts'));
  const code = stories.map((name) => readText(`trial/${name}`)).join('\n');
  const steps = [...code.matchAll(/\bstep\(\s*'([^']+)'/gu)].map(([, title]) => title);
  expect(steps.length).toBeGreaterThan(20);
  expect(documented.sort()).toEqual(steps.sort());
});
