import { describe, expect, it } from '@jest/globals';
import { RunnerFileError, withRunnerFile } from '../../src/runtime/runner-file.ts';

function refused(code: string): RunnerFileError {
  const thrown = Object.assign(new Error(`${code}: so it said, write`), { code });
  return new RunnerFileError({ variable: 'RUNNER_TEMP', holds: 'the archive of the files' }, thrown);
}

describe('a file of the runner that cannot be written', () => {
  it.each([
    ['ENOSPC', "the runner's disk is full", true],
    ['EDQUOT', 'the disk quota is used up', true],
    ['EROFS', 'the file system is read-only', false],
    ['EACCES', "the job's user may not write there", false],
    ['EPERM', "the job's user may not write there", false],
    ['EEXIST', 'a part of the path is a file, not a folder', false],
    ['ENOTDIR', 'a part of the path is a file, not a folder', false],
  ])('says of %s that %s, where, and what to do', (code, why, isFull) => {
    expect(refused(code)).toMatchObject({
      kind: 'runner',
      isFull,
      message: `the archive of the files could not be written to the path in RUNNER_TEMP: ${why} (${code}: so it said, write)`,
      remedy: expect.stringMatching(/RUNNER_TEMP.*\.$/u),
    });
  });

  it('keeps the message of any other error, without its full stop', () => {
    const thrown = new Error('Check the permissions.');
    const { message } = new RunnerFileError({ variable: 'RUNNER_TEMP', holds: 'the response file' }, thrown);
    expect(message).toMatch(/: Check the permissions$/u);
    expect(refused('EIO')).toMatchObject({ isFull: false, message: expect.stringContaining(': EIO: so it said') });
  });

  it('is a runner error, whatever was thrown', () => {
    const work = (): never => {
      throw new TypeError('odd');
    };
    expect(() => withRunnerFile({ variable: 'GITHUB_OUTPUT', holds: 'the outputs' }, work)).toThrow(RunnerFileError);
  });
});
