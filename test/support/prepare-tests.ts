import { prepareGit } from './prepare-git.ts';
import { useRamDisk } from './use-ram-disk.ts';

/** Runs once, before all tests, in the process that starts the workers. */
export default function prepareTests(): void {
  prepareGit();
  useRamDisk();
}
