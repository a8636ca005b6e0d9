import { environmentKinds } from '../../../contract/environment.ts';
import type { EnvironmentJudgement } from '../../domain/policy/judge-environment.ts';
import type { EnvironmentHead } from '../environments.ts';
import { number, text, type Row } from './rows.ts';

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

/** What the policies said about a snapshot; it was written by this service, in this form. */
export function judgementIn(row: Row): EnvironmentJudgement {
  return JSON.parse(text(row, 'judgement')) as EnvironmentJudgement;
}
