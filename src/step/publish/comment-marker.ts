import { createHash } from 'node:crypto';
import type { Job } from '../../evidence/job.ts';
import { isMapping } from '../../runtime/untrusted-data.ts';
import type { StepIdentity } from '../run/step-identity.ts';

/** The most characters of a name that the marker shows; the digest holds all of it. */
const longestName = 100;

/**
 * The first line of a step's comment, which GitHub does not show: by it the next run finds the comment again. It is the same
 * in every run of the step, and another one for every other workflow, job, operation, flow, step, and subject, and for every
 * job of a matrix: those have the same name.
 *
 * @param redact takes secrets out; a comment is public where the repository is
 */
export function commentMarker(identity: StepIdentity, job: Job, redact: (text: string) => string): string {
  const names = [
    ['workflow', job.workflow],
    ['job', job.job],
    ['operation', identity.operation],
    ['flow', identity.flow],
  ] as const;
  const rest = [...identity.rest, ['matrix', jobOfMatrix(identity.matrix)]];
  const digest = createHash('sha256')
    .update(JSON.stringify([...names, ...rest]))
    .digest('hex');
  const shown = names.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encode(redact(value))}`]));
  return `<!-- compliance-action ${[...shown, `id=${digest.slice(0, 32)}`].join(' ')} -->`;
}

/**
 * Which job of the matrix it is, in one form however its keys are ordered; undefined outside a matrix, and where the text is
 * not what GitHub fills in.
 */
function jobOfMatrix(text: string | undefined): unknown {
  try {
    const values: unknown = JSON.parse(text ?? 'null', withSortedKeys);
    return isMapping(values) && Object.keys(values).length > 0 ? values : undefined;
  } catch {
    return undefined;
  }
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A name as it may stand in a comment of HTML: neither `-->` nor `--!>` nor a blank can be in it. */
function encode(name: string): string {
  return encodeURIComponent(name.slice(0, longestName).toWellFormed()).replaceAll('-', '%2D');
}

/** Which run told what a comment says. */
export interface CommentOrigin {
  /**
   * The run's id, which grows from run to run; undefined where GitHub does not say. Not its number, which counts from 1 again
   * once the workflow's file is renamed.
   */
  readonly run: number | undefined;
  /** Counts the attempts of the run, from 1. */
  readonly attempt: number;
  /** The commit that is told of; undefined where it could not be found out. */
  readonly commit: string | undefined;
}

/** The run that this process is a part of. */
export function commentOrigin(job: Job, commit: string | undefined): CommentOrigin {
  return {
    run: wholeNumber(job.runId),
    attempt: wholeNumber(job.runAttempt) ?? 1,
    commit,
  };
}

/** The second line of a comment, which GitHub does not show either. */
export function renderOrigin({ run, attempt, commit }: CommentOrigin): string {
  return `<!-- compliance-action-run id=${run ?? ''} attempt=${attempt} commit=${commit ?? ''} -->`;
}

/** Who told what the comment says; undefined where that is not in it. */
export function readOrigin(body: string): CommentOrigin | undefined {
  const line = /^<!-- compliance-action-run id=(\d*) attempt=(\d+) commit=([0-9a-f]*) -->$/mu.exec(body);
  if (line === null) return undefined;
  const [, run, attempt, commit] = line;
  return { run: wholeNumber(run), attempt: wholeNumber(attempt) ?? 1, commit: commit === '' ? undefined : commit };
}

/**
 * Whether what a comment says must stay, because a newer run of the workflow told it of another commit: this run is late, or
 * an old one that was started again. On the same commit the last word counts.
 */
export function isOutdated(mine: CommentOrigin, told: CommentOrigin | undefined): boolean {
  if (told?.run === undefined || mine.run === undefined) return false;
  return told.run > mine.run && told.commit !== mine.commit;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}
