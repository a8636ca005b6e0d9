import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResponseFile, WrittenResponse } from '../../operations/operation.ts';
import { type RunnerFile, RunnerFileError, withRunnerFile } from '../../runtime/runner-file.ts';
import { printableJson } from './escape.ts';
import type { Secrets } from './secrets.ts';

/** Where the response file is written, and what is redacted in it. */
export interface ResponseLocation {
  readonly secrets: Secrets;
  /** A directory that lasts as long as the job, for later steps. */
  readonly directory: string;
}

/** The response as later steps get it. */
export interface StoredResponse {
  /** Empty if it could not be written. */
  readonly path: string;
  /** The response as JSON; empty if it exceeds GitHub's limit. */
  readonly output: string;
  /** Why the file could not be written. */
  readonly failure?: RunnerFileError;
}

/** GitHub's limit for the outputs of a job, in bytes, counted in UTF-16. */
const maximumOutputBytes = 1024 * 1024;

/** Readable by the job's user only. */
const mode = 0o600;

const responseFileOfRunner: RunnerFile = { variable: 'RUNNER_TEMP', holds: 'the response file' };

/** The response file for lists that come in pages. Secrets are redacted page by page, so only one page is in memory. */
export function responseFile(location: ResponseLocation): ResponseFile {
  return {
    async writeList(walk) {
      const path = responsePath(location);
      let failure = write(path, '[', 'w');
      let separator = '';
      // A call of its own for each page, so that none is kept alive while the next is fetched.
      const writeNext = async (): Promise<boolean> => {
        const page = await walk();
        if (page === undefined) return false;
        if (page.length === 0) return true;
        failure ??= write(path, separator + toJsonItems(page, location.secrets), 'a');
        separator = ',\n';
        return true;
      };
      while (await writeNext());
      failure ??= write(path, ']', 'a');
      return failure === undefined ? { path } : { path: '', failure };
    },
  };
}

/** Writes a text. If that fails, removes the file, which is incomplete, and returns the error. */
function write(path: string, text: string, flag: 'w' | 'a'): RunnerFileError | undefined {
  try {
    withRunnerFile(responseFileOfRunner, () => {
      writeFileSync(path, text, { mode, flag });
    });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof RunnerFileError)) throw thrown;
    rmSync(path, { force: true });
    return thrown;
  }
}

/** The items of a page as JSON, without the brackets of the array. */
function toJsonItems(page: readonly unknown[], { redact }: Secrets): string {
  const whole = toJson(page);
  // Items are redacted one by one, so that no match spans two of them; few pages contain a secret at all.
  return redact(whole) === whole ? whole.slice(1, -1) : page.map((item) => redact(toJson(item))).join(',');
}

/** Writes the response file unless it is already written. Returns what the outputs say about it. */
export function writeResponse(
  { response, written }: { readonly response: unknown; readonly written: WrittenResponse | undefined },
  location: ResponseLocation,
): StoredResponse {
  if (written !== undefined) {
    return { ...written, output: written.failure === undefined ? readIfSmall(written.path) : '' };
  }
  const text = toJson(response);
  const path = responsePath(location);
  const output = emptyIfTooLarge(text);
  const failure = write(path, location.secrets.redact(text), 'w');
  return failure === undefined ? { path, output } : { path: '', output, failure };
}

/** JSON without control characters, because a later step may print it to a terminal. */
function toJson(value: unknown): string {
  return printableJson(JSON.stringify(value));
}

function responsePath({ directory }: ResponseLocation): string {
  return join(directory, 'response.json');
}

// A UTF-16 code unit takes at most three bytes in UTF-8, so a larger file cannot fit and is not read.
function readIfSmall(path: string): string {
  const units = maximumOutputBytes / 2;
  return statSync(path).size > units * 3 ? '' : emptyIfTooLarge(readFileSync(path, 'utf8'));
}

function emptyIfTooLarge(text: string): string {
  return text.length * 2 <= maximumOutputBytes ? text : '';
}
