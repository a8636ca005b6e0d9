import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SqliteStorage } from '../../../../src/service/platform/database/sqlite/sqlite-storage.ts';
import { loadJudgedArtifacts, loadProvenance } from '../../../../src/service/platform/judging/provenance.ts';
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

  it('has their state in each flow that knows them, sorted by flow', async () => {
    await report('web', 'aa');
    await report('api', 'aa', 'next');
    await report('web', 'bb');
    await attest('web', 'main', fingerprintOf('aa'));
    const judged = await load([running('one', 'aa'), running('two', 'bb'), running('three', 'cc')]);
    const states = judged.map(({ name, flows }) => [name, flows.map(({ flow, state }) => `${flow} ${state}`)]);
    expect(states).toEqual([
      ['one', ['api INCOMPLETE', 'web COMPLIANT']],
      ['two', ['web INCOMPLETE']],
      ['three', []],
    ]);
  });

  it('has the evidence of a trail for all artifacts of the trail, regardless of how many run', async () => {
    const digits = Array.from({ length: 40 }, (_, index) => (index + 16).toString(16));
    for (const each of digits) await report('web', each);
    await attest('web', 'main');
    const judged = await load(digits.map((each) => running(each, each)));
    expect(judged.map(({ name }) => name)).toEqual(digits);
    expect(new Set(judged.map(({ flows }) => flows[0]?.state))).toEqual(new Set(['COMPLIANT']));
  });

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
