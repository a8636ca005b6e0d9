import { describe, expect, it } from '@jest/globals';
import { withoutChoices } from '../../../tools/bundle/without-choices.ts';

describe('the choices of a declaration', () => {
  it('are left out, and nothing else', () => {
    const declare = (choices: string): string =>
      `const get = (0, endpoint.vy)({ title: 'Get', choices: ${choices}, errors: [1] }); f(() => g({ title: t, choices: ${choices} }));`;
    expect(withoutChoices(declare("[{ subject: 'a', choice: 'b' }, shared]"))).toBe(declare('[]'));
  });

  it.each([
    'const question = { choices: [1, 2] };',
    'const passedOn = { title, choices };',
    'const referred = { title: 1, choices: shared };',
    'const [choices, title] = [[1], [2]];',
  ])('stay in what is no declaration: %s', (script) => {
    expect(withoutChoices(script)).toBe(script);
  });
});
