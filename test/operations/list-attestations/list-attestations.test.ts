import { describe, expect, it } from '@jest/globals';
import type { ListedAttestation } from '../../../src/contract/attestation-list.ts';
import { attestation, numbers, serviceOf } from '../../support/attestation-list.ts';
import {
  always,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
} from '../../support/perform-operation.ts';
import { userErrorOf } from '../../support/user-error.ts';

/** Lists the flow web, which has these attestations. */
function list(
  listed: readonly ListedAttestation[],
  inputs: Readonly<Record<string, string>> = {},
): Promise<PerformedOperation> {
  return performOperation(
    'list-attestations',
    { flow: 'web', ...inputs },
    serviceOf(() => listed),
  );
}

/** Lists the flow web of a service that answers with this page. */
function listPage(
  data: readonly ListedAttestation[],
  pagination: { readonly page: number; readonly total: number; readonly page_count: number },
): Promise<PerformedOperation> {
  const answer = always(200, { data, pagination: { per_page: 5, ...pagination } });
  return performOperation('list-attestations', { flow: 'web', page: String(pagination.page) }, answer);
}

describe('list-attestations of one page', () => {
  it('fetches the first page in the service’s default size', async () => {
    const { result, sent } = await list(numbers(20));
    expect(sent).toEqual(['GET /attestations/acme/web?page=1']);
    expect(result).toMatchObject({
      outcome: 'incomplete',
      count: 15,
      conclusion:
        '15 attestations of flow web, 15 compliant, 0 not compliant: the list is not complete: this is page 1 with 15 of 20 attestations; `page: all` lists them all.',
      response: { data: { length: 15 }, pagination: { total: 20 } },
    });
    expect(reportFacts(result)).toMatchObject({ Listed: '15 of 20 (page 1 of 2)' });
  });

  it('passes if the page is the whole list', async () => {
    const { result } = await list(numbers(15));
    expect(result).toMatchObject({
      outcome: 'compliant',
      conclusion: '15 attestations of flow web, 15 compliant, 0 not compliant.',
      report: { reasons: [] },
    });
    expect(reportFacts(result)).toMatchObject({ Listed: '15 of 15 (page 1 of 1)', Counting: '15' });
  });

  it('is non-compliant if one attestation is', async () => {
    const { result } = await list([...numbers(20).slice(0, 3), attestation(7, false), ...numbers(20)]);
    expect(result.outcome).toBe('non-compliant');
  });

  it.each([
    ['a later page', { page: 2, total: 20, page_count: 2 }],
    ['less than the service counts', { page: 1, total: 6, page_count: 1 }],
    ['one page of several, whatever the total', { page: 1, total: 5, page_count: 2 }],
  ])('does not pass by %s', async (_what, pagination) => {
    expect((await listPage(numbers(5), pagination)).result.outcome).toBe('incomplete');
  });

  it('does not count one entry twice to reach the total', async () => {
    const twice = [attestation(1), attestation(1)];
    const { result } = await listPage(twice, { page: 1, total: 2, page_count: 1 });
    expect(result).toMatchObject({ outcome: 'incomplete', count: 1 });
  });

  it('leaves out replaced attestations and counts them', async () => {
    const again = { attestation_name: 'unit', trail_name: 'main' };
    const listed = [
      { ...attestation(4), ...again },
      attestation(3, false),
      { ...attestation(2, false), ...again },
      { ...attestation(1, false), ...again },
    ];
    for (const order of [listed, listed.toReversed()]) {
      const { result, log } = await list(order);
      expect(result).toMatchObject({
        outcome: 'non-compliant',
        count: 4,
        conclusion:
          '4 attestations of flow web, 1 compliant, 1 not compliant, 2 replaced by newer ones: sonar-3 in trail trail-3: not compliant.',
      });
      expect(reportFacts(result)).toMatchObject({ Counting: '2', 'Replaced by newer ones': '2' });
      expect(log.warnings).toEqual([
        'The service does not say which artifact an attestation is about. A newer attestation with the same name and trail was assumed to replace 2 attestations that are not compliant.',
      ]);
    }
  });

  it('requests the given page and time span', async () => {
    const span = { 'from-timestamp': '2026-01-02T03:04:05Z', 'to-timestamp': '1767323100' };
    const { requests } = await list(numbers(20), { page: '2', 'per-page': '5', ...span });
    expect(requests[0]?.path).toBe(
      '/attestations/acme/web?page=2&per_page=5&from_timestamp=1767323045&to_timestamp=1767323100',
    );
  });

  it('has non-compliant attestations first, and is decided by them', async () => {
    const listed = [attestation(3, null), attestation(2, false), attestation(1)];
    const { result, onNonCompliant } = await list(listed);
    expect(onNonCompliant).toBe('ignore');
    expect(result.outcome).toBe('non-compliant');
    expect(result.conclusion.split('\n')).toEqual([
      '3 attestations of flow web, 1 compliant, 1 not compliant, 1 without a verdict:',
      'sonar-2 in trail trail-2: not compliant',
      'sonar-3 in trail trail-3: without a verdict',
    ]);
    expect(result.report.reasons).toEqual([
      {
        ...{ state: 'failed', about: 'sonar-2 in trail trail-2', value: 'not compliant' },
        html_url: 'https://compliance.example.com/attestations/2',
      },
      {
        ...{ state: 'incomplete', about: 'sonar-3 in trail trail-3', value: 'without a verdict' },
        html_url: 'https://compliance.example.com/attestations/3',
      },
    ]);
    const row = (number: number, sign: string): readonly string[] => [
      `sonar-${number}`,
      `trail-${number}`,
      '',
      'sonar',
      sign,
      `2026-01-02T03:04:0${5 + number}Z`,
      'ann',
      '',
    ];
    expect(Object.entries(reportTables(result))).toEqual([
      ['Attestations (3)', [row(3, '⏳ unknown'), row(2, '❌ no'), row(1, '✅ yes')]],
    ]);
  });

  it.each([
    [[true, true], 'compliant'],
    [[true, null], 'incomplete'],
    [[null, false], 'non-compliant'],
    [[], 'incomplete'],
  ] as const)('judges %j as %s', async (verdicts, outcome) => {
    const listed = verdicts.map((verdict, index) => attestation(index, verdict));
    const { result } = await list(listed);
    expect(result.outcome).toBe(outcome);
  });

  it('takes evidence that only proves nothing as incomplete, as other gates do', async () => {
    const open = { state: 'incomplete', about: 'sonar', value: 'no test ran' };
    const failed = { state: 'failed', about: 'sonar', value: '2 bugs' };
    const listed = (reasons: unknown[]): ReturnType<typeof attestation> => ({ ...attestation(1, false), reasons });
    const { result } = await list([listed([open])]);
    expect(result).toMatchObject({ outcome: 'incomplete', report: { reasons: [{ state: 'incomplete' }] } });
    expect(Object.values(reportTables(result))[0]?.[0]).toContain('⏳ unknown');
    for (const reasons of [[open, failed], [], ['?']])
      expect((await list([listed(reasons)])).result.outcome).toBe('non-compliant');
  });

  it('says if nothing is listed', async () => {
    const { result } = await list([]);
    expect(result.conclusion).toBe(
      '0 attestations of flow web, 0 compliant, 0 not compliant: no attestation is listed, so there is nothing to judge.',
    );
    expect(result).toMatchObject({ count: 0, report: { tables: [] } });
  });

  it('has the reasons of each attestation, with its artifact and its trail', async () => {
    const reason = { state: 'failed', about: 'scan', value: 'not compliant', description: '2 high vulnerabilities' };
    const sha = 'c'.repeat(40);
    const own = { trail_name: sha, artifact_fingerprint: 'a'.repeat(64), reasons: [reason, 'odd'] };
    const described = { ...attestation(1, false), description: '3 low vulnerabilities', target_artifacts: ['web'] };
    const { result } = await list([{ ...attestation(2, false), ...own }, described]);
    expect(result.conclusion.split('\n').slice(1)).toEqual([
      'scan of aaaaaaaaaaaa in trail cccccccccccc: not compliant: 2 high vulnerabilities',
      'sonar-1 of web in trail trail-1: not compliant: 3 low vulnerabilities',
    ]);
  });

  it('names a few of many non-compliant attestations', async () => {
    const listed = Array.from({ length: 70 }, (_, index) => attestation(index, index % 7 === 0 ? null : false));
    const { result } = await list(listed.toReversed(), { 'per-page': '100' });
    expect(result.conclusion).toMatch(/\nsonar-65 in trail trail-65: not compliant\nand 56 more$/u);
    const kinds = result.report.reasons?.map(({ state, about }) => `${state} ${about.replaceAll(/-\d+/gu, '')}`);
    expect(kinds).toEqual([
      ...Array.from({ length: 50 }, () => 'failed sonar in trail trail'),
      'failed 10 more',
      ...Array.from({ length: 10 }, () => 'incomplete sonar in trail trail'),
    ]);
  });

  it('refuses a time span that ends before it begins', async () => {
    const mistake = await userErrorOf(() => list([], { 'from-timestamp': '2026-01-03', 'to-timestamp': '2026-01-02' }));
    expect(mistake.message).toBe(
      '`from-timestamp` (2026-01-03T00:00:00Z) is after `to-timestamp` (2026-01-02T00:00:00Z)',
    );
  });
});
