import { builtinModules, createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { ESLint } from 'eslint';

const require = createRequire(import.meta.url);
// This rule needs no types, whose loading takes seconds.
const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-syntax',
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

/** The public modules of Node.js, without those that warn because they are deprecated. */
const modules = builtinModules
  .filter((name) => !name.startsWith('_') && !['punycode', 'sys', 'wasi'].includes(name))
  .map((name) => `node:${name.replace(/^node:/u, '')}`);

/** What the linter says about the lines of a source. */
async function messagesFor(lines: readonly string[]): Promise<readonly { line: number; message: string }[]> {
  const [result] = await eslint.lintText(lines.join('\n'), { filePath: 'src/main.ts' });
  if (result === undefined) throw new Error('the linter did not read the source');
  return result.messages;
}

describe('import() of a module of Node.js', () => {
  it('is refused if the module is a function, of which ncc’s bundle only gets `default`', async () => {
    const functions = modules.filter((name) => typeof require(name) === 'function');
    const messages = await messagesFor(modules.map((name) => `const { a } = await import('${name}');`));
    expect(messages.map(({ line }) => modules[line - 1])).toEqual(functions);
    expect(functions).toContain('node:stream');
  });

  it('is refused with a remedy, wherever it stands, and a static import is not', async () => {
    const messages = await messagesFor([
      "import { Readable } from 'node:stream';",
      "const [{ pipeline }] = await Promise.all([import('node:stream')]);",
    ]);
    expect(messages).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining('Import its names with a static import') }),
    ]);
  });
});
