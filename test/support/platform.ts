import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from '@jest/globals';

const onWindows = process.platform === 'win32';

/** For tests that end a process with a signal. Windows has no signals and ends it at once. */
export const itWithSignals = onWindows ? it.skip : it;

/** For tests with file names, links or modes that Windows does not support. */
export const itWithPosixFiles = onWindows ? it.skip : it;

/** For tests of permissions. Root may do everything, and Windows has other permissions. */
export const itWithPermissions = onWindows || process.getuid?.() === 0 ? it.skip : it;

const programs = ['bash', 'curl', 'cut', 'find', 'sha256sum'];
const folders = (process.env['PATH'] ?? '').split(delimiter);
const hasPrograms = programs.every((name) => folders.some((folder) => existsSync(join(folder, name))));

const runsUbuntuScripts = process.platform === 'linux' && hasPrograms;

/** For tests that run scripts of workflows for `ubuntu-latest`, if the programs that they call are installed. */
export const itAsOnUbuntu = runsUbuntuScripts ? it : it.skip;

/** Like `itAsOnUbuntu`, for a group of tests. */
export const describeAsOnUbuntu = runsUbuntuScripts ? describe : describe.skip;

/** For tests that need `/dev/full`, which Linux has. */
export const itWithFullDevice = process.platform === 'linux' ? it : it.skip;
