import { describe, expect, it } from '@jest/globals';
import { isUnencryptedUrl } from '../../src/runtime/unencrypted-url.ts';

describe('an API key', () => {
  it.each([
    'http://compliance.example.com',
    'http://10.0.0.1',
    'http://127.example.com',
    'http://localhost.example.com',
  ])('could be read on its way to %s', (url) => {
    expect(isUnencryptedUrl(new URL(url))).toBe(true);
  });

  it.each([
    'https://compliance.example.com',
    'http://localhost:8080',
    'http://service.localhost',
    'http://127.0.0.1',
    'http://127.1.2.3:80',
    'http://[::1]:8080',
  ])('could not be read on its way to %s', (url) => {
    expect(isUnencryptedUrl(new URL(url))).toBe(false);
  });
});
