import { describeFault } from '../../contract/reason.ts';
import type { Judgement } from '../artifact/artifact-state.ts';
import type { JudgementReason } from './reasons.ts';
import { clip, pageLink, renderResult } from '../platform/pages/components.ts';
import { html, type Hole, type Html } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';

/** Renders what a reason is about, with a link to its page if it has one. */
export function renderSubject(
  { paths }: Pick<PageContext, 'paths'>,
  org: string,
  { about, source }: Pick<JudgementReason, 'about' | 'source'>,
): Hole {
  const words = clip(about, 120);
  const page = paths.reason(org, source);
  return page === undefined ? words : pageLink(page, words);
}

/** Renders reasons as sentences, each with a link to its subject, at most `maximum` of them. */
export function renderSentences(
  context: Pick<PageContext, 'paths'>,
  org: string,
  reasons: readonly JudgementReason[],
  maximum: number,
): Html {
  const sentences = reasons
    .slice(0, maximum)
    .map((reason) => html`${renderSubject(context, org, reason)}: ${clip(describeFault(reason), 300)}. `);
  const rest = reasons.length - sentences.length;
  return html`${sentences}${rest > 0 ? `And ${rest} more.` : undefined}`;
}

/** The maximum number of reasons at the top of a page. The rest of the page has all of them. */
const maximumShown = 10;

/** Renders the state of an artifact or a trail, and the reasons for it. */
export function renderJudgement(
  context: Pick<PageContext, 'paths'>,
  org: string,
  { state, info, reasons, note }: Judgement,
): Html {
  if (reasons.length === 0) return renderResult(state, clip(info, 1000));
  return renderResult(state, html`${renderSentences(context, org, reasons, maximumShown)} ${note}`);
}
