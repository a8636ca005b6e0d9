import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashSecret } from '../../../src/service/domain/api-key.ts';
import { artifactsOfReport } from '../../../src/service/domain/environment/running-artifact.ts';
import type { Store } from '../../../src/service/storage/store.ts';
import { pod } from '../../support/environment-samples.ts';
import { commitOf, fingerprintOf, sampleArtifact, sampleAttestation } from '../../support/service-samples.ts';
import type { StoreUnderTest } from './acceptance.ts';

/** What every implementation of the store must do, whatever it keeps in memory of what it answered before. */
export function describeFreshness(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let tested: StoreUnderTest;
    let runs = 0;
    let made = 0;

    beforeEach(async () => {
      tested = await open();
    });
    afterEach(async () => {
      await tested.remove();
    });

    const prepare = async (org: string, store: Store): Promise<void> => {
      await store.createOrganization(org, 1);
      for (const flow of flows) await saveFlow(org, flow, [])(store, 2);
      for (const environment of environments) {
        await store.saveEnvironment({ org, name: environment, kind: 'K8S', user: 'ann' }, 2);
      }
      // Something is there that can change with the first write.
      const there = { flow: 'web', trail: 'main', artifact: fingerprintOf('aa'), flag: false } as const;
      for (const [kind, other] of [
        ['artifact', false],
        ['environment', false],
        ['member', true],
        ['key', true],
      ] as const) {
        await writeOf(org, { ...there, kind, other })(store, 3);
      }
    };
    const saveFlow =
      (org: string, flow: string, template: readonly string[]): Write =>
      (store, at) =>
        store.saveFlow({ org, name: flow, description: '', template, visibility: undefined, repoUrl: undefined }, at);
    const writeOf = (org: string, { kind, flow, trail, artifact, other, flag }: Chance): Write => {
      const id = `${org}-${(made += 1)}`;
      const owner = flag ? 'ann' : 'bob';
      const writes: Readonly<Record<Chance['kind'], Write>> = {
        flow: saveFlow(org, flow, flag ? ['sonar'] : []),
        artifact: (store, at) => {
          const report = sampleArtifact({
            ...{ fingerprint: artifact, trail_name: trail, git_commit: commitOf('1') },
            ...(flag ? { template_reference_name: 'web' } : {}),
          });
          return store.recordArtifact({ org, flow, id, createdAt: at, reportedBy: 'ann', report });
        },
        attestation: (store, at) => {
          const attestation_name = other ? 'web.unit' : 'sonar';
          const document = sampleAttestation('OK', {
            attestation_name,
            ...(flag ? { artifact_fingerprint: artifact } : {}),
          });
          const verdict = { verdict: 'compliant', reason: `it is ${id}` } as const;
          const of = { org, flow, trail, id, name: attestation_name, type: 'sonar', createdAt: at } as const;
          return store.recordAttestation({ ...of, ...verdict, reportedBy: 'ann', document });
        },
        environment: (store, at) => {
          const artifacts = artifactsOfReport({
            artifacts: [
              pod('pod-1', flag ? {} : { web: fingerprintOf('aa') }),
              pod('pod-2', other ? { api: artifact } : {}),
            ],
          });
          const environment = environments[trail === 'main' ? 0 : 1];
          return store.recordReport({ org, environment, kind: 'K8S', artifacts }, at);
        },
        member: (store, at) =>
          other
            ? store.saveMember({ org, user: owner, role: flow === 'web' ? 'admin' : 'reader', createdAt: at })
            : store.removeMember(org, owner, at),
        account: (store, at) => {
          const rest = { displayName: '', description: '', createdBy: 'ann', createdAt: at, forWebhook: false };
          const privilege = flow === 'web' ? 'admin' : 'reader';
          return other
            ? store.createServiceAccount({ org, name: owner, privilege, ...rest })
            : store.deleteServiceAccount(org, owner, at);
        },
        key: (store, at) => {
          const ownerKind = trail === 'main' ? 'user' : 'service account';
          const secretHash = hashSecret(id);
          return other
            ? store.addKey({
                ...{ org, id: keyOf(org, flow), ownerKind, owner, isLimitedToOrg: false },
                ...{ description: '', secretHash, createdAt: at },
              })
            : store.revokeKey(org, keyOf(org, flow), at);
        },
      };
      return writes[kind];
    };
    const askAll = async (org: string, store: Store): Promise<unknown> => {
      const artifacts = flows.flatMap((flow) =>
        fingerprints.flatMap((fingerprint) =>
          [undefined, ...trails].map((trail) => store.findArtifact({ org, flow, fingerprint, trail })),
        ),
      );
      const keys = flows.map((flow) => store.findKey(keyOf(org, flow)));
      const roles = ['ann', 'bob'].flatMap((owner) => [
        store.findRole(org, 'user', owner),
        store.findRole(org, 'service account', owner),
      ]);
      return Promise.all([...artifacts, ...keys, ...roles]);
    };

    it('answers what was written last, to who has asked before as to who has not', async () => {
      let { store } = tested;
      await fc.assert(
        fc.asyncProperty(fc.array(chance, { minLength: 1, maxLength: 12, size: 'max' }), async (chances) => {
          const org = `org-${(runs += 1)}`;
          const other = `${org}-other`;
          for (const each of [org, other]) await prepare(each, store);
          const untouched = await askAll(other, store);
          await askAll(org, store);
          for (const [index, each] of chances.entries()) {
            await writeOf(org, each)(store, 10 + index);
            await askAll(org, store);
          }
          const asked = await askAll(org, store);
          expect(await askAll(other, store)).toEqual(untouched);
          store = await tested.reopen();
          expect(asked).toEqual(await askAll(org, store));
        }),
        { numRuns: 40 },
      );
    });
  });
}

type Write = (store: Store, at: number) => Promise<unknown>;

const flows = ['web', 'api'] as const;
const trails = ['main', 'next'] as const;
const environments = ['prod', 'test'] as const;
const fingerprints = ['aa', 'bb', 'cc'].map(fingerprintOf);

const keyOf = (org: string, name: string): string => `${org}-${name}`.replaceAll('-', '');

/** What decides about a write; each kind takes of it what it needs. Few of each, so that most writes meet each other. */
const chance = fc.record({
  kind: fc.constantFrom('flow', 'artifact', 'attestation', 'environment', 'environment', 'member', 'account', 'key'),
  flow: fc.constantFrom(...flows),
  trail: fc.constantFrom(...trails),
  artifact: fc.constantFrom(...fingerprints),
  other: fc.boolean(),
  flag: fc.boolean(),
});

type Chance = typeof chance extends fc.Arbitrary<infer Value> ? Value : never;
