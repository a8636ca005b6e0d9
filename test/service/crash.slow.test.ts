import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  acknowledgedBeforeCrash,
  attestUntilCrash,
  killDuringKeyedWrites,
  repeatKeyedWrites,
  crashWords,
  crashWriters,
  everyAttestation,
  expectAcknowledged,
  expectBroken,
  prepareCrash,
  reportUntilCrash,
  type Acknowledged,
} from '../support/crash.ts';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.ts';

let folder: string;
let running: ServiceProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compliance-crash-'));
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended();
  await rm(folder, { recursive: true });
});

async function start(): Promise<ServiceProcess> {
  running = await startServiceProcess([...crashWords, '--data', folder]);
  return running;
}

/** Writes from many sides, and kills the service while it is written to. */
async function crashUnderWrites(service: ServiceProcess): Promise<Acknowledged> {
  const acknowledged = await prepareCrash(service);
  const writing = Array.from({ length: crashWriters }, (_, writer) => [
    attestUntilCrash(service, writer, acknowledged),
    reportUntilCrash(service, writer, acknowledged),
  ]).flat();
  const crash = async (): Promise<void> => {
    while (acknowledged.attachments.size < acknowledgedBeforeCrash) await new Promise(setImmediate);
    service.child.kill('SIGKILL');
  };
  const [, ...ended] = await Promise.allSettled([crash(), ...writing]);
  expectBroken(ended);
  await service.ended();
  return acknowledged;
}

describe('a service that is killed under concurrent writes', () => {
  it('has every write that it acknowledged after its next start, and nothing by halves', async () => {
    const acknowledged = await crashUnderWrites(await start());
    await expectAcknowledged(await start(), acknowledged);
  });

  it('keeps no file after its next start that is not whole, and none in place that no attestation names', async () => {
    await crashUnderWrites(await start());
    const service = await start();
    const files = (await readdir(join(folder, 'attachments'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    );
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name));
      expect(createHash('sha256').update(content).digest('hex')).toBe(name);
      expect(basename(parentPath)).toMatch(new RegExp(`^(?:${name.slice(0, 2)}|\\d{4}-\\d\\d-\\d\\d)$`, 'u'));
    }
    // Each attestation has content of its own. What was kept for one that was not recorded is in the trash.
    const inPlace = files.filter(({ parentPath }) => basename(dirname(parentPath)) === 'content');
    expect(inPlace).toHaveLength((await everyAttestation(service)).length);
    expect(files.length).toBeLessThanOrEqual(inPlace.length + crashWriters);
  });

  it('has one record for each key after every unanswered request was sent again', async () => {
    const service = await start();
    await prepareCrash(service);
    const sent = await killDuringKeyedWrites(service, 200);
    await service.ended();

    const restarted = await start();
    const recorded = await everyAttestation(restarted);
    await repeatKeyedWrites(restarted, sent);
    expect(recorded.length).toBeGreaterThanOrEqual(sent.acknowledged.size);
    expect(await everyAttestation(restarted)).toHaveLength(sent.keys.length);
  });
});
