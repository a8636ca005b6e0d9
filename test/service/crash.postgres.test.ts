import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
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
} from '../support/crash.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../support/temporary-workspace.ts';

// Behind one address, so that both answer with the same links.
const publicUrl = ['--public-url', 'https://compliance.example.com'];

describe('one of two processes that share a database and is killed under concurrent writes to both', () => {
  let database: TestDatabase;
  let workspace: TemporaryWorkspace;
  let running: ServiceProcess[];

  beforeEach(async () => {
    workspace = await temporaryWorkspace();
    database = await createTestDatabase();
    running = [];
  });

  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map((each) => each.ended()));
    await database.drop();
    await workspace.remove();
  });

  async function start(): Promise<ServiceProcess> {
    const places = ['--data', join(workspace.path, 'data'), '--database', database.url];
    const service = await startServiceProcess([...crashWords, ...publicUrl, ...places]);
    running.push(service);
    return service;
  }

  it('leaves every write that either acknowledged once, for the other one and after the next start', async () => {
    // Both find an empty database.
    const [killed, other] = await Promise.all([start(), start()]);
    const acknowledged = await prepareCrash(killed);
    let isOver = false;
    const writing = (service: ServiceProcess, first: number): readonly Promise<void>[] =>
      Array.from({ length: crashWriters / 2 }, (_, index) => [
        attestUntilCrash(service, first + index, acknowledged, () => isOver),
        reportUntilCrash(service, first + index, acknowledged, () => isOver),
      ]).flat();
    const atLeast = async (count: number): Promise<void> => {
      while (acknowledged.attachments.size < count) await new Promise(setImmediate);
    };
    const broken = Promise.allSettled(writing(killed, 0));
    const continued = Promise.all(writing(other, crashWriters / 2));
    await Promise.race([atLeast(acknowledgedBeforeCrash), continued]);
    killed.child.kill('SIGKILL');
    expectBroken(await broken);
    // The locks of the killed process are released, so the other one continues.
    await Promise.race([atLeast(acknowledged.attachments.size + 12), continued]);
    isOver = true;
    await continued;

    await expectAcknowledged(other, acknowledged);
    const restarted = await start();
    expect(await everyAttestation(restarted)).toEqual(await everyAttestation(other));
  });

  it('leaves one record for each key after every unanswered request was sent to the other one', async () => {
    const [killed, other] = await Promise.all([start(), start()]);
    await prepareCrash(killed);
    const sent = await killDuringKeyedWrites(killed, 100);
    await repeatKeyedWrites(other, sent);
    expect(await everyAttestation(other)).toHaveLength(sent.keys.length);
  });
});
