import { type AttestationPage, listAttestations as endpoint } from '../../contract/attestation-list.ts';
import type { EndpointQuery } from '../../contract/endpoint.ts';
import { type Reason, sortReasons } from '../../contract/reason.ts';
import type { Problem } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { formatTime } from '../format-time.ts';
import { flow } from '../inputs/flow-inputs.ts';
import { optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { timestamp } from '../inputs/input-types.ts';
import { page, pageSizeForAll, perPage } from '../inputs/list-inputs.ts';
import { defineOperation, type OperationContext, type OperationResult } from '../operation.ts';
import { concludeWithReasons } from '../reasons.ts';
import { fact } from '../report.ts';
import { pluralize, withoutFullStop } from '../sentences.ts';
import { detectOrder, newestFirst } from './attestation-order.ts';
import { AttestationPager } from './attestation-pager.ts';
import { AttestationTally } from './attestation-tally.ts';

const inputs = {
  flow: required(flow),
  page: withDefault(page, 1),
  perPage: optional(perPage),
  /** The start of a time span, inclusive. */
  fromTimestamp: optional(timestamp('from-timestamp')),
  /** The end of a time span, inclusive. */
  toTimestamp: optional(timestamp('to-timestamp')),
} as const;

type Inputs = ValuesOf<typeof inputs>;

/** Operation 9: lists the attestations of a flow, a page or all of them, and judges those that are not replaced. */
export const listAttestations = defineOperation({
  name: 'list-attestations',
  endpoint,
  gate: 'ignore',
  inputs,
  check: ({ fromTimestamp: from, toTimestamp: to }) => checkTimeOrder(from, to),
  async run(values, context) {
    const { page: number } = values;
    const tally = new AttestationTally();
    const listing =
      number === 'all'
        ? await context.call.log.group('List the attestations', () => listAll(values, context, tally))
        : await listPage(values, number, context, tally);
    if (tally.guessedReplacements > 0) context.call.log.warning(guessedReplacementsWarning(tally.guessedReplacements));
    return createResult(values, tally, context.org, listing);
  },
});

/** What was listed, besides the tally. */
interface Listing {
  readonly answer: Pick<OperationResult, 'response' | 'written'>;
  /** Which part of the list was read: `15 of 20 (page 1 of 2)`. */
  readonly extent: string;
  /** Why the list is not complete, as a clause; undefined if it is. */
  readonly gap: string | undefined;
}

async function listPage(
  values: Inputs,
  number: number,
  context: OperationContext,
  tally: AttestationTally,
): Promise<Listing> {
  const answered = await fetchPage(values, number, context);
  const order = detectOrder(answered.data);
  tally.add(newestFirst(answered.data, order), order);
  const { total, page: answeredPage, page_count: pages } = answered.pagination;
  const isWhole = number === 1 && answeredPage === 1 && pages <= 1 && tally.listed >= total;
  return {
    answer: { response: answered },
    extent: `${tally.listed} of ${total} (page ${answeredPage} of ${Math.max(pages, 1)})`,
    gap: isWhole
      ? undefined
      : `this is page ${answeredPage} with ${tally.listed} of ${total} attestations; \`page: all\` lists them all`,
  };
}

async function listAll(values: Inputs, context: OperationContext, tally: AttestationTally): Promise<Listing> {
  const pages = new AttestationPager({
    fetchPage: (number) => fetchPage(values, number, context),
    tally,
    log: context.call.log,
    signal: context.call.signal,
  });
  const written = await context.responseFile.writeList(() => pages.next());
  const { gap } = pages;
  return {
    answer: { response: undefined, written },
    extent: gap === undefined ? `all ${tally.listed}` : `${tally.listed}, not all`,
    gap,
  };
}

function checkTimeOrder(from: number | undefined, to: number | undefined): readonly Problem[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [
    {
      input: 'from-timestamp',
      what: `\`from-timestamp\` (${formatTime(from) ?? from}) is after \`to-timestamp\` (${formatTime(to) ?? to})`,
      remedy: 'Swap the two values.',
    },
  ];
}

async function fetchPage(values: Inputs, number: number, { client, org }: OperationContext): Promise<AttestationPage> {
  const size = values.perPage ?? (values.page === 'all' ? pageSizeForAll : undefined);
  const query: EndpointQuery<typeof endpoint> = omitUndefined({
    page: number,
    per_page: size,
    from_timestamp: values.fromTimestamp,
    to_timestamp: values.toTimestamp,
  });
  const answer = await client.call(endpoint, { parameters: { org, flow_name: values.flow }, query });
  return answer.body;
}

function createResult(values: Inputs, tally: AttestationTally, org: string, listing: Listing): OperationResult {
  const { answer, extent, gap } = listing;
  const reasons = sortReasons([
    ...tally.reasons,
    ...(gap === undefined ? [] : [aboutList(values.flow, `the list is not complete: ${withoutFullStop(gap)}`)]),
    ...(tally.listed > 0 ? [] : [aboutList(values.flow, 'no attestation is listed, so there is nothing to judge')]),
  ]);
  return {
    // An attestation that was not listed may be worse, unless the verdict is already non-compliant.
    outcome: gap !== undefined && tally.verdict === 'compliant' ? 'incomplete' : tally.verdict,
    conclusion: concludeWithReasons(describeCounts(values.flow, tally), reasons, { subject: `flow ${values.flow}` }),
    ...answer,
    count: tally.listed,
    report: {
      subject: `Attestations of flow ${values.flow}`,
      reasons,
      facts: [
        ...fact('Organization', org),
        ...fact('Flow', values.flow),
        ...fact('Listed', extent),
        ...fact('Counting', String(tally.counting)),
        ...fact('Replaced by newer ones', tally.replaced === 0 ? undefined : String(tally.replaced)),
        ...fact('Verdicts', tally.words),
        ...fact('From', formatTime(values.fromTimestamp)),
        ...fact('To', formatTime(values.toTimestamp)),
      ],
      tables: tally.tables,
    },
  };
}

function aboutList(flow: string, value: string): Reason {
  return { state: 'incomplete', about: `flow ${flow}`, value };
}

function describeCounts(flow: string, tally: AttestationTally): string {
  const attestations = pluralize(tally.listed, 'attestation');
  const replaced = tally.replaced === 0 ? '' : `, ${tally.replaced} replaced by newer ones`;
  return `${attestations} of flow ${flow}, ${tally.words}${replaced}`;
}

function guessedReplacementsWarning(count: number): string {
  const attestations = count === 1 ? '1 attestation that is' : `${count} attestations that are`;
  return `The service does not say which artifact an attestation is about. A newer attestation with the same name and trail was assumed to replace ${attestations} not compliant.`;
}
