import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { version } from '../../src/runtime/version.ts';

describe('the version', () => {
  it("is package.json's", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(version).toBe(textAt(manifest, 'version'));
  });
});
