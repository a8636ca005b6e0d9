import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBaseUrl } from '../../src/client/base-url.ts';

/** The normalized URL, or why the text is not one. */
function read(text: string): string {
  const parsed = parseBaseUrl(text);
  return parsed.problem ?? parsed.url.href;
}

describe('a base address', () => {
  it.each([
    ['https://compliance.example.com', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/api/v2', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/api/v2/', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/api/v2//', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/tracking', 'https://compliance.example.com/tracking/api/v2'],
    ['https://compliance.example.com/tracking/api/v2', 'https://compliance.example.com/tracking/api/v2'],
    ['https://compliance.example.com/myapi/v2', 'https://compliance.example.com/myapi/v2/api/v2'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/api/v2'],
    ['HTTPS://Compliance.Example.com:443', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com?', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/#', 'https://compliance.example.com/api/v2'],
    ['https://compliance.example.com/api/v2?#', 'https://compliance.example.com/api/v2'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['compliance.example.com', 'must be a URL'],
    ['', 'must be a URL'],
    ['/api/v2', 'must be a URL'],
    ['ftp://compliance.example.com', 'must start with https://'],
    ['file:///etc/passwd', 'must start with https://'],
    ['https://key@compliance.example.com', 'user name or password'],
    ['https://user:hunter2@compliance.example.com', 'user name or password'],
    ['https://compliance.example.com?org=acme', 'query or a fragment'],
    ['https://compliance.example.com/#top', 'query or a fragment'],
  ])('%j is rejected', (text, problem) => {
    expect(parseBaseUrl(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('never repeats what was wrong, which may hold a key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{12,40}$/u), (key) => {
        for (const text of [`https://${key}@example.com`, `https://example.com?k=${key}`, `${key}://x`, key]) {
          expect(parseBaseUrl(text).problem).not.toContain(key);
        }
      }),
    );
  });

  it('ends with the version prefix, nothing after it, and is normalized to itself', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: false }), (text) => {
        expect(read(text)).toMatch(/\/api\/v2$/u);
        expect(read(read(text))).toBe(read(text));
      }),
    );
  });
});
