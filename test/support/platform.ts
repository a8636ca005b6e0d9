import { it } from '@jest/globals';

const onWindows = process.platform === 'win32';

/** For tests that end a process by a signal: Windows has none, and ends it at once. */
export const itWithSignals = onWindows ? it.skip : it;

/** For tests with names, links or modes of files that Windows does not have. */
export const itWithPosixFiles = onWindows ? it.skip : it;
