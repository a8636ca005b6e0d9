import { expect, it } from '@jest/globals';
import { readText } from '../support/repository.ts';

it('the page about the trial has its steps, and no others', () => {
  const page = readText('docs/trial.md').replaceAll('\n  ', ' ');
  const documented = [...page.matchAll(/^- (.*) → (?:passes|fails): /gmu)].map(([, title]) => title);
  const steps = [...readText('trial/trial.ts').matchAll(/\bstep\(\s*'([^']+)'/gu)].map(([, title]) => title);
  expect(documented.sort()).toEqual(steps.sort());
});
