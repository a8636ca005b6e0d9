/** The name of the request header that marks evidence of an earlier run, which `replay` delivers. */
export const replayedEvidenceHeader = 'replayed-evidence';

/** What the sender knows about the code of that run. */
export type ReplayedEvidence = 'reviewed' | 'unreviewed';

/** The values of the header, as RFC 9651 writes them. */
const values: Readonly<Record<ReplayedEvidence, string>> = { reviewed: '?1', unreviewed: '?1;unreviewed' };

export function formatReplayedEvidence(evidence: ReplayedEvidence): string {
  return values[evidence];
}

/** @returns undefined if the header does not mark evidence of an earlier run */
export function parseReplayedEvidence(value: unknown): ReplayedEvidence | undefined {
  return (['reviewed', 'unreviewed'] as const).find((evidence) => values[evidence] === value);
}
