import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedAttestation } from '../../../src/contract/attestation-list.ts';
import { attestation, numbers, pageOf, serviceOf, start } from '../../support/attestation-list.ts';
import { failureOf } from '../../support/failures.ts';
import {
  type PerformedOperation,
  performOperation,
  reportFacts,
  type ScriptedAnswer,
  type SeenRequest,
} from '../../support/perform-operation.ts';

describe('list-attestations of all pages', () => {
  const listFrom = (
    service: (request: SeenRequest) => ScriptedAnswer,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<PerformedOperation> =>
    performOperation('list-attestations', { flow: 'web', page: 'all', ...inputs }, service);
  const listAll = (
    listed: () => readonly ListedAttestation[],
    inputs?: Readonly<Record<string, string>>,
  ): Promise<PerformedOperation> => listFrom(serviceOf(listed), inputs);

  it('writes all attestations to the file as one list, and keeps a limited number of rows', async () => {
    const listed = numbers(250);
    const { result, requests, written } = await listAll(() => listed);
    expect(requests.map(({ path }) => path.split('?')[1])).toEqual([
      'page=1&per_page=100',
      'page=2&per_page=100',
      'page=3&per_page=100',
    ]);
    expect(written).toEqual(listed);
    expect(result).toMatchObject({ outcome: 'compliant', count: 250, response: undefined });
    expect(reportFacts(result)).toMatchObject({ Listed: 'all 250' });
    expect(result.report.tables?.map(({ title, rows, more }) => [title, rows.length, more])).toEqual([
      ['Attestations (250)', 200, 50],
    ]);
  });

  it('starts with the last page if the oldest come first, and still writes the newest first', async () => {
    const listed = numbers(250);
    const { result, requests, written } = await listAll(() => listed.toReversed());
    expect(requests.map(({ path }) => path.split('?')[1])).toEqual([
      'page=1&per_page=100',
      'page=3&per_page=100',
      'page=2&per_page=100',
      'page=1&per_page=100',
    ]);
    expect(written).toEqual(listed);
    expect(result).toMatchObject({ outcome: 'compliant', count: 250 });
  });

  it('asks for the time span on every page', async () => {
    const { requests } = await listAll(() => numbers(9), { 'per-page': '2', 'to-timestamp': String(start + 4) });
    expect(requests.map(({ path }) => new URL(path, 'https://x').searchParams.get('to_timestamp'))).toEqual([
      ...[String(start + 4), String(start + 4)],
    ]);
  });

  it('writes an empty list if there are no attestations', async () => {
    const { result, written } = await listAll(() => []);
    expect(written).toEqual([]);
    expect(result).toMatchObject({ outcome: 'incomplete', count: 0 });
  });

  it('loses and repeats nothing, and ends, while others are recorded, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (count, size, arrivals, isNewestFirst) => {
          let total = count;
          let asked = 0;
          const { result, written } = await listAll(
            () => {
              // Between two requests, fewer than a page are added, without end.
              if (asked > 0) total += (arrivals[asked % arrivals.length] ?? 0) % size;
              asked += 1;
              return isNewestFirst ? numbers(total) : numbers(total).toReversed();
            },
            { 'per-page': String(size) },
          );
          const ids = (Array.isArray(written) ? (written as ListedAttestation[]) : []).map(
            ({ attestation_id: id }) => id,
          );
          expect(new Set(ids).size).toBe(ids.length);
          for (const { attestation_id: id } of numbers(count)) expect(ids).toContain(id);
          if (count > 0) expect(result.outcome).toBe('compliant');
          expect(asked).toBeLessThanOrEqual(count + 2);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('finds a failed attestation on any page, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...numbers(12)], { minLength: 12 }),
        fc.nat({ max: 11 }),
        fc.integer({ min: 1, max: 5 }),
        async (listed, failed, size) => {
          const shown = listed.map((each, index) => (index === failed ? { ...each, is_compliant: false } : each));
          const { result } = await listAll(() => shown, { 'per-page': String(size) });
          expect(result.outcome).toBe('non-compliant');
          expect(result.count).toBe(12);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('finds the newest attestation on the last page', async () => {
    // The first page is in descending order, but the newest attestation is on the last page.
    const listed = [attestation(3), attestation(2), attestation(1), attestation(9, false)];
    const { result } = await listAll(() => listed, { 'per-page': '3' });
    expect(result).toMatchObject({ outcome: 'non-compliant', count: 4 });
  });

  it('does not pass if the service lists fewer than it counts', async () => {
    const { result } = await listFrom(() => {
      const pagination = { total: 3, page: 1, per_page: 100, page_count: 1 };
      return { status: 200, body: { data: numbers(2), pagination } };
    });
    expect(result).toMatchObject({
      outcome: 'incomplete',
      conclusion:
        '2 attestations of flow web, 2 compliant, 0 not compliant: the list is not complete: the service listed only 2 of 3 attestations.',
    });
    expect(reportFacts(result)).toMatchObject({ Listed: '2, not all' });
  });

  it('ends and does not pass if the list grows faster than it can be read', async () => {
    let total = 10;
    const { result, requests } = await listFrom(
      ({ path }) => {
        total += 2;
        const page = Number(new URL(path, 'https://x').searchParams.get('page'));
        return pageOf(numbers(total).slice((page - 1) * 2, page * 2), page, 2, total);
      },
      { 'per-page': '2' },
    );
    expect(result.outcome).toBe('incomplete');
    expect(requests.length).toBeLessThan(1100);
  });

  it('refuses a page with another number', async () => {
    const failure = await failureOf(listFrom(() => pageOf(numbers(100), 1, 100, 250)));
    expect(failure.message).toContain('was asked for page 2 and returned page 1 of 3');
  });

  it('refuses an empty page before the last one', async () => {
    const failure = await failureOf(listFrom(() => pageOf([], 1, 100, 250)));
    expect(failure).toMatchObject({ kind: 'external' });
    expect(failure.message).toContain('with 0 attestations');
  });

  const failing = (listed: readonly ListedAttestation[]) => {
    const service = serviceOf(() => listed);
    return (request: SeenRequest): ScriptedAnswer =>
      request.path.includes('page=3&') ? { status: 404, body: { message: 'Flow not found' } } : service(request);
  };

  it('ends with the service’s error if a page fails', async () => {
    const failure = await failureOf(listFrom(failing(numbers(250))));
    expect(failure.message).toContain('404: Flow not found');
  });

  it('is non-compliant if one attestation is, even if a later page fails', async () => {
    const listed = [attestation(251, false), ...numbers(250)];
    const { result, written } = await listFrom(failing(listed));
    expect(result.outcome).toBe('non-compliant');
    expect(result.conclusion).toMatch(/the list is not complete: not all pages could be read: .*404: Flow not found/u);
    expect(written).toHaveLength(200);
  });
});
