import { prepareGit } from './prepare-git.ts';
import { useMemoryDisk } from './use-memory-disk.ts';

/** Runs once, before all tests, in the process that starts the workers. */
export default function prepareTests(): void {
  prepareGit();
  useMemoryDisk();
}
