import type { Connection } from './connection.ts';
import { fingerprintAt, trailOf, type FilledService } from './filled-service.ts';
import { interleave } from './interleave.ts';
import { pageRequest } from './requests.ts';
import { withTarget, type Row } from './row.ts';
import { median } from './statistics.ts';
import { milliseconds } from './units.ts';

/** How long a page may take, in milliseconds. */
const limit = 100;

/** How often each page is requested. */
const rounds = 15;

/**
 * Measures the pages of a service with many records, one after another. Trails, artifacts and attestations are different
 * ones in each round, so that they are not cached.
 */
export async function measurePages(
  filled: FilledService,
  connection: Connection,
  attestations: number,
): Promise<readonly Row[]> {
  const pages = Object.entries(toPages(filled, attestations));
  const probes = Object.fromEntries(
    pages.map(([what, path]) => {
      let round = 0;
      return [what, () => connection.request(pageRequest(filled, path((round += 1))), 200)];
    }),
  );
  const taken = Object.entries(await interleave(probes, rounds)).map(([what, samples]) => ({
    what,
    typical: median(samples),
    slowest: Math.max(...samples),
  }));
  taken.sort((one, other) => other.typical - one.typical);
  return taken.map(({ what, typical, slowest }) =>
    withTarget(
      {
        what: `a million attestations: page of ${what}`,
        figure: milliseconds(typical),
        against: `slowest ${milliseconds(slowest)}`,
      },
      typical,
      { better: 'lower', mustReach: limit, aimFor: limit / 2 },
      milliseconds,
    ),
  );
}

/** The address of each page in a round, which is counted from 1. */
function toPages(
  { org, flow, environment }: FilledService,
  attestations: number,
): Readonly<Record<string, (round: number) => string>> {
  const trail = (round: number): string => trailOf((round * 7919) % attestations);
  const last = Math.floor(attestations / 10) - 50;
  return {
    'the organizations': () => '/',
    'an organization': () => `/${org}`,
    'the flows': () => `/${org}/flows`,
    'a flow': () => `/${org}/flows/${flow}`,
    'a flow, its oldest trails': () => `/${org}/flows/${flow}?offset=${last}`,
    'a flow, trails in one state': () => `/${org}/flows/${flow}?state=NON-COMPLIANT`,
    'a flow, trails by name': (round) => `/${org}/flows/${flow}?name=trail-${round}`,
    'a trail': (round) => `/${org}/flows/${flow}/trails/${trail(round)}`,
    'an artifact': (round) => `/${org}/flows/${flow}/artifacts/${fingerprintAt(round)}`,
    'an environment': () => `/${org}/environments/${environment}`,
    'a snapshot': (round) => `/${org}/environments/${environment}/snapshots/${round}`,
    'a difference': (round) => `/${org}/compare?first=${environment}%23${round}&second=${environment}`,
    'a search for digits': (round) => `/${org}/search?q=${fingerprintAt(round).slice(0, 8)}`,
    'a search for a name': () => `/${org}/search?q=trail-1`,
    'the administration': () => `/${org}/administration`,
  };
}
