import type { Reason } from '../../../contract/reason.ts';
import type { Links } from '../../domain/links.ts';
import { limitReasons, type JudgementReason } from '../../domain/reasons.ts';

/** Converts reasons to the response, each with the page of its evidence, or of the trail that lacks it. */
export function toReasonResponses(reasons: readonly JudgementReason[], org: string, links: Links): Reason[] {
  return limitReasons(reasons).map(({ source, ...reason }) => {
    if (source?.evidence === undefined) return reason;
    const { flow, trail, attestation: id } = source.evidence;
    const page = id === undefined ? links.trailPage(org, flow, trail) : links.attestationPage(org, flow, trail, id);
    return { ...reason, html_url: page };
  });
}
