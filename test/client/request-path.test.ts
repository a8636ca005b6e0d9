import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillPath, queryString } from '../../src/client/request-path.ts';
import { UserError } from '../../src/runtime/failure.ts';

const base = 'https://compliance.example.com/api/v2';
const segment = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => text !== '.' && text !== '..' && text.isWellFormed());
const tricky = fc.constantFrom(
  'pr/12',
  '../x',
  '%2e%2e',
  '.%2e',
  '...',
  'a?b',
  'a#b',
  'a b',
  'a\\b',
  'größe',
  ';',
  '$&',
  '{org}',
  '\n',
);

describe('the path of a request', () => {
  it('keeps a name with a slash as one segment', () => {
    expect(fillPath('/flows/{org}/{flow_name}', { org: 'acme', flow_name: 'pr/12' })).toBe('/flows/acme/pr%2F12');
  });

  it('keeps every value as one segment that decodes back, also after a URL parser has seen it', () => {
    fc.assert(
      fc.property(fc.oneof(segment, tricky), fc.oneof(segment, tricky), (org, name) => {
        const path = fillPath('/flows/{org}/trail/{name}/sonar', { org, name });
        const url = new URL(base + path);
        expect(url.search + url.hash).toBe('');
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual([
          '',
          'api',
          'v2',
          'flows',
          org,
          'trail',
          name,
          'sonar',
        ]);
      }),
    );
  });

  it.each(['', '.', '..', '\ud800', 'a\udc00', undefined, null, 12, {}])(
    'refuses %j, which no encoding keeps apart from the path around it',
    (value) => {
      expect(() => fillPath('/flows/{org}', { org: value })).toThrow(UserError);
    },
  );

  it('names the parameter that it refuses, and says what to do', () => {
    expect(() => fillPath('/flows/{org}', { org: '..' })).toThrow('".." cannot be used as org in a URL');
  });

  it('takes no parameter from a prototype', () => {
    expect(() => fillPath('/flows/{constructor}', {})).toThrow(UserError);
  });
});

describe('the query of a request', () => {
  it('is empty if no parameter has a value', () => {
    expect(queryString({})).toBe('');
    expect(queryString({ trail: undefined, page: null, list: [], object: {} })).toBe('');
  });

  it('repeats a parameter for every entry of a list', () => {
    expect(queryString({ policy_name: ['a', 'b&c'], page: 1 })).toBe('?policy_name=a&policy_name=b%26c&page=1');
  });

  it('gives every value back to a URL parser', () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean());
    const query = fc.dictionary(fc.stringMatching(/^[a-z_]+$/u), value);
    fc.assert(
      fc.property(query, (parameters) => {
        const url = new URL(`${base}/flows${queryString(parameters)}`);
        expect(url.pathname).toBe('/api/v2/flows');
        expect(url.hash).toBe('');
        expect([...url.searchParams]).toEqual(
          Object.entries(parameters).map(([name, parameter]) => [name, String(parameter)]),
        );
      }),
    );
  });

  it('keeps an empty text, which is a value', () => {
    expect(queryString({ interval: '' })).toBe('?interval=');
  });
});
