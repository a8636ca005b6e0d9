import { it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const onWindows = process.platform === 'win32';

/** For tests that end a process by a signal: Windows has none, and ends it at once. */
export const itWithSignals = onWindows ? it.skip : it;

/** For tests with names, links or modes of files that Windows does not have. */
export const itWithPosixFiles = onWindows ? it.skip : it;

const programs = ['bash', 'curl', 'cut', 'find', 'sha256sum'];
const folders = (process.env['PATH'] ?? '').split(delimiter);
const hasPrograms = programs.every((name) => folders.some((folder) => existsSync(join(folder, name))));

/** For tests that run scripts of workflows for `ubuntu-latest`, where the programs that these call are there. */
export const itAsOnUbuntu = process.platform === 'linux' && hasPrograms ? it : it.skip;

/** For tests with a file that is always full: Linux has one. */
export const itWithFullDevice = process.platform === 'linux' ? it : it.skip;
