import { setFlagsFromString } from 'node:v8';

/**
 * What turns V8's optimizing compilers off, for WebAssembly and for JavaScript. V8 draws the conclusions of `--liftoff-only`
 * at its own start only, so that they are said here.
 */
const flags = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-maglev', '--no-turbofan'];

/**
 * Lets V8 do without its optimizing compilers from here on. A step that walks through a long list waits for answers and hardly
 * computes; compiling undici's parser, and whatever runs once a request, a second time for speed takes three times the memory
 * of the walk itself (docs/performance.md).
 */
export function spareMemory(): void {
  for (const flag of flags) setFlagsFromString(flag);
}
