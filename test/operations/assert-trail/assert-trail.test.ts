import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { artifactStates } from '../../../src/contract/compliance.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import {
  answersInTurn,
  type PerformedOperation,
  performOperation,
  type ScriptedAnswer,
} from '../../support/perform-operation.ts';

const page = 'https://compliance.example.com/acme/flows/web/trails/pr-3';
const attested = (name: string, change: object = {}): object => ({
  ...{ attestation_name: name, attestation_type: 'junit', status: 'COMPLETE', is_compliant: true, unexpected: false },
  ...change,
});
const missing = { status: 'MISSING', is_compliant: false };
const failed = { is_compliant: false };

function statusOf(attestations: readonly unknown[], artifacts: object = {}): object {
  return { compliance_status: { attestations_statuses: attestations, artifacts_statuses: artifacts } };
}

function trail(state: string, change: object = statusOf([attested('unit')])): ScriptedAnswer {
  return { status: 200, body: { name: 'pr-3', flow: 'web', compliance_state: state, html_url: page, ...change } };
}

const unknown: ScriptedAnswer = {
  status: 404,
  body: { message: "Trail with name 'pr-3' does not exist for Organization 'acme' and Flow 'web'" },
};

/** Runs the operation; the service returns the answers in order and repeats the last one. */
function assert(
  inputs: Readonly<Record<string, string>>,
  ...answers: Parameters<typeof answersInTurn>
): Promise<PerformedOperation> {
  const given = { flow: 'web', trail: 'pr-3', retries: '0', ...inputs };
  return performOperation('assert-trail', given, answersInTurn(...answers));
}

async function resultOf(answer: ScriptedAnswer): Promise<OperationResult> {
  return (await assert({}, answer)).result;
}

describe('assert-trail', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
  ])('judges the state %s as %s', async (state, outcome) => {
    const { result, sent, onNonCompliant } = await assert({}, trail(state));
    expect(sent).toEqual(['GET /trails/acme/web/pr-3']);
    expect(onNonCompliant).toBe('fail');
    expect(result).toMatchObject({ outcome, state, htmlUrl: page, response: { compliance_state: state } });
  });

  it('judges the trail of the commit if none is named', async () => {
    const answer = (): ScriptedAnswer => trail('COMPLIANT', { ...statusOf([attested('unit')]), name: shas.head });
    const { result, requests } = await performOperation('assert-trail', { flow: 'web' }, answer);
    expect(requests.map(({ path }) => path)).toEqual([`/trails/acme/web/${shas.head}`]);
    expect(result).toMatchObject({
      outcome: 'compliant',
      conclusion: `Trail ${shas.head} is COMPLIANT in flow web.`,
      commits: [shas.head],
    });
    const given = { flow: 'web', 'commit-sha': shas.base };
    const other = await performOperation('assert-trail', given, ({ path }) => ({
      status: 200,
      body: { compliance_state: 'COMPLIANT', name: path.split('/').at(-1) },
    }));
    expect(other.requests.map(({ path }) => path)).toEqual([`/trails/acme/web/${shas.base}`]);
  });

  it('is for the commit that the service names, and for none if it names none', async () => {
    const git_commit_info = { sha1: shas.base, author: 'Ann', message: 'feat: lid\n\nbody', timestamp: 'soon' };
    const named = await resultOf(trail('COMPLIANT', { ...statusOf([attested('unit')]), git_commit_info }));
    expect(named.commits).toEqual([shas.base]);
    expect(named.report.facts.map(({ label, value }) => `${label}: ${value.text}`)).toEqual([
      ...['Flow: web', 'Trail: pr-3', `Commit: ${shas.base}`, 'Commit message: feat: lid', 'Author: Ann'],
    ]);
    expect((await resultOf(trail('COMPLIANT'))).commits).toBeUndefined();
  });

  it('has the reasons of the answer, and shows what is required and recorded', async () => {
    const reasons = [
      { state: 'missing', about: 'unit', value: 'recorded as generic', limit: 'junit is required' },
      { state: 'failed', about: 'scan', value: 'not compliant', description: '2 high vulnerabilities' },
      { state: 'incomplete', about: 'web.load', value: 'there are no tests' },
    ];
    const artifacts = {
      web: { status: 'INCOMPLETE', unexpected: false, attestations_statuses: [attested('load', failed)] },
      api: { status: 'MISSING', unexpected: false, attestations_statuses: [] },
    };
    const attestations = [
      attested('unit', missing),
      attested('unit', { attestation_type: 'generic', unexpected: true }),
      attested('scan', failed),
    ];
    const result = await resultOf(trail('NON-COMPLIANT', { ...statusOf(attestations, artifacts), reasons }));
    expect(result.conclusion.split('\n')).toEqual([
      'Trail pr-3 is NON-COMPLIANT in flow web:',
      'scan: not compliant: 2 high vulnerabilities',
      'web.load: there are no tests',
      'unit: recorded as generic; junit is required',
    ]);
    expect(result.htmlUrl).toBe(`${page}#evidence-scan`);
    expect(result.report.evidence?.table?.rows.map((row) => row.map(({ text }) => text).join(' '))).toEqual([
      'unit junit ⚠️ recorded as generic; junit is required',
      'scan junit ❌ failed',
      'web artifact ⏳ incomplete',
      'web.load junit ⏳ incomplete',
      'api artifact ⬜ missing',
    ]);
  });

  it('shows why evidence of the required type does not count', async () => {
    const [value, limit] = ['recorded by rule pulls', 'only rule build counts'];
    const attestations = [attested('unit', missing), attested('unit', { unexpected: true })];
    const reasons = [{ state: 'missing', about: 'unit', value, limit, rule: 'template of the flow' }];
    const result = await resultOf(trail('INCOMPLETE', { ...statusOf(attestations), reasons }));
    expect(result.report.evidence?.table?.rows.map((row) => row.map(({ text }) => text).join(' '))).toEqual([
      'unit junit ⚠️ recorded by rule pulls; only rule build counts',
    ]);
  });

  it('derives the reasons if the answer has none', async () => {
    const artifacts = {
      web: { status: 'NON-COMPLIANT', attestations_statuses: [attested('load', failed)] },
      api: { status: 'MISSING', attestations_statuses: [attested('load', missing)] },
    };
    const attestations = [
      attested('unit', missing),
      attested('any', { ...missing, attestation_type: '*' }),
      attested('odd', { is_compliant: 'yes' }),
      7,
    ];
    const result = await resultOf(trail('NON-COMPLIANT', statusOf(attestations, artifacts)));
    expect(result.report.reasons).toEqual([
      { state: 'failed', about: 'web.load', value: 'not compliant' },
      { state: 'incomplete', about: 'odd', value: 'not judged yet' },
      { state: 'incomplete', about: '(without a name)', value: 'not judged yet' },
      { state: 'missing', about: 'unit', rule: 'template', value: 'not recorded', limit: 'junit is required' },
      { state: 'missing', about: 'any', rule: 'template', value: 'not recorded' },
      { state: 'missing', about: 'api', rule: 'template', value: 'artifact not reported' },
      { state: 'missing', about: 'api.load', rule: 'template', value: 'not recorded', limit: 'junit is required' },
    ]);
  });

  it('says what the answer says if nothing else explains the state', async () => {
    const told = await resultOf(trail('INCOMPLETE', { state_info: 'Frozen by hand.' }));
    expect(told.conclusion).toBe('Trail pr-3 is INCOMPLETE in flow web: Frozen by hand.');
    const silent = await resultOf(trail('NON-COMPLIANT', {}));
    expect(silent.report.reasons).toEqual([
      {
        ...{ state: 'failed', about: 'trail pr-3', html_url: page },
        value: 'the service says NON-COMPLIANT and gives no reason',
      },
    ]);
  });

  it('is incomplete if nothing was recorded', async () => {
    expect(await resultOf(unknown)).toMatchObject({
      outcome: 'incomplete',
      state: 'INCOMPLETE',
      conclusion: 'Trail pr-3 is INCOMPLETE in flow web: nothing was recorded to it.',
      response: { flow: 'web', trail: 'pr-3', verdict: 'incomplete', reasons: [{ state: 'missing' }] },
      htmlUrl: undefined,
    });
  });

  it.each([
    ['says so', statusOf([])],
    ['says nothing about evidence', {}],
    ['has an odd list', { compliance_status: { attestations_statuses: 'none' } }],
  ])('is incomplete if nothing is required and nothing was recorded, whatever the state: it %s', async (_, change) => {
    expect(await resultOf(trail('COMPLIANT', change))).toMatchObject({
      outcome: 'incomplete',
      state: 'INCOMPLETE',
      conclusion: 'Trail pr-3 is INCOMPLETE in flow web: no evidence is required, and none was recorded.',
      htmlUrl: page,
    });
  });

  it('is an error, and names create-flow, if there is no such flow', async () => {
    const message = "Flow named 'web' does not exist for organization 'acme'";
    const failure = await failureOf(resultOf({ status: 404, body: { message } }));
    expect(failure).toMatchObject({ kind: 'user', remedy: expect.stringContaining('`create-flow`') });
  });

  it.each([
    ['another trail', trail('COMPLIANT', { ...statusOf([attested('unit')]), name: 'pr-4' }), 'trail "pr-4"'],
    ['another flow', trail('COMPLIANT', { ...statusOf([attested('unit')]), flow: 'api' }), 'flow "api"'],
    ['an unknown state', trail('FROZEN'), 'unknown state "FROZEN"'],
    ['an empty state', trail(''), 'no state'],
    ['no state', { status: 200, body: { name: 'pr-3' } }, 'compliance_state'],
    ['a 404 that is not the service’s', { status: 404, body: { message: 'Not Found' } }, '404'],
    ['a 404 about another trail', { status: 404, body: { message: 'Trail Runner Shop: page not found' } }, '404'],
    ['missing evidence', trail('COMPLIANT', statusOf([attested('unit', missing)])), 'unit is missing'],
    ['nothing but an entry that cannot be read', trail('COMPLIANT', statusOf([null])), 'is unknown'],
  ])('gives no verdict for an answer with %s', async (_what, answer, words) => {
    expect((await failureOf(resultOf(answer))).message).toContain(words);
  });

  it('never passes unless the service says so of evidence that it shows', async () => {
    const entry = fc.oneof(fc.jsonValue(), fc.constant(attested('unit')), fc.constant(attested('unit', failed)));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...artifactStates),
        fc.array(entry, { maxLength: 3 }),
        async (state, entries) => {
          // An answer that contradicts itself is an error.
          const result = await resultOf(trail(state, statusOf(entries))).catch(() => undefined);
          const isShown = entries.every((one) => isDeepStrictEqual(one, attested('unit')));
          expect(result?.outcome === 'compliant').toBe(state === 'COMPLIANT' && entries.length > 0 && isShown);
          expect(result?.report.reasons?.length === 0).toBe(result?.outcome === 'compliant');
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('assert-trail that waits', () => {
  const open = trail('INCOMPLETE', statusOf([attested('unit', missing)]));

  it('waits for the trail and for its evidence, and asks again until the verdict is final', async () => {
    const { result, requests, log } = await assert({ wait: '60' }, unknown, open, trail('COMPLIANT'));
    expect(result.outcome).toBe('compliant');
    expect(requests).toHaveLength(3);
    expect(log.infos.filter((line) => line.startsWith('Waiting'))).toEqual([
      'Waiting: Trail pr-3 is INCOMPLETE: nothing was recorded to it (1 min left)',
      'Waiting: Trail pr-3 is INCOMPLETE: unit: not recorded; junit is required (template) (1 min left)',
    ]);
  });

  it('does not wait after a failure, and says how long it waited in vain', async () => {
    const red = trail('NON-COMPLIANT', statusOf([attested('unit', failed)]));
    expect((await assert({ wait: '60' }, red, trail('COMPLIANT'))).result.outcome).toBe('non-compliant');
    expect((await assert({ wait: '60' }, unknown)).result.conclusion).toBe(
      'Trail pr-3 is INCOMPLETE in flow web: nothing was recorded to it within 60 s. Waited 1 min for a final verdict and timed out.',
    );
    expect((await assert({ wait: '60' }, trail('COMPLIANT', statusOf([])))).result.outcome).toBe('incomplete');
  });
});
