import { Connection } from './connection.ts';
import { type FilledService, secondOf } from './filled-service.ts';
import { interleavedMedians } from './interleave.ts';
import { getRequest } from './requests.ts';
import { type Row, withTarget } from './row.ts';
import { milliseconds, times } from './units.ts';

/** How often each page is requested. One request takes a millisecond or two. */
const rounds = 300;
const farPage = 1000;
/** The default of the interface. */
const pageSize = 15;

/** With this many entries page 1,000 of a list is full, even if a time span excludes the first ones. */
export const entriesOfFarPage = farPage * pageSize + 1000;

/**
 * Compares page 1,000 of a list with its page 1, one request at a time.
 *
 * @param filled with at least `entriesOfFarPage` attestations and snapshots
 */
export async function measureFarPages(filled: FilledService): Promise<readonly Row[]> {
  const { org, flow, environment } = filled;
  const attestations = (page: number, span = ''): string =>
    getRequest(filled, `/attestations/${org}/${flow}?page=${page}${span}`);
  const snapshots = (page: number, words = ''): string =>
    getRequest(filled, `/snapshots/${org}/${environment}?page=${page}${words}`);
  const span = `&from_timestamp=${secondOf(500)}&to_timestamp=${secondOf(entriesOfFarPage - 100)}`;
  const interval = `&interval=100..${entriesOfFarPage - 100}&reverse=true`;
  const connection = await Connection.open(filled.port);
  try {
    const asking = (request: string) => (): Promise<number> => connection.request(request, 200);
    const took = await interleavedMedians(
      {
        attestations: asking(attestations(1)),
        farAttestations: asking(attestations(farPage)),
        span: asking(attestations(1, span)),
        farSpan: asking(attestations(farPage, span)),
        snapshots: asking(snapshots(1)),
        farSnapshots: asking(snapshots(farPage)),
        interval: asking(snapshots(1, interval)),
        farInterval: asking(snapshots(farPage, interval)),
      },
      rounds,
    );
    return [
      compare('attestations', took.farAttestations, took.attestations),
      compare('attestations of a span of time', took.farSpan, took.span),
      compare('snapshots', took.farSnapshots, took.snapshots),
      compare('snapshots of an interval, reversed', took.farInterval, took.interval),
    ];
  } finally {
    connection.close();
  }
}

function compare(list: string, far: number, near: number): Row {
  const ratio = far / near;
  return withTarget(
    {
      what: `service: page 1,000 of ${list}`,
      figure: milliseconds(far),
      against: `page 1 ${milliseconds(near)}`,
      ratio: times(ratio),
    },
    ratio,
    { better: 'lower', mustReach: 1.2, aimFor: 1.1 },
    times,
  );
}
