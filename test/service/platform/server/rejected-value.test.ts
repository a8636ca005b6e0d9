import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderRejectedValue } from '../../../../src/service/platform/server/rejected-value.ts';
import { codePoint } from '../../../support/code-point.ts';

describe('the rejected value in a validation error', () => {
  it.each([
    ['a text', { name: 'bad name' }, 'name', ' [input: bad name]'],
    ['a number', { per_page: 0 }, 'per_page', ' [input: 0]'],
    ['a flag', { archived: true }, 'archived', ' [input: true]'],
    ['null', { name: null }, 'name', ' [input: null]'],
    ['an entry of a list', { list: [{ a: 1 }, { a: 'x' }] }, 'list.1.a', ' [input: x]'],
    ['a key with dots', { digests: { 'a.b/c:1.2': 'x' } }, 'digests.a.b/c:1.2', ' [input: x]'],
    ['the whole', 'text', '', ' [input: text]'],
    ['an empty text', { name: '' }, 'name', ' [input: ]'],
    ['nothing that is missing', {}, 'name', ''],
    ['nothing that is inherited', {}, 'toString', ''],
    ['no object', { name: { a: 1 } }, 'name', ''],
    ['no list', { name: ['a'] }, 'name', ''],
    ['no secret', { targets: [{ webhook: 'hooks.example.com/s3cret' }] }, 'targets.0.webhook', ''],
    ['what cannot be seen', { name: 'a\n\u001b[31m\u202eb' }, 'name', ' [input: a\\u{a}\\u{1b}[31m\\u{202e}b]'],
    ['a hundred characters', { name: '😀'.repeat(100) }, 'name', ` [input: ${'😀'.repeat(100)}]`],
    ['no more', { name: '😀'.repeat(101) }, 'name', ` [input: ${'😀'.repeat(100)}…]`],
  ])('shows %s', (_what, whole, field, expected) => {
    expect(renderRejectedValue(whole, field)).toBe(expected);
  });

  it('is one short line for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (name) => {
        const words = renderRejectedValue({ name }, 'name');
        expect(words).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(words.length).toBeLessThan(1000);
      }),
    );
  });
});
