import { sortReasons } from '../../contract/reason.ts';
import { getTrail as endpoint, type JudgedTrail } from '../../contract/trail-reading.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { type JudgedAnswer, judgeKnown } from '../judged-subjects.ts';
import { type ListedEvidence, toEvidenceReasons } from '../listed-evidence.ts';
import type { OperationContext } from '../operation.ts';
import { parseState } from '../parse-state.ts';
import { readReasons, reasonWords, unexplainedReason } from '../reasons.ts';
import { listTrailEvidence } from './trail-evidence.ts';

export interface TrailQuery {
  readonly flow: string;
  readonly trail: string;
}

/** The service's answer about a trail, judged. */
export interface TrailAnswer extends JudgedAnswer {
  /** Absent if nothing was recorded to it. */
  readonly trail?: JudgedTrail;
}

/** @throws Failure if the service gives no answer that can be relied on, or has no such flow */
export function assertOne(
  query: TrailQuery,
  { client, org }: Pick<OperationContext, 'client' | 'org'>,
): Promise<TrailAnswer> {
  const { flow, trail: name } = query;
  return judgeKnown<TrailAnswer>(
    async () => {
      const { body } = await client.call(endpoint, { parameters: { org, flow_name: flow, trail_name: name } });
      return { trail: body, ...judgeTrail(body, query) };
    },
    { resource: 'Trail', named: name, about: `trail ${name}`, value: 'nothing was recorded to it' },
  );
}

/**
 * The verdict in an answer. A trail for which nothing is required and nothing was recorded proves nothing, whatever its
 * state is.
 *
 * @throws ExternalError if the answer is about another trail, if its state is missing or unknown, or if it contradicts
 *   itself: none of these may pass
 */
export function judgeTrail(trail: JudgedTrail, query: TrailQuery): JudgedAnswer {
  requireSame('trail', query.trail, trail.name);
  requireSame('flow', query.flow, trail.flow);
  const verdict = parseState('assert-trail', trail.compliance_state, `trail ${query.trail}`);
  const evidence = listTrailEvidence(trail);
  const about = `trail ${query.trail}`;
  if (verdict === 'compliant') {
    refuseContradiction(trail, evidence);
    if (evidence.some(({ state }) => state === 'compliant')) return { verdict, reasons: [] };
    const reason = { state: 'missing', about, value: 'no evidence is required, and none was recorded' } as const;
    return { verdict: 'incomplete', reasons: [reason] };
  }
  const answered = readReasons(trail.reasons);
  if (answered.length > 0) return { verdict, reasons: answered };
  // An artifact of the trail is as compliant as its attestations, which have reasons of their own.
  const explaining = evidence.filter(({ type, state }) => type !== 'artifact' || state === 'missing');
  const derived = explaining.flatMap((one) => toEvidenceReasons(one));
  const { state_info: info, html_url: page } = trail;
  return {
    verdict,
    reasons: derived.length > 0 ? sortReasons(derived) : [unexplainedReason(about, verdict, info, page)],
  };
}

function requireSame(what: string, asked: string, answered: string | undefined): void {
  if (answered === undefined || answered === asked) return;
  throw new ExternalError({
    what: `assert-trail: the service was asked for ${what} ${asked} and answered with ${what} ${JSON.stringify(answered)}`,
    remedy: "Report this to the service's operators; the trail was not judged.",
  });
}

/** @throws ExternalError if the answer says that the trail is compliant, and also that something is not */
function refuseContradiction(trail: JudgedTrail, evidence: readonly ListedEvidence[]): void {
  const [reason] = readReasons(trail.reasons);
  const bad = evidence.find(({ state, isExtra }) => state !== 'compliant' && !(isExtra && state === 'unknown'));
  const word = textAt(trail.compliance_status, 'status') ?? 'COMPLIANT';
  const fault =
    (reason && reasonWords(reason)) ??
    (bad && `${bad.label} is ${bad.state}`) ??
    (word === 'COMPLIANT' && valueAt(trail.compliance_status, 'is_compliant') !== false
      ? undefined
      : `its status is ${word}`);
  if (fault === undefined) return;
  throw new ExternalError({
    what: `assert-trail: the service answered that the trail is compliant, but also that it is not (${fault})`,
    remedy: "Report this to the service's operators; the trail was not judged.",
  });
}
