import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { genericKind } from '../../../src/contract/attestations/generic.ts';
import { jiraKind } from '../../../src/contract/attestations/jira.ts';
import { junitKind, type JunitResult } from '../../../src/contract/attestations/junit.ts';
import { attestationKinds } from '../../../src/contract/attestations/kinds.ts';
import { pullRequestKind } from '../../../src/contract/attestations/pull-request.ts';
import { systemKind } from '../../../src/contract/attestations/system.ts';
import { describeFault } from '../../../src/contract/reason.ts';

describe('the kinds of attestations', () => {
  it.each(attestationKinds.map((kind) => [kind.name, kind] as const))('%s has a path of its own', (name, kind) => {
    expect(kind.endpoint.path).toBe(`/attestations/{org}/{flow_name}/trail/{trail_name}/${name}`);
    expect(kind.endpoint.repetition.effect).toBe('appends');
  });
});

describe('the verdict on generic evidence', () => {
  it('is what the sender says, and compliant by default', () => {
    const judged = (own: { is_compliant?: boolean }): string =>
      genericKind.judge({ attestation_name: 'scan', ...own }).verdict;
    expect(genericKind.judge({ attestation_name: 'scan', is_compliant: false }).faults).toEqual([
      { value: 'reported as not compliant' },
    ]);
    expect([judged({}), judged({ is_compliant: true }), judged({ is_compliant: false })]).toEqual([
      'compliant',
      'compliant',
      'non-compliant',
    ]);
  });
});

describe('the verdict on test results', () => {
  const suite = (counts: Partial<JunitResult>): JunitResult => ({
    ...{ name: 'unit', failures: 0, errors: 0, skipped: 0, total: 0, duration: 0 },
    ...counts,
  });
  const judge = (...suites: readonly Partial<JunitResult>[]): ReturnType<typeof junitKind.judge> =>
    junitKind.judge({ attestation_name: 'unit', junit_results: suites.map(suite) });

  it.each([
    ['no suites', [], 'incomplete', 'there are no tests'],
    ['an empty suite', [{}], 'incomplete', 'there are no tests'],
    ['skipped tests only', [{ total: 2, skipped: 2 }], 'incomplete', 'all 2 tests were skipped'],
    ['passed tests', [{ total: 3, skipped: 1 }], 'compliant', '2 of 3 tests passed, 1 skipped'],
    ['a failure', [{ total: 3, failures: 1 }, { total: 1 }], 'non-compliant', 'of 4 tests, 1 failed and 0 had errors'],
    ['an error', [{ total: 1, errors: 1 }], 'non-compliant', 'of 1 tests, 0 failed and 1 had errors'],
    ['an error outside of tests', [{ errors: 1 }], 'non-compliant', 'of 0 tests, 0 failed and 1 had errors'],
  ])('of %s', (_title, suites, verdict, reason) => {
    expect(judge(...suites)).toMatchObject({ verdict, reason });
  });

  it.each([
    [[{ total: 3, failures: 1 }, { total: 1 }], '1 of 4 tests failed (unit); none may fail'],
    [[{ errors: 1, name: '' }], '1 failures and errors; none may fail'],
    [[{}], 'there are no tests; at least one must pass'],
    [
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, total: 2, failures: 1, errors: 1 })),
      '10 of 10 tests failed (a, b, c and 2 more suites); none may fail',
    ],
  ])('of %j says what is wrong', (suites, words) => {
    expect(judge(...suites).faults.map(describeFault)).toEqual([words]);
  });

  it('is never compliant with a failure or an error', () => {
    const counts = fc.record({ total: fc.nat(9), failures: fc.nat(2), errors: fc.nat(2), skipped: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(counts), (suites) => {
        const isRed = suites.some(({ failures, errors }) => failures + errors > 0);
        const { verdict, faults } = judge(...suites);
        expect(verdict === 'non-compliant').toBe(isRed);
        expect(faults.length === 0).toBe(verdict === 'compliant');
      }),
    );
  });
});

describe('the verdict on pull requests', () => {
  const found = { merge_commit: '', url: 'https://example.com/pull/1', state: 'OPEN', approvers: [], commits: [] };
  const judge = (
    pull_requests: (typeof found)[],
    user_data?: Record<string, unknown>,
  ): ReturnType<typeof pullRequestKind.judge> =>
    pullRequestKind.judge({
      ...{ attestation_name: 'pr', git_provider: 'github', pull_requests },
      ...(user_data === undefined ? {} : { user_data }),
    });

  it('is compliant with at least one', () => {
    const reason = 'the commit belongs to no pull request';
    expect(judge([])).toEqual({ verdict: 'non-compliant', reason, faults: [{ value: reason }] });
    expect(judge([found]).reason).toBe('the commit belongs to https://example.com/pull/1');
    const several = { verdict: 'compliant', reason: 'the commit belongs to 2 pull requests', faults: [] };
    expect(judge([found, found])).toEqual(several);
  });

  it.each([
    [{ minimum_approvals: 2, approvals: 0 }, 'non-compliant', '0 approvals; at least 2 are required'],
    [{ minimum_approvals: 1, approvals: 0 }, 'non-compliant', '0 approvals; at least 1 is required'],
    [{ minimum_approvals: 2, approvals: 1 }, 'non-compliant', '1 approval; at least 2 are required'],
    [{ minimum_approvals: 2, approvals: 2 }, 'compliant', undefined],
    [{ minimum_approvals: 0, approvals: 0 }, 'compliant', undefined],
    [{ minimum_approvals: 2 }, 'incomplete', '`user_data.rule` is not a rule about approvals'],
    ['two', 'incomplete', '`user_data.rule` is not a rule about approvals'],
    [null, 'incomplete', '`user_data.rule` is not a rule about approvals'],
  ])('needs the approvals of the rule %j', (rule, verdict, words) => {
    const judged = judge([found], { rule });
    expect([judged.verdict, judged.faults.map(describeFault)]).toEqual([verdict, words === undefined ? [] : [words]]);
    expect(judge([], { rule }).verdict).toBe('non-compliant');
  });

  it('ignores what a prototype has', () => {
    expect(judge([found], Object.create({ rule: 'two' }) as Record<string, unknown>).verdict).toBe('compliant');
  });
});

describe('the verdict on issues', () => {
  const judge = (...found: readonly (readonly [string, boolean])[]): ReturnType<typeof jiraKind.judge> =>
    jiraKind.judge({
      attestation_name: 'ticket',
      jira_results: found.map(([issue_id, issue_exists]) => ({
        issue_id,
        issue_exists,
        issue_url: 'https://x.example',
      })),
    });

  it('is compliant if there is one, and all exist', () => {
    expect(judge(['WEB-1', true], ['WEB-2', true])).toEqual({
      ...{ verdict: 'compliant', reason: 'the change names WEB-1, WEB-2', faults: [] },
    });
    expect(judge().faults.map(describeFault)).toEqual(['the change names no issue; at least one is required']);
    expect(jiraKind.judge({ attestation_name: 'ticket', jira_results: null }).verdict).toBe('non-compliant');
    expect(judge(['WEB-1', true], ['WEB-2', false]).faults.map(describeFault)).toEqual(['WEB-2 does not exist']);
    const many = Array.from({ length: 12 }, (_, index) => [`W-${index}`, false] as const);
    expect(judge(...many).faults.map(describeFault)).toEqual([
      'W-0, W-1, W-2, W-3, W-4, W-5, W-6, W-7, W-8, W-9 and 2 more do not exist',
    ]);
  });
});

describe('the verdict on a decision', () => {
  it.each([
    [true, 'compliant', 'RCTL-1 was decided to be met'],
    [false, 'non-compliant', 'RCTL-1 was decided not to be met'],
    [undefined, 'incomplete', 'the decision does not say what was decided'],
  ])('of %s is %s', (isCompliant, verdict, reason) => {
    const attestation_data = isCompliant === undefined ? {} : { is_compliant: isCompliant };
    const document = { attestation_name: 'd', type_name: 'decision' as const, control: 'RCTL-1', attestation_data };
    expect(systemKind.judge(document)).toMatchObject({ verdict, reason });
    expect(systemKind.typeOf(document)).toBe('decision');
  });
});

describe('the verdict on a bill of materials', () => {
  const judge = (user_data: Record<string, unknown>): ReturnType<typeof systemKind.judge> =>
    systemKind.judge({
      ...{ attestation_name: 'sbom', type_name: 'sbom', user_data },
      attestation_data: { document: { package_count: 12 } },
    });
  const rule = { allowed_licenses: ['MIT'], unknown_licenses: 'refuse' };
  const licenses = {
    ...{ licenses: ['MIT', 'GPL-3.0-only'], unknown: ['one'], unknown_count: 3 },
    ...{ not_allowed: [{ component: 'two@1.0', license: 'GPL-3.0-only' }], not_allowed_count: 1 },
  };

  it('is compliant if it is on record, and no rule says more', () => {
    expect(judge({})).toEqual({ verdict: 'compliant', reason: 'it has 12 components', faults: [] });
    expect(judge({ licenses }).verdict).toBe('compliant');
  });

  it('names what the rule does not allow', () => {
    const judged = judge({ rule, licenses });
    expect(judged.verdict).toBe('non-compliant');
    expect(judged.faults.map(describeFault)).toEqual([
      'two@1.0 has GPL-3.0-only; the licence is not allowed',
      'one has no licence that can be read; a licence is required',
      '2 more components; a licence is required',
    ]);
    expect(judge({ rule: { ...rule, unknown_licenses: 'allow' }, licenses }).faults).toHaveLength(1);
  });

  it.each([
    [0, 'it has 12 components, all with allowed licences'],
    [3, 'it has 12 components, 3 without a known licence, all others with allowed ones'],
  ])('counts components without a known licence, if they are allowed: %i', (unknown_count, reason) => {
    const found = { ...licenses, unknown_count, not_allowed: [], not_allowed_count: 0 };
    const allowing = { ...rule, unknown_licenses: 'allow' };
    expect(judge({ rule: allowing, licenses: found })).toEqual({ verdict: 'compliant', reason, faults: [] });
  });

  it('is incomplete without the licences, or by another rule', () => {
    expect(judge({ rule }).verdict).toBe('incomplete');
    expect(judge({ rule: { fail_on: 'high' }, licenses }).verdict).toBe('incomplete');
  });
});
