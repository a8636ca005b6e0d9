import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedAttestation } from '../../src/contract/attestation-list.ts';
import { failureOf } from '../support/failures.ts';
import { mistakeOf } from '../support/mistake.ts';
import { always, factsOf, performed, tablesOf, type ScriptedAnswer, type SeenRequest } from '../support/performed.ts';

function attestation(number: number, compliant: boolean | null = true): ListedAttestation {
  return {
    attestation_id: `id-${number}`,
    attestation_name: `sonar-${number}`,
    attestation_type: 'sonar',
    created_at: 1_767_323_045.25,
    is_compliant: compliant,
    html_url: `https://compliance.example.com/attestations/${number}`,
    reported_by: 'ann',
    description: null,
  };
}

function pageOf(data: readonly ListedAttestation[], page: number, size: number, total: number): ScriptedAnswer {
  const pagination = { total, page, per_page: size, page_count: Math.ceil(total / size) };
  return { status: 200, body: { data, _links: {}, pagination } };
}

/** Answers pages of what `listed` gives at that time. */
function serviceOf(listed: () => readonly ListedAttestation[]): (request: SeenRequest) => ScriptedAnswer {
  return ({ path }) => {
    const query = new URL(path, 'https://x').searchParams;
    const [page, size] = [Number(query.get('page')), Number(query.get('per_page') ?? 15)];
    const all = listed();
    return pageOf(all.slice((page - 1) * size, page * size), page, size, all.length);
  };
}

const numbers = (count: number): readonly ListedAttestation[] =>
  Array.from({ length: count }, (_, index) => attestation(index + 1));

describe('list-attestations of one page', () => {
  it('asks for the first page, of the size that the service likes', async () => {
    const { result, requests } = await performed(
      'list-attestations',
      { flow: 'web' },
      serviceOf(() => numbers(20)),
    );
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /attestations/acme/web?page=1']);
    expect(result).toMatchObject({
      outcome: 'compliant',
      count: 15,
      conclusion: 'Of 15 attestations of flow web: 15 compliant, 0 not compliant.',
      response: { data: { length: 15 }, pagination: { total: 20 } },
    });
    expect(factsOf(result)).toMatchObject({ Listed: '15 of 20 (page 1 of 2)' });
  });

  it('asks for the page and the time span that are given', async () => {
    const { requests } = await performed(
      'list-attestations',
      {
        flow: 'web',
        page: '2',
        'per-page': '5',
        'from-timestamp': '2026-01-02T03:04:05Z',
        'to-timestamp': '1767323100',
      },
      serviceOf(() => numbers(20)),
    );
    expect(requests[0]?.path).toBe(
      '/attestations/acme/web?page=2&per_page=5&from_timestamp=1767323045&to_timestamp=1767323100',
    );
  });

  it('shows those that are not compliant first, and decides by them', async () => {
    const listed = [attestation(1), attestation(2, false), attestation(3, null)];
    const { result, onNonCompliant } = await performed(
      'list-attestations',
      { flow: 'web' },
      serviceOf(() => listed),
    );
    expect(onNonCompliant).toBe('ignore');
    expect(result.outcome).toBe('non-compliant');
    expect(result.conclusion).toBe(
      'Of 3 attestations of flow web: 1 compliant, 1 not compliant, 1 without a verdict (sonar-2).',
    );
    const row = (number: number, sign: string): readonly string[] => [
      `sonar-${number}`,
      'sonar',
      sign,
      '2026-01-02T03:04:05Z',
      'ann',
      '',
    ];
    expect(Object.entries(tablesOf(result))).toEqual([
      ['❌ Not compliant (1)', [row(2, '❌ no')]],
      ['Attestations (3)', [row(1, '✅ yes'), row(2, '❌ no'), row(3, '⏳ unknown')]],
    ]);
  });

  it.each([
    [[true, true], 'compliant'],
    [[true, null], 'incomplete'],
    [[null, false], 'non-compliant'],
    [[], 'incomplete'],
  ] as const)('judges %j as %s', async (verdicts, outcome) => {
    const listed = verdicts.map((verdict, index) => attestation(index, verdict));
    const { result } = await performed(
      'list-attestations',
      { flow: 'web' },
      serviceOf(() => listed),
    );
    expect(result.outcome).toBe(outcome);
  });

  it('says so where nothing is listed', async () => {
    const { result } = await performed(
      'list-attestations',
      { flow: 'web' },
      serviceOf(() => []),
    );
    expect(result.conclusion).toBe('No attestation of flow web is listed, so there is nothing to judge.');
    expect(result).toMatchObject({ count: 0, report: { tables: [] } });
  });

  it('names a few of many that are not compliant', async () => {
    const listed = Array.from({ length: 9 }, (_, index) => attestation(index, false));
    const { result } = await performed(
      'list-attestations',
      { flow: 'web' },
      serviceOf(() => listed),
    );
    expect(result.conclusion).toMatch(/\(sonar-0, sonar-1, sonar-2 and others\)\.$/u);
    expect(Object.keys(tablesOf(result))).toEqual(['❌ Not compliant (9)']);
  });

  it('refuses a time span that ends before it begins', async () => {
    const mistake = await mistakeOf(() =>
      performed(
        'list-attestations',
        { flow: 'web', 'from-timestamp': '2026-01-03', 'to-timestamp': '2026-01-02' },
        always(500, {}),
      ),
    );
    expect(mistake.message).toBe(
      '`from-timestamp` (2026-01-03T00:00:00Z) is after `to-timestamp` (2026-01-02T00:00:00Z)',
    );
  });
});

describe('list-attestations of all pages', () => {
  it('writes every attestation to the file as one list, and keeps no more rows than people read', async () => {
    const listed = numbers(250);
    const { result, requests, written } = await performed(
      'list-attestations',
      { flow: 'web', page: 'all' },
      serviceOf(() => listed),
    );
    expect(requests.map(({ path }) => path.split('?')[1])).toEqual([
      'page=1&per_page=100',
      'page=2&per_page=100',
      'page=3&per_page=100',
    ]);
    expect(written).toEqual(listed);
    expect(result).toMatchObject({ outcome: 'compliant', count: 250, response: undefined });
    expect(result.report.tables.map(({ title, rows, more }) => [title, rows.length, more])).toEqual([
      ['Attestations (250)', 200, 50],
    ]);
  });

  it('writes an empty list where there is none', async () => {
    const { result, written } = await performed(
      'list-attestations',
      { flow: 'web', page: 'all' },
      serviceOf(() => []),
    );
    expect(written).toEqual([]);
    expect(result).toMatchObject({ outcome: 'incomplete', count: 0 });
  });

  it('loses and doubles nothing while others are recorded, whichever come first', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 2, max: 7 }),
        fc.array(fc.nat({ max: 2 }), { maxLength: 20 }),
        fc.boolean(),
        async (count, size, arrivals, newestFirst) => {
          let total = count;
          let asked = 0;
          const { written } = await performed(
            'list-attestations',
            { flow: 'web', page: 'all', 'per-page': String(size) },
            serviceOf(() => {
              if (asked > 0) total += Math.min(size - 1, arrivals[asked - 1] ?? 0);
              asked += 1;
              return newestFirst ? numbers(total).toReversed() : numbers(total);
            }),
          );
          const ids = (Array.isArray(written) ? (written as ListedAttestation[]) : []).map(
            ({ attestation_id: id }) => id,
          );
          expect(new Set(ids).size).toBe(ids.length);
          for (const { attestation_id: id } of numbers(count)) expect(ids).toContain(id);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('takes no page for another', async () => {
    const failure = await failureOf(
      performed('list-attestations', { flow: 'web', page: 'all' }, () => pageOf(numbers(100), 1, 100, 250)),
    );
    expect(failure.message).toContain('was asked for page 2 and answered page 1 of 3');
  });

  it('takes no gap for an end', async () => {
    const failure = await failureOf(
      performed('list-attestations', { flow: 'web', page: 'all' }, () => pageOf([], 1, 100, 250)),
    );
    expect(failure).toMatchObject({ kind: 'trouble' });
    expect(failure.message).toContain('with 0 attestations');
  });

  it('ends with the service’s error where a page fails', async () => {
    const service = serviceOf(() => numbers(250));
    const failure = await failureOf(
      performed('list-attestations', { flow: 'web', page: 'all' }, (request) =>
        request.path.includes('page=3&') ? { status: 404, body: { message: 'Flow not found' } } : service(request),
      ),
    );
    expect(failure.message).toContain('404: Flow not found');
  });
});
