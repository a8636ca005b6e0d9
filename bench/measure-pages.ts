import { join } from 'node:path';
import { type FilledService, fingerprintAt, trailOf, withFilledService } from './filled-service.ts';
import type { Fixture } from './fixture.ts';
import { interleavedMedians } from './interleave.ts';
import { type Row, withTarget } from './row.ts';
import { milliseconds, times } from './units.ts';

const few = 10_000;

/** In bytes. */
const maximumBytes = 150_000;

/** The kinds of pages, by the path below the organization. */
function listPages({ flow, environment }: FilledService): Readonly<Record<string, string>> {
  return {
    overview: '',
    flows: '/flows',
    flow: `/flows/${flow}`,
    trail: `/flows/${flow}/trails/${trailOf(0)}`,
    artifact: `/flows/${flow}/artifacts/${fingerprintAt(0)}`,
    environment: `/environments/${environment}`,
    search: '/search?q=trail',
    'search for a fingerprint': `/search?q=${fingerprintAt(0).slice(0, 8)}`,
    'audit log': '/administration/audit-log',
  };
}

/**
 * Compares the slowest page of a service with many attestations with the same page of one with few. Uses its own
 * services.
 */
export function measurePages(fixture: Fixture, attestations: number, rounds: number): Promise<readonly Row[]> {
  const owner = (name: string): Fixture & { readonly data: string } => ({
    ...fixture,
    data: join(fixture.directory, `pages-${name}`),
  });
  const filling = { artifacts: 1000, snapshots: 200 };
  return withFilledService(owner('few'), { ...filling, attestations: few }, (small) =>
    withFilledService(owner('many'), { ...filling, attestations }, (large) => compare(small, large, rounds)),
  );
}

async function compare(small: FilledService, large: FilledService, rounds: number): Promise<readonly Row[]> {
  const sizes = new Map<string, number>();
  const load = (service: FilledService, path: string) => async (): Promise<number> => {
    const url = new URL(`/${service.org}${path}`, service.baseUrl);
    const started = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${service.key}`, accept: 'text/html' } });
    const { byteLength } = await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    sizes.set(path, byteLength);
    return performance.now() - started;
  };
  const rows: { readonly name: string; readonly many: number; readonly few: number }[] = [];
  for (const [name, path] of Object.entries(listPages(large)))
    rows.push({ name, ...(await interleavedMedians({ few: load(small, path), many: load(large, path) }, rounds)) });
  const [slowest] = rows.toSorted((one, other) => other.many - one.many);
  if (slowest === undefined) throw new RangeError('no page was measured');
  const biggest = Math.max(...sizes.values());
  const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000)} kB`;
  return [
    withTarget(
      {
        what: `service: slowest page, ${slowest.name}`,
        figure: milliseconds(slowest.many),
        against: `${few.toLocaleString('en')} attestations ${milliseconds(slowest.few)}`,
        ratio: times(slowest.many / slowest.few),
      },
      slowest.many,
      { better: 'lower', mustReach: 100, aimFor: 50 },
      milliseconds,
    ),
    withTarget(
      { what: 'service: largest page', figure: kilobytes(biggest) },
      biggest,
      { better: 'lower', mustReach: maximumBytes, aimFor: 100_000 },
      kilobytes,
    ),
  ];
}
