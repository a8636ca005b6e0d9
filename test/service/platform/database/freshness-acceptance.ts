import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import { podsToElements, toRunningArtifacts } from '../../../../src/service/snapshot/running-artifact.ts';
import { pod } from '../../../support/environment-samples.ts';
import { commitOf, fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import type { OpenStorage, StorageUnderTest } from './storage-acceptance.ts';

/**
 * What one process has acknowledged, every other reads.
 *
 * @param numRuns how many series of writes are tried
 */
export function describeFreshness(name: string, open: () => Promise<StorageUnderTest>, numRuns = 20): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let runs = 0;
    let made = 0;

    beforeEach(async () => {
      tested = await open();
    });
    afterEach(async () => {
      await tested.remove();
    });

    const prepare = async (org: string, open: OpenStorage): Promise<void> => {
      const { records } = open;
      await records.createOrganization(org, 1);
      for (const flow of flows) await saveFlow(org, flow, [])(open, 2);
      for (const environment of environments) {
        await records.saveEnvironment({ org, name: environment, kind: 'K8S', user: 'ann' }, 2);
      }
      // Something is there that can change with the first write.
      const there = { flow: 'web', trail: 'main', artifact: fingerprintOf('aa'), flag: false } as const;
      for (const [kind, other] of [
        ['artifact', false],
        ['environment', false],
        ['member', true],
        ['key', true],
      ] as const) {
        await writeOf(org, { ...there, kind, other })(open, 3);
      }
    };
    const saveFlow =
      (org: string, flow: string, template: readonly string[]): Write =>
      ({ records }, at) =>
        records.saveFlow({ org, name: flow, description: '', template, visibility: undefined, repoUrl: undefined }, at);
    const writeOf = (org: string, { kind, flow, trail, artifact, other, flag }: Chance): Write => {
      const id = `${org}-${(made += 1)}`;
      const owner = flag ? 'ann' : 'bob';
      const writes: Readonly<Record<Chance['kind'], Write>> = {
        flow: saveFlow(org, flow, flag ? ['sonar'] : []),
        artifact: ({ records }, at) => {
          const report = sampleArtifact({
            ...{ fingerprint: artifact, trail_name: trail, git_commit: commitOf('1') },
            ...(flag ? { template_reference_name: 'web' } : {}),
          });
          return records.recordArtifact({ org, flow, id, createdAt: at, reportedBy: 'ann', report });
        },
        attestation: ({ records }, at) => {
          const attestation_name = other ? 'web.unit' : 'sonar';
          const document = sampleAttestation('OK', {
            attestation_name,
            ...(flag ? { artifact_fingerprint: artifact } : {}),
          });
          const verdict = { verdict: 'compliant', reason: `it is ${id}`, faults: [] } as const;
          const of = { org, flow, trail, id, name: attestation_name, type: 'sonar', createdAt: at } as const;
          return records.recordAttestation({ ...of, ...verdict, reportedBy: 'ann', document });
        },
        environment: ({ records }, at) => {
          const pods = [
            pod('pod-1', flag ? {} : { web: fingerprintOf('aa') }),
            pod('pod-2', other ? { api: artifact } : {}),
          ];
          const artifacts = toRunningArtifacts(podsToElements({ artifacts: pods }));
          const environment = environments[trail === 'main' ? 0 : 1];
          return records.recordReport({ org, environment, kind: 'K8S', artifacts }, at);
        },
        member: ({ records }, at) =>
          other
            ? records.saveMember({ org, user: owner, role: flow === 'web' ? 'admin' : 'reader', createdAt: at })
            : records.removeMember(org, owner, at),
        account: ({ records }, at) => {
          const rest = { displayName: '', description: '', createdBy: 'ann', createdAt: at, forWebhook: false };
          const privilege = flow === 'web' ? 'admin' : 'reader';
          return other
            ? records.createServiceAccount({ org, name: owner, privilege, ...rest })
            : records.deleteServiceAccount(org, owner, at);
        },
        key: ({ records }, at) => {
          const ownerKind = trail === 'main' ? 'user' : 'service account';
          const secretHash = hashSecret(id);
          return other
            ? records.addKey({
                ...{ org, id: keyOf(org, flow), ownerKind, owner, isLimitedToOrg: false },
                ...{ description: '', secretHash, createdAt: at, expiresAt: at + 100 },
              })
            : records.revokeKey(org, keyOf(org, flow), at);
        },
      };
      return writes[kind];
    };
    const askAll = async (org: string, { records }: OpenStorage): Promise<unknown> => {
      const artifacts = flows.flatMap((flow) =>
        fingerprints.flatMap((fingerprint) =>
          [undefined, ...trails].map((trail) => records.findArtifact({ org, flow, fingerprint, trail })),
        ),
      );
      const keys = flows.map((flow) => records.findKey(keyOf(org, flow)));
      const roles = ['ann', 'bob'].flatMap((owner) => [
        records.findRole(org, 'user', owner),
        records.findRole(org, 'service account', owner),
      ]);
      return Promise.all([...artifacts, ...keys, ...roles]);
    };

    it('returns the latest written state, whether or not it was read before', async () => {
      let open: OpenStorage = tested;
      await fc.assert(
        fc.asyncProperty(fc.array(chance, { minLength: 1, maxLength: 12, size: 'max' }), async (chances) => {
          const org = `org-${(runs += 1)}`;
          const other = `${org}-other`;
          for (const each of [org, other]) await prepare(each, open);
          const untouched = await askAll(other, open);
          await askAll(org, open);
          for (const [index, each] of chances.entries()) {
            await writeOf(org, each)(open, 10 + index);
            await askAll(org, open);
          }
          const asked = await askAll(org, open);
          expect(await askAll(other, open)).toEqual(untouched);
          open = await tested.reopen();
          expect(asked).toEqual(await askAll(org, open));
        }),
        { numRuns },
      );
    });

    it('knows whether there are policies when evidence is recorded', async () => {
      const { records } = tested;
      const [org, user] = ['acme', 'ann'];
      await records.createOrganization(org, 1);
      await records.saveEnvironment({ org, name: 'prod', kind: 'K8S', user }, 2);
      await records.savePolicy({ org, name: 'strict', comment: '', text: '', rules: { _schema: 'v1' }, user }, 3);
      const asked = async (): Promise<readonly boolean[]> => [
        await records.storage.transaction(org, ({ environments: all }) => all.hasPolicies(org)),
        await records.storage.transaction(org, ({ environments: all }) => all.hasPolicies(org)),
      ];
      expect(await asked()).toEqual([false, false]);
      const change = { org, environment: 'prod', policies: ['strict'], user };
      await records.attachPolicies(change, 4);
      expect(await asked()).toEqual([true, true]);
      await records.detachPolicies(change, 5);
      expect(await asked()).toEqual([false, false]);
      await records.saveEnvironment({ org, name: 'prod', kind: 'K8S', requiresProvenance: true, user }, 6);
      expect(await asked()).toEqual([true, true]);
      await records.saveEnvironment({ org, name: 'prod', kind: 'K8S', requiresProvenance: false, user }, 7);
      expect(await asked()).toEqual([false, false]);
    });
  });
}

type Write = (open: OpenStorage, at: number) => Promise<unknown>;

const flows = ['web', 'api'] as const;
const trails = ['main', 'next'] as const;
const environments = ['prod', 'test'] as const;
const fingerprints = ['aa', 'bb', 'cc'].map(fingerprintOf);

const keyOf = (org: string, name: string): string => `${org}-${name}`.replaceAll('-', '');

/**
 * What decides about a write; each kind takes of it what it needs. Few of each, so that most writes meet each other.
 */
const chance = fc.record({
  kind: fc.constantFrom('flow', 'artifact', 'attestation', 'environment', 'environment', 'member', 'account', 'key'),
  flow: fc.constantFrom(...flows),
  trail: fc.constantFrom(...trails),
  artifact: fc.constantFrom(...fingerprints),
  other: fc.boolean(),
  flag: fc.boolean(),
});

type Chance = typeof chance extends fc.Arbitrary<infer Value> ? Value : never;
