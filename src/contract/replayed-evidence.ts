/** The name of the request header that marks evidence of an earlier run, which `replay` delivers. Its value is `?1`. */
const replayedEvidenceHeader = 'replayed-evidence';

/**
 * The name of a second header for such evidence if nobody may have reviewed the code of its run. Its value is `?1`. A
 * service that does not know it still sees from the first that the evidence is of an earlier run.
 */
const unreviewedEvidenceHeader = 'unreviewed-evidence';

/** What the sender knows about the code of that run. */
export type ReplayedEvidence = 'reviewed' | 'unreviewed';

/** The headers that mark evidence, whose values are Booleans of RFC 9651. */
export function toReplayHeaders(evidence: ReplayedEvidence): Readonly<Record<string, string>> {
  return {
    [replayedEvidenceHeader]: '?1',
    ...(evidence === 'unreviewed' ? { [unreviewedEvidenceHeader]: '?1' } : {}),
  };
}

/** @returns undefined if the headers do not mark evidence of an earlier run */
export function parseReplayHeaders(headers: Readonly<Record<string, unknown>>): ReplayedEvidence | undefined {
  if (headers[unreviewedEvidenceHeader] === '?1') return 'unreviewed';
  return headers[replayedEvidenceHeader] === '?1' ? 'reviewed' : undefined;
}
