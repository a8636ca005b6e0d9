import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { artifactStates } from '../../../../src/contract/compliance.ts';
import { toDay } from '../../../../src/runtime/clock.ts';
import {
  createServiceAccount,
  deleteServiceAccount,
} from '../../../../src/service/account/service-account-use-cases.ts';
import { overrideAttestation } from '../../../../src/service/attestation/override-use-cases.ts';
import type { Template } from '../../../../src/service/template/template.ts';
import type { Trail } from '../../../../src/service/trail/trail.ts';
import { loadTrail } from '../../../../src/service/trail/trail-state-use-cases.ts';
import { judgeMarked } from '../../../../src/service/trail/trail-verdict-use-cases.ts';
import type { Records } from '../../../support/records.ts';
import { commitOf, fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

const day = 86_400;
const from = ['service-account:ci'];
const templates: readonly Template[] = [
  [],
  ['artifact', 'sonar'],
  {
    text: 'one',
    attestations: [{ name: 'sonar', type: '*', from }],
    artifacts: [{ name: 'web', attestations: [{ name: 'unit', type: '*', from }] }],
  },
  {
    text: 'two',
    attestations: [],
    artifacts: [{ name: 'web', from, attestations: [{ name: 'unit', type: 'sonar' }] }],
  },
];
const names = ['main', 'next', 'old'];

const step = fc.record({
  id: fc.uuid(),
  what: fc.constantFrom(
    ...([
      'flow',
      'begin',
      'artifact',
      'artifact',
      'attest',
      'attest',
      'attest',
      'override',
      'day',
      'account',
      'judge',
    ] as const),
  ),
  trail: fc.constantFrom(...names),
  template: fc.constantFrom(...templates),
  commit: fc.constantFrom('1', '2'),
  name: fc.constantFrom('sonar', 'unit', 'web.unit'),
  fingerprint: fc.option(fc.constantFrom('a', 'c')),
  passes: fc.boolean(),
  isRecorded: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const toStep = (what: Step['what'], change: Partial<Step> = {}): Step => ({
  ...{ id: what + JSON.stringify(change), what, trail: 'main', template: [], commit: '1', name: 'unit' },
  ...{ fingerprint: null, passes: true, isRecorded: true, ...change },
});
const [, , strict = []] = templates;
const attested = [
  ...[toStep('account'), toStep('flow', { template: strict })],
  ...[toStep('begin'), toStep('attest', { name: 'sonar' })],
];

/** Changes whose effects random steps rarely meet. */
const examples: readonly (readonly Step[])[] = [
  [...attested, toStep('artifact'), toStep('attest', { name: 'web.unit' }), toStep('judge'), toStep('account')],
  // The commit of the other trail decides whether the evidence of the artifact counts.
  [
    ...attested,
    toStep('artifact'),
    toStep('begin', { trail: 'next' }),
    toStep('attest', { trail: 'next', fingerprint: 'c' }),
    toStep('judge'),
    toStep('begin', { trail: 'next', commit: '2' }),
  ],
  [
    toStep('flow', { template: ['artifact', 'sonar'] }),
    toStep('artifact'),
    toStep('attest', { name: 'sonar', passes: false }),
    toStep('override', { name: 'sonar' }),
    toStep('judge'),
    toStep('day'),
    toStep('day'),
  ],
];

/** The last verdicts on trails, which select them in lists. */
export function describeTrailVerdicts(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
    });
    afterEach(() => tested.remove());

    /** Does what the background does. */
    async function judgeAll(at: number): Promise<void> {
      for (;;) {
        const org = await records.storage.read(({ trails }) => trails.findOrgToRejudge(at));
        if (org === undefined) return;
        await records.storage.transaction(org, (transaction) => judgeMarked(transaction, org, at));
      }
    }

    /** Carries out steps in an organization, a second after another. Returns when they end. */
    async function carryOut(org: string, steps: readonly Step[]): Promise<number> {
      let at = 100 * day;
      let created: number | undefined;
      const flow = 'web';
      const saveFlow = (template: Template) =>
        records.saveFlow({ org, name: flow, description: '', visibility: undefined, template, repoUrl: undefined }, at);
      const toRecorded = ({ id, commit, isRecorded }: Step) => {
        const own = [{ id: `service-account:ci@${created}`, commit: commitOf(commit) }];
        const recorders = isRecorded && created !== undefined ? own : [];
        return { org, flow, id: `${org}-${id}`, createdAt: at, reportedBy: 'ann', recorders };
      };
      const toName = ({ fingerprint, name: evidence }: Step) => ({
        attestation_name: evidence,
        ...(fingerprint === null ? {} : { artifact_fingerprint: fingerprintOf(fingerprint) }),
      });
      const kinds: Readonly<Record<Step['what'], (one: Step) => Promise<unknown>>> = {
        flow: ({ template }) => saveFlow(template),
        begin: ({ trail, commit, template }) => {
          const report = { git_commit_info: { sha1: commitOf(commit) } };
          const own = 'text' in template ? template : undefined;
          return records.beginTrail({ org, flow, name: trail, report, template: own }, at);
        },
        artifact: (one) => {
          const { trail, commit, fingerprint } = one;
          const about = { trail_name: trail, git_commit: commitOf(commit), template_reference_name: 'web' };
          const report = sampleArtifact({ ...about, fingerprint: fingerprintOf(fingerprint ?? 'c') });
          return records.recordArtifact({ ...toRecorded(one), report });
        },
        attest: (one) => {
          const { trail, name: evidence, passes } = one;
          const verdict = passes ? 'compliant' : 'non-compliant';
          return records.recordAttestation({
            ...{ ...toRecorded(one), trail, name: evidence, type: 'sonar', verdict, reason: 'is so', faults: [] },
            ...{ facts: undefined, attachment: undefined, countsFor: undefined },
            document: sampleAttestation('OK', toName(one)),
          });
        },
        override: (one) => {
          const { trail, passes, isRecorded: isAdmin } = one;
          const { recorders, reportedBy } = toRecorded(one);
          const end = isAdmin ? { until: toDay(at) } : {};
          const override = { ...toName(one), reason: 'known', original_attestation_type: 'sonar', ...end };
          return overrideAttestation(records.at(at), {
            ...{ org, flow, trail, reportedBy, countsFor: undefined, recorders, isAdmin },
            override: { ...override, new_compliance_status: passes },
          });
        },
        day: () => Promise.resolve((at += day)),
        judge: () => judgeAll(at),
        account: async () => {
          const account = { org, name: 'ci', displayName: 'ci', privilege: 'member', description: '' } as const;
          const dependencies = records.at(at);
          if (created !== undefined) await deleteServiceAccount(dependencies, { org, name: 'ci', by: 'ann' });
          else await createServiceAccount(dependencies, { ...account, createdBy: 'ann', forWebhook: false });
          created = created === undefined ? at : undefined;
        },
      };
      await records.createOrganization(org, 1);
      await saveFlow(['artifact', 'sonar']);
      for (const one of steps) {
        at += 1;
        await kinds[one.what](one);
      }
      return at;
    }

    it('are made again for what a change affects in each flow, and for nothing else', async () => {
      const org = 'acme';
      await records.createOrganizationWithFlows(org, ['web', 'api']);
      const build = (flow: string, trail: string, digit: string): Promise<unknown> =>
        records.recordArtifact({
          ...{ org, flow, id: `${flow}-${trail}-${digit}`, createdAt: 3, reportedBy: 'ann' },
          report: sampleArtifact({ trail_name: trail, fingerprint: fingerprintOf(digit) }),
        });
      const attest = (flow: string, digit: string): Promise<unknown> =>
        records.recordAttestation({
          ...{ org, flow, trail: 'main', id: `${flow}-${digit}`, name: 'sonar', type: 'sonar', createdAt: 3 },
          ...{ reportedBy: 'ann', verdict: 'compliant', reason: 'is so', faults: [] },
          document: sampleAttestation('OK', { artifact_fingerprint: fingerprintOf(digit) }),
        });
      await Promise.all([attest('web', '1'), attest('api', '2')]);
      await Promise.all([build('web', 'next', '1'), build('web', 'other', '2')]);
      await Promise.all([build('api', 'next', '2'), build('api', 'other', '1')]);
      const own = { text: '', attestations: [{ name: 'scan', type: '*', from }], artifacts: [] };
      await records.beginTrail({ org, flow: 'web', name: 'own', report: {}, template: own }, 3);
      await judgeAll(10);
      const found = await records.storage.transaction(org, async ({ trails }) => {
        await trails.noteMove({ org, flow: 'web', name: 'main' }, 20);
        const moved = (await trails.takeToRejudge(org, 20, 9)).map(({ flow, name: trail }) => `${flow}/${trail}`);
        await trails.noteChange({ org }, 20);
        return [moved, await trails.isRejudged(org, 'web'), await trails.isRejudged(org, 'api')];
      });
      expect(found).toEqual([['web/next'], true, false]);
      const rest = { org, description: '', visibility: undefined, repoUrl: undefined };
      for (const flow of ['web', 'api']) await records.saveFlow({ ...rest, name: flow, template: ['unit'] }, 30);
      await judgeAll(40);
      const count = (flow: string): Promise<number> =>
        records.storage.read(({ trails }) => trails.countSelected(org, flow, { state: 'INCOMPLETE' }, 9));
      expect([await count('web'), await count('api')]).toEqual([4, 3]);
    });

    it('have faults, which are counted for the latest trails that began in a period', async () => {
      await records.createOrganizationWithFlows('acme', ['web']);
      for (const [trail, at] of [['early', 10] as const, ['late', 20] as const]) {
        const template = { text: '', attestations: [{ name: trail, type: '*' }], artifacts: [] };
        await records.beginTrail({ org: 'acme', flow: 'web', name: trail, report: {}, template }, at);
      }
      for (const [since, limit] of [[15, 9] as const, [0, 1] as const]) {
        const counted = records.storage.read(({ trails }) =>
          trails.countFaults('acme', ['web'], undefined, since, limit),
        );
        expect(await counted).toEqual([{ flow: 'web', state: 'INCOMPLETE', name: 'late', trails: 1 }]);
      }
    });

    it('are those that the trails get when they are judged, after any changes', async () => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
          const org = `org-${(runs += 1)}`;
          const at = await carryOut(org, steps);
          await judgeAll(at);
          await records.storage.read(async (transaction) => {
            const list = (state?: (typeof artifactStates)[number]): Promise<readonly Trail[]> =>
              transaction.trails.listSelected(org, 'web', { state }, { offset: 0, limit: 9 });
            const judged = (await list()).map(async (trail) => {
              const loaded = await loadTrail(transaction, trail, at);
              expect(loaded?.since).toEqual(expect.any(Number));
              return `${trail.name} ${loaded?.judgement.state}`;
            });
            const stored = artifactStates.map(async (state) =>
              (await list(state)).map((trail) => `${trail.name} ${state}`),
            );
            expect((await Promise.all(stored)).flat().sort()).toEqual((await Promise.all(judged)).sort());
          });
        }),
        { numRuns: 40, interruptAfterTimeLimit: 8000, examples: examples.map((one): [Step[]] => [[...one]]) },
      );
    });
  });
}
