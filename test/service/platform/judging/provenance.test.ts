import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { loadRunning } from '../../../../src/service/platform/judging/environment-judging.ts';
import { loadJudgedArtifacts, loadProvenance } from '../../../../src/service/platform/judging/provenance.ts';
import { SnapshotContent } from '../../../../src/service/platform/judging/snapshot-content.ts';
import type { JudgedArtifact } from '../../../../src/service/policy/judged-artifact.ts';
import {
  BudgetExceededError,
  JudgementBudget,
  judgementLimits,
} from '../../../../src/service/requirement/judgement-budget.ts';
import type { RunningArtifact } from '../../../../src/service/snapshot/running-artifact.ts';
import { Records } from '../../../support/records.ts';
import { fingerprintOf, sampleArtifact, sampleAttestation } from '../../../support/service-samples.ts';
import { storageDependencies } from '../../../support/storage-dependencies.ts';
import { createDataFolder } from '../../../support/test-storage.ts';

describe('the provenance of running artifacts', () => {
  let folder: string;
  let storage: SqliteStorage;
  let records: Records;
  let count = 0;
  beforeEach(async () => {
    folder = await createDataFolder();
    storage = new SqliteStorage(folder, storageDependencies());
    records = new Records(storage);
    await records.createOrganization('acme', 1);
    for (const name of ['web', 'api']) {
      const rest = { description: '', template: ['sonar'], visibility: undefined, repoUrl: undefined };
      await records.saveFlow({ org: 'acme', name, ...rest }, 1);
    }
  });
  afterEach(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const newId = (): string => String((count += 1));
  const report = (flow: string, digits: string, trail = 'main'): Promise<unknown> =>
    records.recordArtifact({
      ...{ org: 'acme', flow, id: newId(), createdAt: 2, reportedBy: 'ann' },
      report: sampleArtifact({ fingerprint: fingerprintOf(digits), trail_name: trail, build_url: `https://${flow}` }),
    });
  const attest = (flow: string, trail: string, fingerprint?: string): Promise<unknown> =>
    records.recordAttestation({
      ...{ org: 'acme', flow, trail, id: newId(), name: 'sonar', type: 'sonar', createdAt: 3, reportedBy: 'ann' },
      ...{ verdict: 'compliant', reason: 'it is green', faults: [] },
      document: sampleAttestation('OK', fingerprint === undefined ? {} : { artifact_fingerprint: fingerprint }),
    });
  const running = (name: string, digits: string): RunningArtifact => ({
    ...{ name, fingerprint: fingerprintOf(digits), instances: [] },
  });
  const load = (
    artifacts: readonly RunningArtifact[],
    budget = new JudgementBudget(),
  ): Promise<readonly JudgedArtifact[]> =>
    storage.read((transaction) =>
      loadJudgedArtifacts(
        transaction,
        { org: 'acme', at: 0 },
        artifacts,
        { environment: 'prod', recorders: [] },
        budget,
      ),
    );

  it('counts as work: each artifact, and each flow that knows it with its template and evidence', async () => {
    await report('web', 'aa');
    await attest('web', 'main');
    const budget = new JudgementBudget();
    await load([running('one', 'aa'), running('again', 'aa')], budget);
    expect(budget.spent).toBe(2 * 50 + 50 + (1 + 1) * 10);
    const exhausted = new JudgementBudget();
    exhausted.spend(judgementLimits.steps - 49);
    await expect(load([running('one', 'aa')], exhausted)).rejects.toBeInstanceOf(BudgetExceededError);
  });

  it('that costs more than the budget stops the judgement, and not the report that is judged', async () => {
    const head = {
      org: 'acme',
      name: 'prod',
      kind: 'K8S',
      latest: 1,
      requiresProvenance: false,
      isArchived: false,
    } as const;
    const budget = new JudgementBudget();
    budget.spend(judgementLimits.steps);
    const read = await storage.read((transaction) => {
      const content = new SnapshotContent(transaction, head, '[]', [running('one', 'aa')]);
      return loadRunning(transaction, head, content, { policies: [], at: 0, budget });
    });
    expect(read).toThrow(BudgetExceededError);
  });

  it('is judged by the template of its own trail, and not by that of another artifact in the flow', async () => {
    const template = { text: '', attestations: [{ name: 'unit', type: '*' }], artifacts: [] };
    await records.beginTrail({ org: 'acme', flow: 'web', name: 'stricter', report: {}, template }, 1);
    for (const [digits, trail] of [
      ['aa', 'main'],
      ['bb', 'stricter'],
    ] as const) {
      await report('web', digits, trail);
      await attest('web', trail, fingerprintOf(digits));
    }
    const [ofFlow, ofTrail] = [running('one', 'aa'), running('two', 'bb')];
    for (const artifacts of [
      [ofFlow, ofTrail],
      [ofTrail, ofFlow],
    ]) {
      const judged = await load(artifacts);
      expect(Object.fromEntries(judged.map(({ name, flows }) => [name, flows[0]?.state]))).toEqual({
        one: 'COMPLIANT',
        two: 'INCOMPLETE',
      });
    }
  });

  it('has their latest builds, in any flow', async () => {
    await report('web', 'aa');
    await report('api', 'aa');
    const fingerprints = [fingerprintOf('aa'), fingerprintOf('cc')];
    const place = { org: 'acme', environment: 'prod' };
    const provenance = await storage.read((transaction) => loadProvenance(transaction, place, fingerprints));
    expect([...provenance]).toEqual([
      [fingerprintOf('aa'), expect.objectContaining({ flow: 'api', buildUrl: 'https://api' })],
    ]);
  });
});
