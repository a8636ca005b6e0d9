import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import type { SyncTransformer } from '@jest/transform';
import stripTypes from './strip-types.ts';

/** Loads a module as Node.js does outside of the tests. */
export const requireNatively = createRequire(import.meta.url);

const tests = dirname(import.meta.dirname) + sep;

/**
 * Only the tests and their support are loaded by Jest, anew for each test file. What they import from the project or from
 * packages becomes a reference to what Node.js loads, once for each worker.
 */
const transformer: SyncTransformer = {
  process(source, path, options) {
    if (path.startsWith(tests)) return stripTypes.process(source, path, options);
    // A package that a script of Jest itself requires, such as the global setup.
    if (!options.supportsStaticESM) return { code: source };
    const lines = exportsOf(path).map((name) =>
      name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`,
    );
    return { code: [`const loaded = requireNatively(${JSON.stringify(path)});`, ...lines].join('\n') };
  },
  // A module can have other exports although its own text is the same.
  getCacheKey(source, path, { supportsStaticESM }) {
    const content = path.startsWith(tests) || !supportsStaticESM ? source : exportsOf(path);
    return createHash('sha1')
      .update(JSON.stringify([path, content]))
      .digest('hex');
  },
};
export default transformer;

function exportsOf(path: string): readonly string[] {
  const loaded: unknown = requireNatively(path);
  return typeof loaded === 'object' && loaded !== null ? Object.keys(loaded) : [];
}
