import { environmentKinds, type EnvironmentKind } from '../../../contract/environment.ts';
import type { RunningArtifact } from '../../domain/environment/running-artifact.ts';
import type { EnvironmentJudgement } from '../../domain/policy/judge-environment.ts';
import { number, text, type Row } from './rows.ts';

/** What every use of an environment needs to know of it. */
export interface EnvironmentHead {
  readonly org: string;
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly latest: number;
}

/** What every use of an environment needs to know of it. */
export function headOf(row: Row): EnvironmentHead {
  const kind = environmentKinds.find((known) => known === row['kind']);
  if (kind === undefined) throw new TypeError('a stored environment is damaged');
  return { org: text(row, 'org'), name: text(row, 'name'), kind, latest: number(row, 'latest') };
}

/** A verdict as it is stored: 1, 0 or nothing. */
export function compliantOf(row: Row): boolean | null {
  return row['compliant'] === null ? null : number(row, 'compliant') === 1;
}

/** Which snapshot of a member a snapshot of a logical environment shows. */
export interface MemberReference {
  readonly environment: string;
  readonly number: number;
}

// What follows was written by this service, in these forms.

/** What the snapshot of an environment of any kind but `logical` holds. */
export function artifactsIn(row: Row): readonly RunningArtifact[] {
  return JSON.parse(text(row, 'content')) as readonly RunningArtifact[];
}

/** What the snapshot of a logical environment holds. */
export function membersIn(row: Row): readonly MemberReference[] {
  return JSON.parse(text(row, 'content')) as readonly MemberReference[];
}

/** What the policies said about a snapshot. */
export function judgementIn(row: Row): EnvironmentJudgement {
  return JSON.parse(text(row, 'judgement')) as EnvironmentJudgement;
}
