import { runInNewContext } from 'node:vm';
import { textAt } from '../../runtime/untrusted-data.ts';

/** A limit was exceeded. The message is a verb phrase: `need more than 64 MiB`. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/** The time is up, but the machine was busy with something else. */
class BusyError extends LimitError {}

/**
 * Runs work with a time limit. A watchdog thread ends even a loop in WebAssembly.
 *
 * @throws LimitError
 */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  const before = process.threadCpuUsage();
  try {
    return runInNewContext('work()', { work }, { timeout: milliseconds }) as Result;
  } catch (error) {
    if (textAt(error, 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.threadCpuUsage(before);
    const isBusy = user + system < (milliseconds * 1000) / 2;
    throw new (isBusy ? BusyError : LimitError)(`take longer than ${milliseconds} ms`, { cause: error });
  }
}

/** How often work is tried while the machine is busy: a verdict must not depend on that. */
const maximumAttempts = 10;

/** Repeats work that uses `withinTime` while the machine is too busy for it. */
export async function whileBusy<Result>(attempt: () => Result | Promise<Result>): Promise<Result> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (number === maximumAttempts || !(error instanceof BusyError)) throw error;
    }
  }
}
