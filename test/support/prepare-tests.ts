import { join } from 'node:path';
import { prepareGit } from './prepare-git.ts';
import { useRamDisk } from './use-ram-disk.ts';

/** Runs once, before all tests, in the process that starts the workers. */
export default function prepareTests(): void {
  prepareGit();
  useRamDisk();
  shareCompiledCode();
}

/** Lets the hundreds of processes that the tests start compile each source once. They run only a few programs. */
function shareCompiledCode(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '..', 'build', 'compile-cache');
}
