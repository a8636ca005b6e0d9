import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ComplianceClient } from '../../client/client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { forInput, unreadableError } from '../../evidence/files/file-problems.ts';
import { readTextFile } from '../../evidence/files/text-file.ts';
import { knownCheckpoint } from '../../operations/inputs/step-inputs.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { concludeWithReasons } from '../../operations/reasons.ts';
import { ExternalError, Failure, type Problem, UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import {
  type Checkpoint,
  isLogOf,
  maximumCheckpointLength,
  parseCheckpoint,
} from '../../runtime/transparency-log/checkpoint.ts';
import { toTilePath } from '../../runtime/transparency-log/tile-path.ts';
import { cacheTiles, findRoots, hashBytes, type ReadHashes } from '../../runtime/transparency-log/tree.ts';
import { isSignedBy, parseVerifierKey, type VerifierKey } from '../../runtime/transparency-log/verifier-key.ts';
import type { OnNonCompliant } from './gate.ts';

const input = knownCheckpoint.name;

export interface KnownLog {
  /** Undefined if none is given. */
  readonly known?: Checkpoint;
  readonly problems: readonly Problem[];
}

interface StepSettings {
  readonly operation: string;
  readonly onNonCompliant: OnNonCompliant;
  readonly workspace: string;
  readonly org: string;
}

/**
 * Reads the checkpoint that the log must continue.
 *
 * @param path relative to the workspace
 */
export async function readKnownCheckpoint(path: string, settings: StepSettings): Promise<KnownLog> {
  if (settings.onNonCompliant === 'ignore') {
    const what = `\`${input}\` has no effect on ${settings.operation} with \`on-non-compliant: ignore\``;
    const remedy = `Set \`on-non-compliant: fail\`, which is not the default here, or remove \`${input}\`.`;
    return { problems: [{ input, what, remedy }] };
  }
  try {
    return { known: await forInput(input, () => readCheckpointFile(path, settings)), problems: [] };
  } catch (thrown) {
    if (thrown instanceof UserError) return { problems: thrown.problems };
    throw thrown;
  }
}

/** @throws UserError if the file cannot be read, or is not a checkpoint of the organization's log */
async function readCheckpointFile(path: string, { workspace, org }: StepSettings): Promise<Checkpoint> {
  const whole = resolve(workspace, path);
  const { size } = await stat(whole).catch((thrown: unknown) => {
    throw unreadableError(whole, thrown);
  });
  const rules = { purpose: 'a checkpoint', maximumBytes: maximumCheckpointLength, input };
  const checkpoint = parseCheckpoint(await readTextFile({ path: whole, name: path, size }, rules));
  const remedy = 'Write the output `checkpoint` of an earlier step with the same `org` into the file.';
  if (checkpoint === undefined) {
    throw new UserError({ input, what: `${path} is not a checkpoint of a transparency log`, remedy });
  }
  if (isLogOf(checkpoint, org)) return checkpoint;
  const what = `${path} is a checkpoint of ${checkpoint.origin}, not of the log of organization ${org}`;
  throw new UserError({ input, what, remedy });
}

interface LogContext {
  readonly client: ComplianceClient;
  readonly org: string;
  readonly log: Log;
}

/** Returns the result and the current checkpoint if the log continues the known one; otherwise a result that fails. */
export async function requireContinuation(
  result: OperationResult,
  known: Checkpoint,
  context: LogContext & { readonly signal: AbortSignal },
): Promise<{ readonly result: OperationResult; readonly checkpoint?: string }> {
  // The step fails already, or nothing was judged.
  if (result.failure !== undefined || result.outcome === 'skipped') return { result };
  const verdict = `Before this check: ${result.conclusion}`;
  try {
    const { text, fault } = await context.log.group('Compare the log', () => compareLog(known, context));
    if (fault === undefined) return { result, checkpoint: text };
    context.log.info(`The checkpoint of the service:\n${text}`);
    const value = `${fault}; do not rely on the service, keep the file of \`${input}\` and this log, and ask the operator`;
    const reason = { state: 'failed', about: 'transparency log', value } as const;
    return {
      result: {
        ...result,
        outcome: 'non-compliant',
        state: undefined,
        conclusion: concludeWithReasons(`The log of ${context.org} does not continue \`${input}\``, [reason], {
          more: [verdict],
        }),
        report: { ...result.report, reasons: [reason, ...(result.report.reasons ?? [])] },
      },
    };
  } catch (failure) {
    // The reason of a cancelled step is a Failure, too.
    if (!(failure instanceof Failure) || context.signal.aborted) throw failure;
    const conclusion = `The log could not be compared with \`${input}\`. ${verdict}`;
    return { result: { ...result, outcome: 'error', failure, state: undefined, conclusion } };
  }
}

/** Compares the current log with the known checkpoint. Returns its checkpoint, and what is wrong. */
async function compareLog(
  known: Checkpoint,
  context: LogContext,
): Promise<{ readonly text: string; readonly fault?: string | undefined }> {
  const text = (await download(context, 'checkpoint')).toString().trimEnd();
  const current = parseCheckpoint(text);
  if (current === undefined || !isLogOf(current, context.org)) {
    throw unexpected(`something other than a checkpoint of the log of ${context.org}`);
  }
  const lines = (await download(context, 'verifier-key')).toString().trimEnd().split('\n');
  const keys = lines.flatMap((line) => parseVerifierKey(line) ?? []);
  const fault = findFault(current, known, keys) ?? (await findRewriting(current, known, context));
  if (fault === undefined) {
    const isRotated = findSigners(known, keys).length === 0;
    if (isRotated) context.log.notice(`The service replaced the key that signed \`${input}\`. The log continues it.`);
    context.log.info(`The log with ${current.size} entries continues \`${input}\`, which has ${known.size}.`);
  }
  return { text, fault };
}

/** What is wrong with the log according to the checkpoints and keys alone. */
function findFault(current: Checkpoint, known: Checkpoint, keys: readonly VerifierKey[]): string | undefined {
  if (current.origin !== known.origin) {
    return `its origin is ${current.origin}, but the file names ${known.origin}, so it is another log`;
  }
  if (!keys.some((key) => isSignedBy(current, key))) return 'no key of the service verifies the signature of the log';
  if (!findSigners(known, keys).every((key) => isSignedBy(known, key))) {
    return `the signature in the file of \`${input}\` is not valid, so the file was altered`;
  }
  if (current.size >= known.size) return undefined;
  return `it has ${current.size} entries, but had ${known.size}, so entries were removed`;
}

/** The keys whose signatures a checkpoint has, valid or not. */
function findSigners({ signatures }: Checkpoint, keys: readonly VerifierKey[]): readonly VerifierKey[] {
  return keys.filter((key) => signatures.some(({ name, keyId }) => name === key.name && keyId === key.keyId));
}

/** What is wrong with the log according to its hashes. */
async function findRewriting(current: Checkpoint, known: Checkpoint, context: LogContext): Promise<string | undefined> {
  const read = cacheTiles(readTiles(context), current.size);
  const { earlier, later } = await findRoots(read, known.size, current.size);
  if (!Buffer.from(current.root).equals(later)) return 'its hashes do not match its signed checkpoint';
  if (Buffer.from(known.root).equals(earlier)) return undefined;
  return `its first ${known.size} entries are no longer the same, so the history was rewritten`;
}

const readTiles =
  (context: LogContext): ReadHashes =>
  async (level, from, to) => {
    const path = `tile/${toTilePath({ level, from, to })}`;
    const bytes = await download(context, path);
    if (bytes.length !== (to - from) * hashBytes) throw unexpected(`${bytes.length} bytes for ${path}`);
    return Array.from({ length: to - from }, (_, index) => bytes.subarray(index * hashBytes, (index + 1) * hashBytes));
  };

async function download({ client, org }: LogContext, path: string): Promise<Buffer> {
  try {
    return await client.download('transparency log', ['log', org, ...path.split('/')]);
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || thrown.facts.status !== 404) throw thrown;
    const remedy = `Check \`base-url\` and \`org\`. If the service has no transparency log, remove \`${input}\`.`;
    throw new ServiceError({ ...thrown.facts, remedy });
  }
}

function unexpected(what: string): ExternalError {
  return new ExternalError({
    what: `transparency log: the service answered with ${what}`,
    remedy: 'Check that `base-url` points to the service and that no proxy or login page answers in its place.',
  });
}
