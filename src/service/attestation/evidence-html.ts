import type { CommonAttestation } from '../../contract/attestations/attestation-fields.ts';
import { describeFault } from '../../contract/reason.ts';
import { describeStatus, type EvidenceStatus, type Judgement } from '../artifact/artifact-state.ts';
import { clip, pageLink, renderBadge, renderJson, renderResult, renderTime } from '../platform/pages/components.ts';
import { type Hole, type Html, html, link } from '../platform/pages/html.ts';
import type { PageContext } from '../platform/pages/page.ts';
import type { CountedAttestation } from './attestation.ts';
import { evidenceName } from './evidence-scope.ts';
import { type JudgementReason, toSentence } from './reasons.ts';

const order: Readonly<Record<string, number>> = { 'non-compliant': 0, incomplete: 1, missing: 2, compliant: 3 };

/** Compares evidence for sorting: first what is wrong, then what is inconclusive, missing, and compliant. */
export function compareStatuses(one: EvidenceStatus, other: EvidenceStatus): number {
  return rank(one) - rank(other);
}

function rank({ evidence }: EvidenceStatus): number {
  return order[evidence?.verdict ?? 'missing'] ?? 0;
}

function linkEvidence({ paths }: PageContext, { org, flow, trail, id, name }: CountedAttestation): Html {
  return pageLink(paths.attestation(org, flow, trail, id), evidenceName(name));
}

/** The parts of a row about evidence that is required or was reported. `name` is shown if there is no evidence. */
export function renderEvidence(
  context: PageContext,
  name: string,
  status: EvidenceStatus<CountedAttestation>,
): Readonly<Record<'name' | 'state' | 'why' | 'required' | 'reported', Hole>> {
  const { isRequired, evidence, mismatched } = status;
  const linked = evidence ?? mismatched;
  return {
    name: linked === undefined ? name : linkEvidence(context, linked),
    state:
      evidence === undefined ? renderBadge('missing', mismatched && 'Does not count') : renderBadge(evidence.verdict),
    why: clip(describeStatus(status), 300),
    required: isRequired ? 'yes' : 'no',
    reported: evidence === undefined ? '' : renderTime(evidence.createdAt, context),
  };
}

/** Renders what a reason is about, with a link to its page if it has one. */
export function renderSubject(
  { paths }: Pick<PageContext, 'paths'>,
  org: string,
  { about, source }: Pick<JudgementReason, 'about' | 'source'>,
): Hole {
  const words = clip(about, 120);
  const page = paths.reason(org, about, source);
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
    .map((reason) => html`${renderSubject(context, org, reason)}: ${toSentence(clip(describeFault(reason), 300))} `);
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

export function renderAddress(address: string | undefined): Html | undefined {
  return address === undefined ? undefined : link(address, clip(address, 120));
}

export function renderRepository(
  repository: { readonly name: string; readonly url: string } | undefined,
): Html | undefined {
  return repository === undefined ? undefined : link(repository.url, repository.name);
}

export function renderUserData(data: unknown): Html | undefined {
  if (data === undefined) return undefined;
  return html`<h2>Data</h2>
    ${renderJson(data)}`;
}

const maximumEntries = 20;

export function renderExternalLinks(urls: CommonAttestation['external_urls']): Html | undefined {
  const entries = Object.entries(urls ?? {}).slice(0, maximumEntries);
  if (entries.length === 0) return undefined;
  return html`${entries.map(([label, { href }]) => html`${link(href, clip(label, 80))} `)}`;
}

export function renderAnnotations(annotations: Readonly<Record<string, unknown>> | undefined): Html | undefined {
  const entries = Object.entries(annotations ?? {}).slice(0, maximumEntries);
  if (entries.length === 0) return undefined;
  return html`${entries.map(([key, remark]) => html`${key}: ${clip(typeof remark === 'string' ? remark : JSON.stringify(remark), 200)}<br />`)}`;
}
