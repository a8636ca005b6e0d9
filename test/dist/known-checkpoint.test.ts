import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob } from '../support/action-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { startTestService } from '../support/service.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { sampleSigningKeys } from '../support/signing-keys.ts';
import { commandsNamed } from '../support/workflow-command.ts';

/** A public address, so that every service on the data signs for the same log. */
const options = { publicUrl: 'https://compliance.example.com', signingKeys: sampleSigningKeys.slice(0, 1) };
const fingerprint = fingerprintOf('abcdef');

let job: ActionJob;
let flow: string;
let folder: string;
/** The outputs of a step that records, and of a gate after it. */
let recorded: ActionRun;
let judged: ActionRun;

const attest = { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true', trail: 'main' };
const gate = { operation: 'get-artifact', fingerprint };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-known-'));
  const first = await openActionJob({ dataFolder: join(folder, 'recorded'), options });
  flow = await first.flow('scan');
  recorded = await first.step({ ...attest, flow });
  await first.report(flow, { fingerprint, trail: 'main' });
  judged = await first.step({ ...gate, flow });
  await first.close();
  await cp(join(folder, 'recorded'), join(folder, 'data'), { recursive: true });
  job = await openActionJob({ dataFolder: join(folder, 'data'), options });
  await writeFile(join(job.workspace.path, 'known'), judged.outputs['checkpoint'] ?? '');
});

afterAll(async () => {
  await job.close();
  await rm(folder, { recursive: true });
});

const sizeOf = ({ outputs }: ActionRun): number => Number(outputs['checkpoint']?.split('\n')[1]);

describe('the output checkpoint', () => {
  it('is set by steps that record and by gates, and is in the summary', () => {
    for (const step of [recorded, judged]) {
      expect(step.exitCode).toBe(0);
      const lines = step.outputs['checkpoint']?.split('\n') ?? [];
      expect(lines).toEqual([
        'compliance.example.com/log/acme',
        expect.stringMatching(/^\d+$/u),
        expect.stringMatching(/^.{43}=$/u),
        '',
        expect.stringMatching(/^— compliance\.example\.com\/log\/acme \S+$/u),
      ]);
      const text = lines.join('&#10;');
      expect(step.summary).toContain(`<details><summary>Checkpoint of the log</summary><pre>${text}</pre></details>`);
      // A blank line would end the block of HTML.
      expect(step.summary.trim()).not.toContain('\n\n');
    }
    expect(sizeOf(judged)).toBeGreaterThan(sizeOf(recorded));
  });

  it('is empty after a step that only reads, and after a dry run', async () => {
    const reading = await job.step({ operation: 'list-attestations', flow, 'attestation-name': 'scan', trail: 'main' });
    const dry = await job.step({ ...attest, flow, 'dry-run': 'true' });
    for (const { exitCode, outputs } of [reading, dry]) {
      expect({ exitCode, checkpoint: outputs['checkpoint'] }).toEqual({ exitCode: 0, checkpoint: '' });
    }
  });
});

describe('a gate with known-checkpoint', () => {
  const known = { ...gate, 'known-checkpoint': 'known' };

  it('passes if the log continues it, and has the checkpoint of now', async () => {
    const step = await job.step({ ...known, flow });
    expect(step).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
    expect(sizeOf(step)).toBeGreaterThanOrEqual(sizeOf(judged));
    expect(step.log).toMatch(/The log with \d+ entries continues `known-checkpoint`, which has \d+\./u);
  });

  it('is also the gate of a step that records', async () => {
    const step = await job.step({ ...attest, flow, 'known-checkpoint': 'known' });
    expect(step).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it('is a mistake if there is no such file, before anything is sent', async () => {
    const step = await job.step({ ...known, flow, 'known-checkpoint': 'nowhere', 'base-url': 'http://127.0.0.1:9' });
    expect(failedStep(step)).toMatchObject({ ...errorEnding, title: 'Mistake in the workflow' });
    expect(failedStep(step).message).toContain('nowhere cannot be read: ');
  });

  it('fails if an entry was altered, although the service signed anew', async () => {
    const database = new DatabaseSync(join(folder, 'recorded', 'compliance.sqlite'));
    database.exec('UPDATE log_entries SET leaf_hash = zeroblob(32) WHERE sequence = 1');
    database.exec('DELETE FROM log_hashes; DELETE FROM log_heads');
    database.close();
    const service = await startTestService({ dataFolder: join(folder, 'recorded'), options });
    const step = await job.step({ ...known, flow, 'base-url': service.baseUrl, retries: '0' });
    await service.stop();
    const words = /transparency log: its first \d+ entries are no longer the same/u;
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', compliant: 'false', state: '', checkpoint: '' },
      summary: expect.stringMatching(words),
      log: expect.stringMatching(words),
    });
    expect(commandsNamed(step.log, 'error')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('so the history was rewritten') }),
    ]);
  });
});
