import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashSecret } from '../../../../src/service/account/api-key.ts';
import type { StoredKey } from '../../../../src/service/account/account.ts';
import type { ReportedArtifact } from '../../../../src/service/artifact/artifact.ts';
import type { Attestation } from '../../../../src/service/attestation/attestation.ts';
import { maximumHistory, type ArtifactLookup } from '../../../../src/service/artifact/artifact-use-cases.ts';
import type { FlowToSave } from '../../../../src/service/flow/flow-use-cases.ts';
import type { Records } from '../../../support/records.ts';
import { isMapping } from '../../../../src/runtime/untrusted-data.ts';
import { commitOf, fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';

/** An open storage with the use cases on it. */
export interface OpenStorage {
  readonly records: Records;
}

/** A storage that is set up for a test. */
export interface StorageUnderTest extends OpenStorage {
  /** Closes the storage and opens it again over the same data. */
  reopen(): Promise<OpenStorage>;
  /** Closes it and removes the data. */
  remove(): Promise<void>;
}

/** What every storage adapter must do. */
export function describeStorage(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    let made = 0;

    const id = (): string => `00000000-0000-0000-0000-${String((made += 1)).padStart(8, '0')}`;
    const flow = (change: Partial<FlowToSave> = {}): FlowToSave => ({
      org: 'acme',
      name: 'web',
      description: 'The web shop',
      visibility: 'private',
      template: ['artifact', 'sonar'],
      repoUrl: 'https://git.example.com/acme/web',
      ...change,
    });
    const key = (change: Partial<StoredKey> = {}): StoredKey => ({
      org: 'acme',
      id: 'key1',
      owner: 'ann',
      description: '',
      ownerKind: 'user',
      isLimitedToOrg: false,
      secretHash: hashSecret('secret'),
      createdAt: 5.25,
      expiresAt: 1e6,
      ...change,
    });
    const attestation = (change: Partial<Attestation> = {}): Attestation => ({
      org: 'acme',
      flow: 'web',
      trail: 'main',
      id: id(),
      name: 'sonar',
      type: 'sonar',
      verdict: 'compliant',
      reason: 'the quality gate is OK',
      faults: [],
      createdAt: 20.5,
      reportedBy: 'ann',
      document: sampleAttestation('OK'),
      ...change,
    });
    const artifact = (
      change: Partial<ReportedArtifact['report']> = {},
      of: Partial<ReportedArtifact> = {},
    ): ReportedArtifact => ({
      org: 'acme',
      flow: 'web',
      id: id(),
      createdAt: 10.5,
      reportedBy: 'ann',
      report: sampleArtifact(change),
      ...of,
    });
    const find = (
      fingerprint: string,
      narrow: { trail?: string; attestationId?: string; org?: string } = {},
    ): Promise<ArtifactLookup> => records.findArtifact({ org: 'acme', flow: 'web', fingerprint, ...narrow });
    const found = async (
      ...query: Parameters<typeof find>
    ): Promise<Extract<ArtifactLookup, { outcome: 'found' }>['details']> => {
      const finding = await find(...query);
      if (finding.outcome !== 'found') throw new Error(finding.outcome);
      return finding.details;
    };

    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganization('acme', 1);
      await records.createOrganization('other', 1);
    });
    afterEach(async () => {
      await tested.remove();
    });

    describe('organizations', () => {
      it('creates an organization once, also with concurrent requests', async () => {
        const outcomes = await Promise.all([
          records.createOrganization('new', 2),
          records.createOrganization('new', 3),
        ]);
        expect(outcomes.sort()).toEqual(['created', 'exists']);
        expect(await records.hasOrganization('new')).toBe(true);
        expect(await records.hasOrganization('newer')).toBe(false);
      });
    });

    describe('flows', () => {
      it('creates a flow, then replaces it, and keeps both times', async () => {
        expect(await records.saveFlow(flow(), 3)).toBe('created');
        expect(await records.findFlow('acme', 'web')).toEqual({
          ...flow(),
          tags: {},
          isArchived: false,
          createdAt: 3,
          lastModifiedAt: 3,
        });
        const changed = flow({ description: '', visibility: undefined, template: [], repoUrl: undefined });
        expect(await records.saveFlow(changed, 4)).toBe('updated');
        expect(await records.findFlow('acme', 'web')).toEqual({
          ...changed,
          tags: {},
          isArchived: false,
          createdAt: 3,
          lastModifiedAt: 4,
        });
      });

      it('creates a flow once with concurrent requests', async () => {
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => records.saveFlow(flow(), 3)));
        expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
      });

      it('keeps the flows of organizations apart', async () => {
        await records.saveFlow(flow(), 3);
        expect(await records.findFlow('other', 'web')).toBeUndefined();
        expect(await records.saveFlow(flow({ org: 'other', description: 'theirs' }), 4)).toBe('created');
        expect((await records.findFlow('acme', 'web'))?.description).toBe('The web shop');
      });
    });

    describe('attestations and artifacts', () => {
      beforeEach(async () => {
        await records.saveFlow(flow(), 2);
      });

      it('require an existing flow in their organization, and leave nothing behind without it', async () => {
        expect(await records.recordAttestation(attestation({ flow: 'api' }))).toBe('flow not found');
        expect(await records.recordAttestation(attestation({ org: 'other' }))).toBe('flow not found');
        expect(await records.recordArtifact(artifact({}, { org: 'other' }))).toBe('flow not found');
        expect(await find(fingerprintOf('abcdef'), { org: 'other' })).toEqual({ outcome: 'flow not found' });
        expect(await records.findTrail('acme', 'api', 'main')).toBeUndefined();
      });

      it('create their trail with the first report', async () => {
        expect(await records.findTrail('acme', 'web', 'main')).toBeUndefined();
        const [first, second] = [attestation(), artifact()];
        await records.recordAttestation(first);
        await records.recordArtifact(second);
        expect(await records.findTrail('acme', 'web', 'main')).toMatchObject({
          trail: { org: 'acme', flow: 'web', name: 'main', createdAt: 20.5, lastModifiedAt: 20.5, report: {} },
          judgement: { state: 'COMPLIANT' },
          artifacts: [second],
          attestations: [expect.not.objectContaining({ document: expect.anything() as unknown })],
        });
        expect(await records.findTrail('other', 'web', 'main')).toBeUndefined();
      });

      it('are returned as they were written', async () => {
        const userData: unknown = JSON.parse('{"__proto__":{"a":1},"ü":"\\ud83d\\ude00"}');
        if (!isMapping(userData)) throw new TypeError('not an object');
        const document = sampleAttestation('OK', { user_data: { ...userData } });
        const sent = attestation({ document, attachment: { filename: 'ü.xml', digest: 'd'.repeat(64), size: 3 } });
        await records.recordAttestation(sent);
        const back = await records.findAttestation('acme', 'web', 'main', sent.id);
        expect(back).toEqual({ ...sent, sequence: 1 });
        expect(JSON.stringify(back?.document)).toBe(JSON.stringify(document));
      });

      it('are found only in their own organization, flow and trail', async () => {
        const sent = attestation();
        await records.recordAttestation(sent);
        expect(await records.findAttestation('other', 'web', 'main', sent.id)).toBeUndefined();
        expect(await records.findAttestation('acme', 'api', 'main', sent.id)).toBeUndefined();
        expect(await records.findAttestation('acme', 'web', 'next', sent.id)).toBeUndefined();
      });

      it('refer to the files that must not be removed', async () => {
        const digest = 'd'.repeat(64);
        expect(await records.isAttached(digest)).toBe(false);
        await records.recordAttestation(attestation({ attachment: { filename: 'a', digest, size: 3 } }));
        expect(await records.isAttached(digest)).toBe(true);
        expect(await records.isAttached('e'.repeat(64))).toBe(false);
        expect(await records.countAttached()).toBe(1);
      });
    });

    describe('finding an artifact', () => {
      beforeEach(async () => {
        await records.saveFlow(flow(), 2);
      });

      it('returns its latest report with its flow', async () => {
        await records.recordArtifact(artifact());
        const latest = artifact({ filename: 'again.tar' });
        await records.recordArtifact(latest);
        const details = await found(fingerprintOf('abcdef'));
        expect(details.artifact).toEqual(latest);
        expect(details.flow.template).toEqual(['artifact', 'sonar']);
      });

      it('accepts the first digits if they are unambiguous', async () => {
        await records.recordArtifact(artifact({ fingerprint: fingerprintOf('abcde1') }));
        await records.recordArtifact(artifact({ fingerprint: fingerprintOf('abcde2') }));
        await records.recordArtifact(artifact({ fingerprint: fingerprintOf('abcde2'), trail_name: 'next' }));
        expect(await find('abcde')).toEqual({ outcome: 'ambiguous', count: 2 });
        expect((await found('abcde2')).artifact.report.fingerprint).toBe(fingerprintOf('abcde2'));
        expect(await find('abcdf')).toEqual({ outcome: 'artifact not found' });
        expect(await find('bbcde')).toEqual({ outcome: 'artifact not found' });
        expect(await find(fingerprintOf('abcde3'))).toEqual({ outcome: 'artifact not found' });
      });

      it('finds the highest possible fingerprint by its first digits', async () => {
        await records.recordArtifact(artifact({ fingerprint: 'f'.repeat(64) }));
        expect((await found('fffff')).artifact.report.fingerprint).toBe('f'.repeat(64));
      });

      it('is narrowed by the trail, which can resolve an ambiguity', async () => {
        const [first, second] = [
          artifact({ fingerprint: fingerprintOf('abcde1') }),
          artifact({ fingerprint: fingerprintOf('abcde2'), trail_name: 'next' }),
        ];
        await records.recordArtifact(first);
        await records.recordArtifact(second);
        expect((await found('abcde', { trail: 'main' })).artifact).toEqual(first);
        expect((await found(fingerprintOf('abcde2'), { trail: 'next' })).artifact).toEqual(second);
        expect(await find(fingerprintOf('abcde2'), { trail: 'main' })).toEqual({ outcome: 'artifact not found' });
      });

      it('is narrowed by the id of a report, which can resolve an ambiguity', async () => {
        const [first, second] = [artifact(), artifact({ fingerprint: fingerprintOf('abcdee'), trail_name: 'next' })];
        await records.recordArtifact(first);
        await records.recordArtifact(second);
        await records.recordArtifact(artifact());
        expect((await found('abcde', { attestationId: first.id })).artifact).toEqual(first);
        expect((await found('abcde', { attestationId: second.id, trail: 'next' })).artifact).toEqual(second);
        expect(await find('abcde', { attestationId: second.id, trail: 'main' })).toEqual({
          outcome: 'artifact not found',
        });
        expect(await find(fingerprintOf('abcdef'), { attestationId: second.id })).toEqual({
          outcome: 'artifact not found',
        });
        expect(await find('abcde', { attestationId: 'unknown' })).toEqual({ outcome: 'artifact not found' });
      });

      it('reports a missing flow before a missing artifact', async () => {
        await records.recordArtifact(artifact());
        expect(await records.findArtifact({ org: 'acme', flow: 'api', fingerprint: 'abcde' })).toEqual({
          outcome: 'flow not found',
        });
      });
    });

    describe('the evidence of an artifact', () => {
      const target = { template_reference_name: 'web' };
      const commit = { sha1: commitOf('1'), timestamp: 1 };

      beforeEach(async () => {
        await records.saveFlow(flow(), 2);
        await records.recordArtifact(artifact(target));
      });

      const evidence = async (): Promise<string[]> =>
        (await found(fingerprintOf('abcdef'))).evidence.map(({ name: of, verdict }) => `${of} ${verdict}`);

      it('is the latest of each name, in the order of recording', async () => {
        await records.recordAttestation(attestation({ verdict: 'non-compliant' }));
        await records.recordAttestation(attestation({ name: 'unit' }));
        await records.recordAttestation(attestation({ verdict: 'incomplete' }));
        expect(await evidence()).toEqual(['unit compliant', 'sonar incomplete']);
      });

      it('is found by fingerprint, name and trail, and the latest counts', async () => {
        const byFingerprint = sampleAttestation('OK', { artifact_fingerprint: fingerprintOf('abcdef') });
        const byName = sampleAttestation('OK', { target_artifacts: ['web'], git_commit_info: commit });
        await records.recordAttestation(attestation({ document: byName, verdict: 'incomplete' }));
        await records.recordAttestation(
          attestation({ document: byFingerprint, verdict: 'non-compliant', trail: 'other' }),
        );
        expect(await evidence()).toEqual(['sonar non-compliant']);
        await records.recordAttestation(attestation());
        expect(await evidence()).toEqual(['sonar compliant']);
        await records.recordAttestation(attestation({ document: byName, name: 'web.sonar', verdict: 'incomplete' }));
        expect(await evidence()).toEqual(['web.sonar incomplete']);
      });

      it('does not include evidence of other artifacts', async () => {
        const otherCommit = { sha1: commitOf('2'), timestamp: 1 };
        const elsewhere: Partial<Attestation>[] = [
          { trail: 'other' },
          { document: sampleAttestation('OK', { artifact_fingerprint: fingerprintOf('abcdee') }) },
          { name: 'api.sonar' },
          { name: 'web.sonar', document: sampleAttestation('OK', { git_commit_info: otherCommit }) },
        ];
        for (const change of elsewhere) await records.recordAttestation(attestation(change));
        expect(await evidence()).toEqual([]);
      });

      it('can be recorded before the artifact', async () => {
        await records.recordAttestation(attestation({ trail: 'early' }));
        await records.recordArtifact(artifact({ trail_name: 'early', fingerprint: fingerprintOf('123456') }));
        expect((await found('12345')).evidence).toHaveLength(1);
      });

      it('has a history of all attestations, newest first, without duplicates, truncated if long', async () => {
        const twice = sampleAttestation('OK', { target_artifacts: ['web'] });
        await records.recordAttestation(attestation({ verdict: 'non-compliant' }));
        await records.recordAttestation(attestation({ document: twice }));
        const { history } = await found(fingerprintOf('abcdef'));
        expect(history.map(({ verdict }) => verdict)).toEqual(['compliant', 'non-compliant']);
        const many = Array.from({ length: maximumHistory + 5 }, () => attestation());
        for (const each of many) await records.recordAttestation(each);
        const cut = (await found(fingerprintOf('abcdef'))).history;
        expect(cut.map((each) => each.id)).toEqual(
          many
            .map((each) => each.id)
            .reverse()
            .slice(0, maximumHistory),
        );
      });
    });

    describe('durability', () => {
      it('keeps everything after it is reopened, and continues the sequence', async () => {
        await records.saveFlow(flow(), 2);
        await records.saveMember({ org: 'acme', user: 'ann', role: 'member', createdAt: 1 });
        await records.addKey(key());
        await records.recordArtifact(artifact());
        await records.recordAttestation(attestation({ verdict: 'non-compliant' }));
        ({ records } = await tested.reopen());
        await records.recordAttestation(attestation());
        expect((await found(fingerprintOf('abcdef'))).evidence.map(({ verdict }) => verdict)).toEqual(['compliant']);
        expect(await records.findKey('key1')).toEqual(key());
      });

      it('finishes the writes that were started before it is closed', async () => {
        const writes = Array.from({ length: 50 }, (_, index) => records.saveFlow(flow({ name: `flow-${index}` }), 2));
        const reopened = tested.reopen();
        expect(await Promise.all(writes)).toEqual(writes.map(() => 'created'));
        ({ records } = await reopened);
        expect(await records.findFlow('acme', 'flow-49')).toBeDefined();
      });

      it('commits the other writes of a group if one fails', async () => {
        await records.saveFlow(flow(), 2);
        const first = attestation();
        await records.recordAttestation(first);
        const outcomes = await Promise.allSettled([
          records.recordAttestation(attestation()),
          records.recordAttestation(attestation({ id: first.id, trail: 'of-the-failed-one' })),
          records.recordAttestation(attestation()),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((await records.findTrail('acme', 'web', 'main'))?.attestations).toHaveLength(3);
        expect(await records.findTrail('acme', 'web', 'of-the-failed-one')).toBeUndefined();
      });
    });
  });
}
