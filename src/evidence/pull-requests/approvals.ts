import { textAt } from '../../runtime/untrusted-data.ts';
import { parseTimestamp } from '../commit/commit-facts.ts';

/** Someone whose latest review approves a pull request. */
export interface Approval {
  readonly username: string;
  readonly state: 'APPROVED';
  /** Unix seconds. */
  readonly timestamp?: number;
}

/** The states of reviews that say something about approval; a comment changes nothing. */
const decisiveStates: ReadonlySet<string> = new Set(['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']);

/**
 * The approvals that hold: the latest decisive review of each reviewer counts, so that a later request for changes, or
 * a dismissal, takes an approval back. Reviews of bots and of deleted users are no approvals.
 *
 * @param reviews as GitHub's API lists them, in chronological order
 */
export function approvalsIn(reviews: readonly unknown[]): readonly Approval[] {
  const latest = new Map<string, unknown>();
  for (const review of reviews) {
    const login = textAt(review, 'user', 'login');
    if (login === undefined || textAt(review, 'user', 'type') === 'Bot') continue;
    if (decisiveStates.has(textAt(review, 'state') ?? '')) latest.set(login, review);
  }
  return [...latest].flatMap(([username, review]) => {
    if (textAt(review, 'state') !== 'APPROVED') return [];
    const timestamp = parseTimestamp(textAt(review, 'submitted_at') ?? '');
    return [{ username, state: 'APPROVED', ...(timestamp === undefined ? {} : { timestamp }) } as const];
  });
}
