import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { GuardedFolder } from '../../../tools/servers/guarded-folder.ts';
import { waitUntil } from '../../../tools/servers/ports.ts';
import { describeWithOwnPostgres } from '../../support/own-servers.ts';

const owner = fileURLToPath(new URL('../../support/owner-of-a-server.ts', import.meta.url));

describeWithOwnPostgres('a server whose owner ends', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('by %s is stopped and removed', async (signal) => {
    const child = spawn(process.execPath, [owner], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const data = output.trim();
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    expect(isAlive(pid)).toBe(true);
    child.kill(signal);
    await once(child, 'close');
    expect(await waitUntil(() => !isAlive(pid) && !existsSync(dirname(data)), 15_000)).toBe(true);
  });
});

it('a program that cannot be run is named', async () => {
  const folder = new GuardedFolder('missing');
  await expect(folder.run({ program: '/missing/program', words: [] })).rejects.toThrow(
    '/missing/program cannot be run: spawn /missing/program ENOENT',
  );
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
  // Once more changes nothing.
  await folder.remove();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
