import type { Reason } from '../../contract/reason.ts';
import type { Links } from '../platform/links.ts';
import { type JudgementReason, limitReasons } from './reasons.ts';

/** Converts reasons to the response, each with the page of what it is about. */
export function toReasonResponses(reasons: readonly JudgementReason[], org: string, links: Links): Reason[] {
  return limitReasons(reasons).map(({ source, ...reason }) => {
    const page = links.pages.reason(org, reason.about, source);
    return page === undefined ? reason : { ...reason, html_url: page };
  });
}
