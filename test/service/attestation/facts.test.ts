import { describe, expect, it } from '@jest/globals';
import type { AttestationDocuments } from '../../../src/contract/attestations/kinds.ts';
import { parseExactJson } from '../../../src/runtime/exact-json.ts';
import {
  addOverride,
  type Facts,
  findFacts,
  findOverrideEnd,
  isOverridden,
} from '../../../src/service/attestation/facts.ts';

const attestation_name = 'evidence';
const commit = { sha1: 'a'.repeat(40), message: 'x', author: 'Ann <a@x>', timestamp: 1, branch: 'main' };
const pullRequest = { merge_commit: '', url: 'https://x.example/1', state: 'OPEN', approvers: null, commits: [] };
const condition = { metric: 'new_coverage', status: 'OK', value: '81.5' };

describe('the facts of evidence', () => {
  it('are what each kind says in numbers, words and lists', () => {
    const find = <Kind extends keyof AttestationDocuments>(kind: Kind, document: AttestationDocuments[Kind]): Facts =>
      findFacts(kind, document);
    expect(find('generic', { attestation_name })).toEqual({ is_compliant: true });
    expect(
      find('junit', {
        attestation_name,
        junit_results: [{ name: 'unit', total: 5, failures: 1, errors: 2, skipped: 1, duration: 1 }],
      }),
    ).toEqual({ tests: 5, failures: 1, errors: 2, skipped: 1 });
    const conditions = [condition, { metric: 'bugs', status: 'OK' }, { metric: 'empty', status: 'OK', value: ' ' }];
    expect(
      find('sonar', {
        attestation_name,
        sonar_results: { project: { key: 'web' }, qualityGate: { status: 'OK', conditions } },
      }),
    ).toEqual({ quality_gate: 'OK', new_coverage: 81.5 });
    expect(
      find('snyk', {
        attestation_name,
        snyk_results: {
          ...{ schema_version: 1, tool: { name: 'x', version: '1' } },
          results: [{ high_count: 2, medium_count: 1, low_count: 0 }],
        },
      }),
    ).toEqual({ high: 2, medium: 1, low: 0 });
    expect(find('jira', { attestation_name, jira_results: null })).toEqual({ issues: 0, missing: 0, issue_ids: [] });
    expect(
      find('system', { attestation_name, type_name: 'decision', attestation_data: { is_compliant: false } }),
    ).toEqual({ is_compliant: false });
    const data = { format: 'spdx-2.3', document: { package_count: 7 } };
    expect(find('system', { attestation_name, type_name: 'sbom', attestation_data: data })).toEqual({
      ...{ format: 'spdx-2.3', components: 7 },
    });
  });

  it('cannot say that a verdict was overridden, whatever the sender names its facts', () => {
    const attestation_data = { 'overridden by': 'ann', readable: 1 };
    const facts = findFacts('custom', { attestation_name, type_name: 'own', attestation_data, type_version: 1 });
    expect(facts).toMatchObject({ readable: 1 });
    expect(isOverridden(facts)).toBe(false);
    const measured = { metric: 'overridden by', status: 'OK', value: '1' };
    const qualityGate = { status: 'OK', conditions: [measured] };
    expect(findFacts('sonar', { attestation_name, sonar_results: { project: { key: 'web' }, qualityGate } })).toEqual({
      quality_gate: 'OK',
    });
    expect(isOverridden(addOverride({ id: 'a', facts }, 'ann'))).toBe(true);
  });

  it('have numbers of custom data however they are written', () => {
    const attestation_data = parseExactJson(
      '{"lines": 90.0, "ratio": 5e-1, "id": 12345678901234567890, "huge": 1e400}',
    );
    expect(findFacts('custom', { attestation_name, type_name: 'own', attestation_data, type_version: 1 })).toEqual({
      ...{ lines: 90, ratio: 0.5, id: 12_345_678_901_234_567_000, type_version: 1 },
    });
  });

  it('say what counts after the end of an override: the latest attestation before it that has no end', () => {
    const endless = addOverride({ id: 'evidence' }, 'ann');
    expect(findOverrideEnd(endless)).toBeUndefined();
    const first = addOverride({ id: 'endless', facts: endless }, 'ann', '2027-06-30');
    const second = addOverride({ id: 'first', facts: first }, 'ann', '2027-01-01');
    expect(findOverrideEnd(second)).toEqual({ until: '2027-01-01', original: 'endless' });
    expect(findOverrideEnd(addOverride({ id: 'second', facts: second }, 'ann'))).toBeUndefined();
  });

  it('are limited in length, because those of all evidence are read at once', () => {
    const conditions = Array.from({ length: 20_000 }, (_, index) => ({
      metric: `m${index}`,
      status: 'OK',
      value: '1',
    }));
    const qualityGate = { status: 'OK', conditions };
    const measured = findFacts('sonar', { attestation_name, sonar_results: { project: { key: 'web' }, qualityGate } });
    expect(JSON.stringify(measured).length).toBeLessThan(10_000);
    const long = Array.from({ length: 100 }, () => 'x'.repeat(200));
    const attestation_data = { first: 1, long, last: 2 };
    expect(findFacts('custom', { attestation_name, type_name: 'own', attestation_data, type_version: 1 })).toEqual({
      ...{ first: 1, last: 2, type_version: 1 },
    });
  });

  it('count the approvals of the pull request that has the fewest, once for each person', () => {
    const found = [
      {
        ...pullRequest,
        author: 'ann',
        approvers: ['bob', 'bob', 'ann', { username: 'eve', state: 'DISMISSED' }, 'cid'],
      },
      {
        ...{ ...pullRequest, author: 'ann', commits: [{ ...commit, author_username: 'cid' }] },
        approvers: [{ username: 'bob', state: 'APPROVED' }, { username: 'cid' }, 'ann'],
      },
    ];
    const facts = (pull_requests: typeof found): Facts =>
      findFacts('pull_request', { attestation_name, git_provider: 'github', pull_requests });
    expect(facts(found)).toEqual({ pull_requests: 2, approvals: 3, independent_approvals: 1 });
    expect(facts([])).toEqual({ pull_requests: 0, approvals: 0, independent_approvals: 0 });
  });

  it.each([
    ['the author of a commit was left out', [commit, { ...commit, author: '' }]],
    ['GitHub may not have listed all commits', Array.from({ length: 250 }, () => commit)],
  ])('do not say how many approvals are independent if %s', (_what, commits) => {
    const pull_requests = [pullRequest, { ...pullRequest, commits, approvers: ['bob'] }];
    const facts = findFacts('pull_request', { attestation_name, git_provider: 'github', pull_requests });
    expect(facts).toEqual({ pull_requests: 2, approvals: 0 });
  });

  it('know the authors of 249 commits, and of those without an account', () => {
    const commits = Array.from({ length: 249 }, () => commit);
    const pull_requests = [{ ...pullRequest, commits, approvers: ['bob'] }];
    expect(findFacts('pull_request', { attestation_name, git_provider: 'github', pull_requests })).toEqual({
      ...{ pull_requests: 1, approvals: 1, independent_approvals: 1 },
    });
  });
});
