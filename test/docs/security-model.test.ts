import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readText, root } from '../support/repository.ts';

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?:\.test|acceptance)\.ts$/u.test(name))
  .map((name) => readText(join('test', name)));

const items = readText('docs/security-model.md').matchAll(/^- [^`]*:\s+`([^`]+)`$/gmu);
const named = [...items].map(([, title = '']) => title);

describe('the security model', () => {
  it('names tests', () => {
    expect(named.length).toBeGreaterThan(10);
  });

  it.each(named)('names a test that exists: %s', (title) => {
    expect(tests.some((text) => text.includes(`('${title}'`))).toBe(true);
  });
});
