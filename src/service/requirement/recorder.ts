import { conforms } from '../../contract/check.ts';
import { loginRuleName, serviceAccountName } from '../../contract/names.ts';
import type { Fault } from '../../contract/reason.ts';

/*
 * Who recorded something, for requirements that name whose evidence counts (`from`). A record keeps the ids of the login
 * rules that alone permit it, or of its service account. A rule or an account that is created again has another id.
 */

export interface Recorder {
  /** `rule:NAME@TIME` or `service-account:NAME@TIME`, with the time of its creation; or `adminRecorder`. */
  readonly id: string;
  /** The commit of the run; empty if it is unknown. Absent if it may record evidence of any commit. */
  readonly commit?: string;
  /** The number of the repository of the run. */
  readonly repository?: string;
}

/** The id of an admin who overrode a verdict. The override counts for every requirement. */
export const adminRecorder = 'admin';

/** The kinds of recorders that `from` can name, and the form of their names. */
const kinds = { rule: loginRuleName, 'service-account': serviceAccountName };

/** Whether an entry of `from` has the form `rule:NAME` or `service-account:NAME`. */
export function isRecorderName(entry: string): boolean {
  return Object.entries(kinds).some(
    ([kind, name]) => entry.startsWith(`${kind}:`) && conforms(name, entry.slice(kind.length + 1)),
  );
}

/** The id of what was created at a time, in Unix seconds, under a name of the form that `from` has. */
export function toRecorderId(name: string, createdAt: number): string {
  return `${name}@${createdAt}`;
}

/** The name without the time of creation. */
function toName(id: string): string {
  return id.split('@', 1)[0] ?? '';
}

/** The commit of a trail, and the number of its repository, if it is known. */
export interface TrailIdentity {
  readonly commit: string;
  readonly repository?: string | undefined;
}

/**
 * The names of the recorders that a record in a trail counts from: those that still exist, and whose run was for the
 * commit and the repository of the trail.
 *
 * @param ids the ids of what exists (`findRecorderIds`)
 */
export function listValidRecorders(
  recorders: readonly Recorder[],
  ids: ReadonlySet<string>,
  trail: TrailIdentity,
): readonly string[] {
  return recorders
    .filter(({ id }) => ids.has(id))
    .filter(({ commit }) => commit === undefined || commit === trail.commit)
    .filter(({ repository }) => repository === undefined || repository === (trail.repository ?? repository))
    .map(({ id }) => toName(id));
}

/** What is known about who recorded something. */
export interface AttributedRecord {
  readonly recorders?: readonly Recorder[] | undefined;
  /** The owner of the key that it was sent with (`actorName`). */
  readonly reportedBy?: string | undefined;
  /** What it counts from (`listValidRecorders`); absent if no requirement asks for it. */
  readonly countsFrom?: readonly string[] | undefined;
  /** Whether later evidence of another recorder has its place, so that only requirements with `from` see it. */
  readonly isReplaced?: boolean | undefined;
}

/** Whether a record counts for a requirement. */
export function countsFrom({ countsFrom: known = [] }: AttributedRecord, from: readonly string[] | undefined): boolean {
  return from === undefined || known.some((name) => name === adminRecorder || from.includes(name));
}

/** Why a record does not count for a requirement. */
export function explainUncounted({ recorders = [], reportedBy }: AttributedRecord, from: readonly string[]): Fault {
  const own = recorders.find(({ id }) => from.includes(toName(id)));
  const limit = `only ${describeFrom(from)} counts`;
  if (own === undefined) {
    const names = recorders.map(({ id }) => toName(id));
    // What a service account delivers of an earlier run names no recorder, and neither does what 0.1.0 recorded.
    const why =
      reportedBy !== undefined && from.includes(reportedBy) ? ' for an earlier run, or before an upgrade' : '';
    return { value: `recorded by ${names.length === 0 ? (reportedBy ?? 'others') : describeFrom(names)}${why}`, limit };
  }
  const why =
    own.commit === '' ? 'in a run whose commit is not known' : 'for another commit, or before it was created again';
  return { value: `recorded by ${describeName(toName(own.id))} ${why}`, limit };
}

/** Recorders as words: `rule trusted-scan or service account ci`. */
function describeFrom(names: readonly string[]): string {
  return names.map(describeName).join(' or ');
}

function describeName(name: string): string {
  return name.replace(/^rule:/u, 'rule ').replace(/^service-account:/u, 'service account ');
}
