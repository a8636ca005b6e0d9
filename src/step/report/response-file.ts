import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResponseFile, WrittenResponse } from '../../operations/operation.ts';
import { RunnerFileError, withRunnerFile, type RunnerFile } from '../../runtime/runner-file.ts';
import { printableJson } from './escape.ts';
import type { Secrets } from './secrets.ts';

/** The place of the file that holds a step's answer. */
export interface ResponseLocation {
  readonly secrets: Secrets;
  /** A directory that lasts as long as the job. */
  readonly directory: string;
}

/** The answer as a step hands it on. */
export interface StoredResponse {
  /** Empty if it could not be written. */
  readonly path: string;
  /** The answer as JSON; empty where it is larger than GitHub takes. */
  readonly output: string;
  /** Why the file could not be written. */
  readonly failure?: RunnerFileError;
}

/** GitHub's limit for the outputs of a job, in bytes of UTF-16. */
const maximumOutputBytes = 1024 * 1024;

/** Only the user who runs the job may read what the service answered. */
const mode = 0o600;

const answerFile: RunnerFile = { variable: 'RUNNER_TEMP', holds: 'the file of the answer' };

/** The file for answers that come in pieces. A secret is redacted within each item, so memory holds one page at a time. */
export function responseFile(place: ResponseLocation): ResponseFile {
  return {
    async writeList(walk) {
      const list = await openList(pathIn(place));
      try {
        let before = '[';
        // Each page in a call of its own, so that none is held while the next is asked for.
        const writeNext = async (): Promise<boolean> => {
          const page = await walk();
          if (page === undefined) return false;
          if (page.length === 0) return true;
          const text = before + itemsOf(page, place.secrets);
          before = ',\n';
          await list.append(text);
          return true;
        };
        while (await writeNext());
        await list.append(before === '[' ? '[]' : ']');
      } finally {
        await list.close();
      }
      return list.failure === undefined ? { path: list.path } : { path: '', failure: list.failure };
    },
  };
}

/** A file that is written in pieces, and takes no more once one could not be written. */
interface ListFile {
  readonly path: string;
  readonly failure: RunnerFileError | undefined;
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

async function openList(path: string): Promise<ListFile> {
  // Node compiles it at its first use, and few steps write a list.
  const { open, rm } = await import('node:fs/promises');
  let failure: RunnerFileError | undefined;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((thrown: unknown) => {
      failure ??= new RunnerFileError(answerFile, thrown);
    });
  };
  let file: FileHandle | undefined;
  await attempt(async () => {
    file = await open(path, 'w', mode);
  });
  return {
    path,
    get failure() {
      return failure;
    },
    async append(text) {
      if (failure === undefined) await attempt(async () => file?.appendFile(text));
    },
    async close() {
      await attempt(async () => file?.close());
      // Half an answer is none, and takes room.
      if (failure !== undefined) await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** The items of a page as JSON, without brackets. */
function itemsOf(page: readonly unknown[], { redact }: Secrets): string {
  const whole = toJson(page);
  // Nearly no page holds a secret; only one that does is redacted item by item.
  return redact(whole) === whole ? whole.slice(1, -1) : page.map((item) => redact(toJson(item))).join(',');
}

/** Writes the answer to its file, unless it is there already, and gives what the outputs say of it. */
export function writeResponse(
  { response, written }: { readonly response: unknown; readonly written: WrittenResponse | undefined },
  place: ResponseLocation,
): StoredResponse {
  if (written !== undefined) {
    return { ...written, output: written.failure === undefined ? readSmall(written.path) : '' };
  }
  const text = toJson(response);
  const path = pathIn(place);
  const output = fitting(text);
  try {
    withRunnerFile(answerFile, () => {
      writeFileSync(path, place.secrets.redact(text), { mode });
    });
    return { path, output };
  } catch (thrown) {
    if (!(thrown instanceof RunnerFileError)) throw thrown;
    rmSync(path, { force: true });
    return { path: '', output, failure: thrown };
  }
}

/** JSON that no terminal obeys: a later step may print it. */
function toJson(value: unknown): string {
  return printableJson(JSON.stringify(value));
}

function pathIn({ directory }: ResponseLocation): string {
  return join(directory, 'response.json');
}

// A unit of UTF-16 takes at most three bytes of UTF-8; what is larger cannot fit and is not read.
function readSmall(path: string): string {
  const units = maximumOutputBytes / 2;
  return statSync(path).size > units * 3 ? '' : fitting(readFileSync(path, 'utf8'));
}

function fitting(text: string): string {
  return text.length * 2 <= maximumOutputBytes ? text : '';
}
