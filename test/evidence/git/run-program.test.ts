import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCommitFromGit } from '../../../src/evidence/commit/git-commit.ts';
import { createGitRunner } from '../../../src/evidence/git/git-runner.ts';
import { findProgram, type ProgramRun, runProgram } from '../../../src/evidence/git/run-program.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { manualClock } from '../../support/clock.ts';
import { type GitFolder, gitFolder, isolatedGit } from '../../support/git-repository.ts';
import { itWithPosixFiles as itOnPosix } from '../../support/platform.ts';

let folder: GitFolder;
beforeAll(() => {
  folder = gitFolder();
});
afterAll(() => {
  folder.remove();
});

/** A shell script with these lines. */
function program(name: string, lines: string): string {
  const directory = join(folder.path, name);
  mkdirSync(directory);
  const file = join(directory, 'git');
  writeFileSync(file, `#!/bin/sh\ncd '${directory}'\n${lines}\n`, { mode: 0o755 });
  return file;
}

function runOf(file: string, other: Partial<ProgramRun> = {}): ProgramRun {
  const env = { PATH: process.env['PATH'] ?? '' };
  return {
    file,
    commandLine: [],
    env,
    clock: systemClock,
    timeoutMilliseconds: 60_000,
    maximumOutputBytes: 1000,
    ...other,
  };
}

/** Waits until a condition holds; programs take a few milliseconds. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The process ids that a program wrote to a file, once all are there. */
async function pidsIn(file: string, count: number): Promise<readonly number[]> {
  const read = (): readonly string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  await until(() => read().length >= count);
  return read().map(Number);
}

/** Whether a process is running; a zombie is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const stubborn = 'trap "" TERM INT HUP\necho $$ >> pids\nwhile :; do sleep 0.1; done';

describe('a program', () => {
  itOnPosix('that takes too long is killed, even if it ignores signals', async () => {
    const file = program('slow', stubborn);
    const clock = manualClock();
    const running = runProgram(runOf(file, { clock, timeoutMilliseconds: 30_000 }));
    const pids = await pidsIn(join(file, '../pids'), 1);
    await clock.advance(29_999);
    expect(pids.map(isAlive)).toEqual([true]);
    await clock.advance(1);
    await expect(running).resolves.toMatchObject({ how: 'late', exitCode: -1 });
    await until(() => !pids.some(isAlive));
    expect(clock.pending()).toBe(0);
  });

  itOnPosix('is killed if the job is cancelled', async () => {
    const file = program('cancelled', stubborn);
    const cancelled = new AbortController();
    const running = runProgram(runOf(file, { signal: cancelled.signal }));
    const pids = await pidsIn(join(file, '../pids'), 1);
    cancelled.abort(new Error('the job was cancelled'));
    await expect(running).rejects.toThrow('the job was cancelled');
    await until(() => !pids.some(isAlive));
  });

  itOnPosix('is not started in a cancelled job', async () => {
    const signal = AbortSignal.abort(new Error('the job was cancelled'));
    await expect(runProgram(runOf('/nowhere', { signal }))).rejects.toThrow('the job was cancelled');
  });

  itOnPosix('that leaves a child process with open output does not delay the result', async () => {
    const file = program('left', 'echo told\nsleep 3600 &\necho $! >> pids\nexit 3');
    const clock = manualClock();
    const running = runProgram(runOf(file, { clock }));
    const pids = await pidsIn(join(file, '../pids'), 1);
    await until(() => clock.pending() === 2);
    // Its output may arrive after its end.
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(2000);
    await expect(running).resolves.toEqual({ how: 'by itself', exitCode: 3, stdout: 'told\n', stderr: '' });
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  });

  itOnPosix('that writes too much is killed, and the first bytes are kept', async () => {
    const end = await runProgram(runOf(program('endless', 'while :; do echo 123456789; done')));
    expect(end).toMatchObject({ how: 'cut', exitCode: -1 });
    expect(end.stdout).toBe('123456789\n'.repeat(100));
  });

  itOnPosix('may write more to standard error than is kept', async () => {
    const end = await runProgram(
      runOf(program('noisy', 'i=0; while [ $i -lt 500 ]; do echo 123456789 >&2; i=$((i+1)); done; echo done')),
    );
    expect(end).toMatchObject({ how: 'by itself', exitCode: 0, stdout: 'done\n' });
    expect(end.stderr).toHaveLength(1000);
  });

  itOnPosix('gets no input', async () => {
    const end = await runProgram(runOf(program('asking', 'read answer || echo none')));
    expect(end.stdout).toBe('none\n');
  });

  itOnPosix('that another process kills has no exit code', async () => {
    await expect(runProgram(runOf(program('killed', 'kill -KILL $$')))).resolves.toMatchObject({ exitCode: -1 });
  });

  it('that cannot be started is an error', async () => {
    await expect(runProgram(runOf(join(folder.path, 'nothing')))).rejects.toThrow('Unable to locate executable');
  });

  itOnPosix('is found in the absolute directories of the PATH only', () => {
    const file = program('found', 'exit 0');
    const directory = join(file, '..');
    const plain = join(folder.path, 'plain');
    mkdirSync(join(plain, 'git'), { recursive: true });
    expect(findProgram('git', ['', '.', 'bin', plain, directory].join(delimiter))).toBe(file);
    chmodSync(file, 0o644);
    expect(findProgram('git', directory)).toBeUndefined();
    expect(findProgram('git', undefined)).toBeUndefined();
  });
});

describe('git that does not end', () => {
  itOnPosix('is killed after 30 seconds, with a remedy, and is not run again', async () => {
    const file = program('hanging', 'echo $$ >> pids\nexec sleep 3600');
    const clock = manualClock();
    const runner = createGitRunner(
      { ...isolatedGit, PATH: `${join(file, '..')}:${isolatedGit['PATH'] ?? ''}` },
      { clock },
    );
    const miss = {
      kind: 'external',
      what: 'git took longer than 30 s and was killed',
      remedy: expect.stringContaining('Run `git log -1` in the workspace'),
    };
    const pids = join(file, '../pids');
    const answer = readCommitFromGit(runner, folder.path, 'a'.repeat(40));
    await pidsIn(pids, 1);
    await clock.advance(30_000);
    await expect(answer).resolves.toEqual({ miss });
    await expect(readCommitFromGit(runner, folder.path, 'a'.repeat(40))).resolves.toEqual({ miss });
    expect(await pidsIn(pids, 1)).toHaveLength(1);
  });
});
