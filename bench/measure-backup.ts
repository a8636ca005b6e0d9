import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from './connection.ts';
import { withFilledService, type FilledService, type Owner } from './filled-service.ts';
import { attestRequest } from './requests.ts';
import { withoutTarget, withTarget, type Row } from './row.ts';
import { perSecond } from './units.ts';

/** This many records are a database of more than 200 MB. */
const filling = { attestations: 135_000, artifacts: 1000, snapshots: 0 };
const writers = 8;
const main = join(import.meta.dirname, '..', 'src', 'service', 'main.ts');
const run = promisify(execFile);

/**
 * Backs up a large service while it records: how long the backup takes, and how many durable writes per second the
 * service confirms meanwhile. Fails if the backup is incomplete.
 */
export async function measureBackup(directory: string, owner: Omit<Owner, 'data'>): Promise<readonly Row[]> {
  const folder = join(directory, 'backup');
  await mkdir(folder);
  const data = join(folder, 'data');
  return withFilledService({ ...owner, data }, filling, async (service) => {
    const target = join(folder, 'target');
    const writing = startWriting(service);
    const started = performance.now();
    await run(process.execPath, [main, 'backup', target, '--data', data]);
    const seconds = (performance.now() - started) / 1000;
    const rate = (await writing.stop()) / seconds;
    await run(process.execPath, [main, 'verify', target]);
    const megabytes = (await stat(join(target, 'compliance.sqlite'))).size / 1e6;
    return [
      withoutTarget({ what: `backup: a database of ${megabytes.toFixed(0)} MB`, figure: `${seconds.toFixed(1)} s` }),
      withTarget(
        { what: '… durable attestations during the backup', figure: perSecond(rate) },
        rate,
        { better: 'higher', mustReach: 500, aimFor: 500 },
        perSecond,
      ),
    ];
  });
}

interface Writing {
  /** Stops writing. Returns how many writes were confirmed. */
  stop(): Promise<number>;
}

function startWriting(service: FilledService): Writing {
  let [count, stopped] = [0, false];
  const write = async (): Promise<void> => {
    const connection = await Connection.open(service.port);
    while (!stopped) {
      await connection.request(attestRequest(service, `written-${count}`), 201);
      count += 1;
    }
    connection.close();
  };
  const writing = Array.from({ length: writers }, write);
  return {
    stop: async () => {
      const acknowledged = count;
      stopped = true;
      await Promise.all(writing);
      return acknowledged;
    },
  };
}
