import { expect, it } from '@jest/globals';
import { actionEntries, readText } from '../support/repository.ts';

it('the page about the outputs has every output of action.yml, in its order', () => {
  const [, section = ''] = /^## Outputs\n(.*?)^## /msu.exec(readText('docs/outputs.md')) ?? [];
  const documented = [...section.matchAll(/^### (\S+)$/gmu)].map(([, name]) => name);
  expect(documented).toEqual([...actionEntries('outputs').keys()]);
});
