import { createHash } from 'node:crypto';
import type { Job } from '../../evidence/job.ts';
import { baseUrl, org } from '../../operations/inputs/connection-inputs.ts';
import { parseMatrix } from '../run/matrix-values.ts';
import type { StepIdentity } from '../run/step-identity.ts';

/** Longer names are cut in the marker, in characters; the digest covers the whole name. */
const maximumNameLength = 100;

/**
 * The hidden first line of a comment, by which the next run finds it again. `assert-trail` has one comment for each trail,
 * whichever steps judge it. All other steps have their own.
 *
 * @param redact removes secrets, because comments are as public as the repository
 */
export function commentMarker(identity: StepIdentity, job: Job, redact: (text: string) => string): string {
  return (identity.operation === 'assert-trail' ? trailMarker : stepMarker)(identity, job, redact);
}

/** The same in every run of the step, and different for every other workflow, job, matrix job, step and subject. */
function stepMarker(identity: StepIdentity, job: Job, redact: (text: string) => string): string {
  const { operation, flow, rest, matrix } = identity;
  const names = [
    ['workflow', job.workflow],
    ['job', job.job],
    ['operation', operation],
    ['flow', flow],
  ] as const;
  return toMarker(names, [...rest, ['matrix', parseMatrix(matrix)]], redact);
}

/** Leaves the commit and the run out of the trail's name, so that the trail of the next commit has the same marker. */
function trailMarker(
  { operation, flow, trail = '', rest }: StepIdentity,
  job: Job,
  redact: (text: string) => string,
): string {
  const lasting = trail
    .replaceAll(/[0-9a-f]{40}/giu, '')
    .replaceAll(/\d+/gu, (number) => (number === job.runId ? '' : number));
  const names = [
    ['operation', operation],
    ['flow', flow],
    ['trail', lasting],
  ] as const;
  return toMarker(
    names,
    rest.filter(([name]) => name === baseUrl.name || name === org.name),
    redact,
  );
}

function toMarker(
  names: readonly (readonly [name: string, value: string | undefined])[],
  rest: readonly unknown[],
  redact: (text: string) => string,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([...names, ...rest]))
    .digest('hex');
  const shown = names.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encode(redact(value))}`]));
  return `<!-- compliance-action ${[...shown, `id=${digest.slice(0, 32)}`].join(' ')} -->`;
}

/** Encodes a name for an HTML comment: without `-->`, `--!>` and spaces. */
function encode(name: string): string {
  return encodeURIComponent(name.slice(0, maximumNameLength).toWellFormed()).replaceAll('-', '%2D');
}

export interface CommentOrigin {
  /**
   * The id of the run, which increases from run to run; undefined if unknown. The run number would not do, because it
   * restarts at 1 when the workflow file is renamed.
   */
  readonly run: number | undefined;
  /** The attempt of the run, from 1. */
  readonly attempt: number;
  /** The commit of the comment; undefined if it could not be determined. */
  readonly commit: string | undefined;
}

export function commentOrigin(job: Job, commit: string | undefined): CommentOrigin {
  return {
    run: wholeNumber(job.runId),
    attempt: wholeNumber(job.runAttempt) ?? 1,
    commit,
  };
}

/** Renders the hidden second line of a comment. */
export function renderOrigin({ run, attempt, commit }: CommentOrigin): string {
  return `<!-- compliance-action-run id=${run ?? ''} attempt=${attempt} commit=${commit ?? ''} -->`;
}

/** Reads the origin of a comment from its body; undefined if there is none. */
export function readOrigin(body: string): CommentOrigin | undefined {
  const line = /^<!-- compliance-action-run id=(\d*) attempt=(\d+) commit=([0-9a-f]*) -->$/mu.exec(body);
  if (line === null) return undefined;
  const [, run, attempt, commit] = line;
  return { run: wholeNumber(run), attempt: wholeNumber(attempt) ?? 1, commit: commit === '' ? undefined : commit };
}

/**
 * Whether a comment must stay as it is, because a newer run wrote it for another commit: then this run is late, or an
 * old run was restarted. For the same commit, the last run wins.
 */
export function isOutdated(mine: CommentOrigin, existing: CommentOrigin | undefined): boolean {
  if (existing?.run === undefined || mine.run === undefined) return false;
  return existing.run > mine.run && existing.commit !== mine.commit;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}
