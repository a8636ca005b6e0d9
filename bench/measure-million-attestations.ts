import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from './connection.ts';
import {
  fingerprintAt,
  secondOf,
  trailOf,
  withFilledService,
  type FilledService,
  type Owner,
} from './filled-service.ts';
import { interleavedMedians } from './interleave.ts';
import { measurePages } from './measure-pages.ts';
import { attestRequest, getArtifactRequest, getRequest, jsonRequest } from './requests.ts';
import { withTarget, type Row } from './row.ts';
import { milliseconds, times } from './units.ts';

/** The numbers of attestations that are compared. */
export const [few, many] = [10_000, 1_000_000];
/** What both services have, too. */
export const fillingOfBoth = { artifacts: 1000, snapshots: 1000 };
/** How often each request is sent to both services, in turn. */
const rounds = 200;

/**
 * Compares a service with a million attestations in a flow with one with ten thousand, one request at a time, in turn.
 * Also measures the pages
 * of the large one. Takes a few minutes, most of them to record the million.
 */
export async function measureMillionAttestations(
  directory: string,
  owner: Omit<Owner, 'data'>,
): Promise<readonly Row[]> {
  const folder = join(directory, 'million');
  await mkdir(folder);
  const small = { ...owner, data: join(folder, 'small') };
  const large = { ...owner, data: join(folder, 'large') };
  return withFilledService(small, { ...fillingOfBoth, attestations: few }, (smallService) =>
    withFilledService(large, { ...fillingOfBoth, attestations: many }, (largeService) =>
      compareResponses('a million attestations', smallService, largeService),
    ),
  );
}

/** Compares the responses of two services with `few` and with `many` attestations. */
export async function compareResponses(
  title: string,
  small: FilledService,
  large: FilledService,
): Promise<readonly Row[]> {
  const [toSmall, toLarge] = await Promise.all([small, large].map(({ port }) => Connection.open(port)));
  if (toSmall === undefined || toLarge === undefined) throw new TypeError('two connections were opened');
  try {
    const rows: Row[] = [];
    for (const measured of measuredRequests) {
      let [smallRound, largeRound] = [0, 0];
      const took = await interleavedMedians(
        {
          small: () => toSmall.request(measured.request(small, few, (smallRound += 1)), measured.status),
          large: () => toLarge.request(measured.request(large, many, (largeRound += 1)), measured.status),
        },
        rounds,
      );
      rows.push(compare(`${title}: ${measured.what}`, took.large, took.small));
    }
    return [...rows, ...(await measurePages(large, toLarge, many))];
  } finally {
    toSmall.close();
    toLarge.close();
  }
}

interface MeasuredRequest {
  readonly what: string;
  readonly status: number;
  /** The request of a round, for a flow with this many attestations. Rounds are counted from 1. */
  readonly request: (filled: FilledService, attestations: number, round: number) => string;
}

const pageSize = 15;

const measuredRequests: readonly MeasuredRequest[] = [
  {
    what: 'get-artifact, looked up for the first time',
    status: 200,
    request: (filled, _attestations, round) => getArtifactRequest(filled, fingerprintAt(round)),
  },
  {
    what: 'get-artifact by the first digits',
    status: 200,
    request: (filled, _attestations, round) => getArtifactRequest(filled, fingerprintAt(round).slice(0, 16)),
  },
  {
    what: 'list-attestations, first page',
    status: 200,
    request: (filled) => getRequest(filled, `/attestations/${filled.org}/${filled.flow}`),
  },
  {
    what: 'list-attestations, last page',
    status: 200,
    request: (filled, attestations) =>
      getRequest(filled, `/attestations/${filled.org}/${filled.flow}?page=${Math.floor(attestations / pageSize)}`),
  },
  {
    what: 'list-attestations, a span of time',
    status: 200,
    request: (filled, attestations, round) => {
      // The smaller flow has this span of time, too.
      const [from, to] = [secondOf(attestations / 2 + round * 10), secondOf(attestations / 2 + round * 10 + 1000)];
      return getRequest(filled, `/attestations/${filled.org}/${filled.flow}?from_timestamp=${from}&to_timestamp=${to}`);
    },
  },
  {
    what: 'attest-sonar, to a new trail',
    status: 201,
    request: (filled, _attestations, round) => attestRequest(filled, `new-${round}`),
  },
  {
    what: 'attest-sonar, to the trails there are',
    status: 201,
    request: (filled, attestations, round) => attestRequest(filled, trailOf((round * 7919) % attestations)),
  },
  {
    what: 'create-flow, an update',
    status: 200,
    request: (filled) => {
      const flow = { name: filled.flow, description: 'What the bench measures with', template: ['artifact', 'sonar'] };
      return jsonRequest(filled, 'PUT', `/flows/${filled.org}`, flow);
    },
  },
];

function compare(what: string, large: number, small: number): Row {
  const ratio = large / small;
  return withTarget(
    {
      what,
      figure: milliseconds(large),
      against: `ten thousand ${milliseconds(small)}`,
      ratio: times(ratio),
    },
    ratio,
    { better: 'lower', mustReach: 1.2, aimFor: 1.2 },
    times,
  );
}
