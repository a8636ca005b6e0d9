import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ActionRun } from '../../tools/run-action.ts';
import { openActionJob, type ActionJob } from '../support/action-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { fingerprintOf } from '../support/service-samples.ts';
import { startTestService } from '../support/service.ts';
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
  // Enough for a full tile.
  for (let index = 0; index < 300; index += 1) await first.report(flow, { fingerprint: fingerprintOf(`${index}a`) });
  await first.close();
  await cp(join(folder, 'recorded'), join(folder, 'data'), { recursive: true });
  job = await openActionJob({ dataFolder: join(folder, 'data'), options });
  await writeFile(join(job.workspace.path, 'known'), judged.outputs['checkpoint'] ?? '');
}, 120_000);

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
    expect(sizeOf(step)).toBeGreaterThan(256);
    expect(step.log).toMatch(/The log with \d+ entries continues `known-checkpoint`, which has \d+\./u);
  });

  it('is also the gate of a step that records', async () => {
    const step = await job.step({ ...attest, flow, 'known-checkpoint': 'known' });
    expect(step).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
  });

  it.each([
    ['nowhere', /nowhere cannot be read: /u],
    ['other', /other is not a checkpoint of a transparency log/u],
    [
      'foreign',
      /foreign is a checkpoint of compliance\.example\.com\/log\/other, not of the log of organization acme/u,
    ],
  ])('is a mistake with the file %s, before anything is sent', async (path, what) => {
    const checkpoint = judged.outputs['checkpoint'] ?? '';
    await writeFile(join(job.workspace.path, 'other'), 'no checkpoint');
    await writeFile(join(job.workspace.path, 'foreign'), checkpoint.replaceAll('/log/acme', '/log/other'));
    const step = await job.step({ ...known, flow, 'known-checkpoint': path, 'base-url': 'http://127.0.0.1:9' });
    expect(step).toMatchObject({ exitCode: 1, outputs: { outcome: 'error', checkpoint: '' } });
    expect(commandsNamed(step.log, 'error')[0]).toMatchObject({ properties: { title: 'Mistake in the workflow' } });
    expect(step.log).toMatch(what);
  });

  it('is a mistake where no verdict counts', async () => {
    const step = await job.step({ ...known, flow, 'on-non-compliant': 'ignore' });
    expect(step).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
    expect(step.log).toContain('`known-checkpoint` has no effect on get-artifact with `on-non-compliant: ignore`');
  });

  describe('with a service whose data was edited', () => {
    let data: string;
    beforeEach(async () => {
      data = await mkdtemp(join(folder, 'edited-'));
      await cp(join(folder, 'recorded'), data, { recursive: true });
    });

    /** Edits the data, lets the service sign anew, and runs the gate. */
    const judge = async (edits: readonly string[], more: Partial<typeof options> = {}): Promise<ActionRun> => {
      const database = new DatabaseSync(join(data, 'compliance.sqlite'));
      for (const edit of edits) database.exec(edit);
      database.close();
      const service = await startTestService({ dataFolder: data, options: { ...options, ...more } });
      try {
        return await job.step({ ...known, flow, 'base-url': service.baseUrl, retries: '0' });
      } finally {
        await service.stop();
      }
    };
    const forget = 'DELETE FROM log_heads';
    const red = (what: RegExp): object => ({
      exitCode: 1,
      outputs: { outcome: 'non-compliant', compliant: 'false', state: '', checkpoint: '' },
      summary: expect.stringMatching(what),
      log: expect.stringMatching(what),
    });

    it('fails if an entry was altered', async () => {
      const edit = `UPDATE log_entries SET leaf_hash = zeroblob(32) WHERE sequence = 1`;
      const rebuilt = 'DELETE FROM log_hashes';
      // Entries of full tiles are not needed for the proof, so the log is cut before the first one.
      const step = await judge([edit, 'DELETE FROM log_entries WHERE sequence >= 200', rebuilt, forget]);
      expect(step).toMatchObject(red(/transparency log: its first \d+ entries are no longer the same/u));
      expect(commandsNamed(step.log, 'error')).toEqual([
        expect.objectContaining({ message: expect.stringContaining('so the history was rewritten') }),
      ]);
    });

    it('fails if entries were removed', async () => {
      const step = await judge(['DELETE FROM log_entries WHERE sequence >= 3', 'DELETE FROM log_hashes', forget]);
      expect(step).toMatchObject(red(/it has 3 entries, but had \d+, so entries were removed/u));
    });

    it('fails if the log has another address', async () => {
      const step = await judge([], { publicUrl: 'https://other.example.com' });
      expect(step).toMatchObject(red(/its origin is other\.example\.com\/log\/acme, but the file names/u));
    });

    it('passes with a notice if the key was replaced', async () => {
      const step = await judge([], { signingKeys: sampleSigningKeys.slice(1) });
      expect(step).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
      expect(commandsNamed(step.log, 'notice')[0]?.message).toContain('The service replaced the key that signed');
    });

    it('is an error if the service does not sign', async () => {
      const step = await judge(['UPDATE log_entries SET leaf_hash = zeroblob(32) WHERE sequence = 1']);
      expect(failedStep(step)).toMatchObject({ ...errorEnding, kind: undefined, title: 'Service or network error' });
    });
  });
});
