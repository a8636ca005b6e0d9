import {
  listAttestations as endpoint,
  type AttestationPage,
  type ListedAttestation,
} from '../contract/attestation-list.ts';
import type { QueryOf } from '../contract/endpoint.ts';
import { TroubleError, type Problem } from '../runtime/failure.ts';
import { AttestationTally } from './attestation-tally.ts';
import { optional, required, withDefault, type ValuesOf } from './inputs/input.ts';
import { fromTimestamp, page, perPage, toTimestamp, walkingPageSize } from './inputs/list.ts';
import { flow } from './inputs/subject.ts';
import { defineOperation, type OperationContext, type OperationResult, type PageWalk } from './operation.ts';
import { fact } from './report.ts';
import { readableTime } from './time.ts';

const inputs = {
  flow: required(flow),
  page: withDefault(page, 1),
  perPage: optional(perPage),
  fromTimestamp: optional(fromTimestamp),
  toTimestamp: optional(toTimestamp),
} as const;

type Inputs = ValuesOf<typeof inputs>;

/** Operation 9: lists the attestations of a flow, a page or all of them, and judges what it lists. */
export const listAttestations = defineOperation({
  name: 'list-attestations',
  endpoint,
  gate: 'ignore',
  inputs,
  check: ({ fromTimestamp: from, toTimestamp: to }) => inOrder(from, to),
  async run(values, context) {
    const tally = new AttestationTally();
    if (values.page === 'all') {
      const written = await context.call.log.group('Walk through the attestations', () =>
        context.responseFile.writeList(everyPage(values, context, tally)),
      );
      return { ...resultOf(values, tally, context.org), response: undefined, written };
    }
    const answered = await ask(values, values.page, context);
    tally.add(answered.data);
    return resultOf(values, tally, context.org, answered);
  },
});

function inOrder(from: number | undefined, to: number | undefined): readonly Problem[] {
  if (from === undefined || to === undefined || from <= to) return [];
  return [
    {
      input: 'from-timestamp',
      what: `\`from-timestamp\` (${readableTime(from) ?? from}) is after \`to-timestamp\` (${readableTime(to) ?? to})`,
      remedy: 'Exchange the two.',
    },
  ];
}

async function ask(values: Inputs, number: number, { client, org }: OperationContext): Promise<AttestationPage> {
  const size = values.perPage ?? (values.page === 'all' ? walkingPageSize : undefined);
  const query: QueryOf<typeof endpoint> = {
    page: number,
    ...(size === undefined ? {} : { per_page: size }),
    ...(values.fromTimestamp === undefined ? {} : { from_timestamp: values.fromTimestamp }),
    ...(values.toTimestamp === undefined ? {} : { to_timestamp: values.toTimestamp }),
  };
  const answer = await client.call(endpoint, { parameters: { org, flow_name: values.flow }, query });
  return answer.body;
}

/**
 * Every attestation once, though others may be recorded meanwhile. The interface shows no order. Where the oldest come first,
 * new ones come at the end and are listed too. Where the newest come first, they push others from one page to the next, and
 * what was on the page before is left out. An end of the walk by this machine's clock is not set: where it is behind the
 * service's, what an earlier step has just recorded would be missing.
 *
 * @throws TroubleError where the service answers another page than it was asked for, or an empty one before the last
 */
function everyPage(values: Inputs, context: OperationContext, tally: AttestationTally): PageWalk<ListedAttestation> {
  let number = 0;
  let pages = 1;
  let before = new Set<string>();
  return async () => {
    if (number >= pages) return undefined;
    number += 1;
    const { data, pagination } = await ask(values, number, context);
    pages = pagination.page_count;
    if (pagination.page !== number || (data.length === 0 && number < pages)) {
      throw outOfStep(number, pagination, data.length);
    }
    context.call.log.info(`page ${number} of ${Math.max(pages, 1)}: ${data.length} attestations`);
    const fresh = data.filter(({ attestation_id: id }) => !before.has(id));
    before = new Set(data.map(({ attestation_id: id }) => id));
    tally.add(fresh);
    return fresh;
  };
}

function outOfStep(
  asked: number,
  { page: answered, page_count: pages }: AttestationPage['pagination'],
  entries: number,
): TroubleError {
  return new TroubleError({
    what: `list-attestations: the service was asked for page ${asked} and answered page ${answered} of ${pages} with ${entries} attestations, so the list would not be whole`,
    remedy: "Try again; if it lasts, ask for single pages by their number, and tell the service's operators.",
  });
}

function resultOf(values: Inputs, tally: AttestationTally, org: string, answered?: AttestationPage): OperationResult {
  const pagination = answered?.pagination;
  const listed =
    pagination === undefined
      ? `all ${tally.count}`
      : `${tally.count} of ${pagination.total} (page ${pagination.page} of ${Math.max(pagination.page_count, 1)})`;
  return {
    outcome: tally.verdict,
    conclusion: conclusionOf(values.flow, tally),
    response: answered,
    count: tally.count,
    report: {
      subject: `Attestations of flow ${values.flow}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Flow', values.flow),
        ...fact('Listed', listed),
        ...fact('Verdicts', tally.words),
        ...fact('From', readableTime(values.fromTimestamp)),
        ...fact('To', readableTime(values.toTimestamp)),
      ],
      tables: tally.tables,
    },
  };
}

function conclusionOf(flow: string, tally: AttestationTally): string {
  if (tally.count === 0) return `No attestation of flow ${flow} is listed, so there is nothing to judge.`;
  const attestations = tally.count === 1 ? '1 attestation' : `${tally.count} attestations`;
  const names = tally.notCompliantNames;
  return `Of ${attestations} of flow ${flow}: ${tally.words}${names === '' ? '' : ` (${names})`}.`;
}
