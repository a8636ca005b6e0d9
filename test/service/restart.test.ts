import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  changePolicies,
  pod,
  reportPods,
  saveEnvironment,
  savePolicy,
  snapshotsOf,
} from '../support/environment-samples.ts';
import { startTestService } from '../support/service.ts';

describe('environments and policies', () => {
  it('are there after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'compliance-restart-'));
    const before = await startTestService({ dataFolder: folder });
    await saveEnvironment(before, 'prod');
    await savePolicy(before, 'provenance');
    await changePolicies(before, 'POST', 'prod', ['provenance']);
    await reportPods(before, 'prod', pod('web-1', { web: 'aaaaa' }));
    const told = await snapshotsOf(before, 'prod', '?interval=1..1');
    await before.stop();
    const after = await startTestService({ dataFolder: folder });
    expect(await snapshotsOf(after, 'prod', '?interval=1..1')).toMatchObject({
      status: 200,
      body: [{ index: 1, compliant: false, from: (told.body as { from: number }[])[0]?.from }],
    });
    expect((await reportPods(after, 'prod', pod('web-1', { web: 'aaaaa' }))).status).toBe(200);
    expect(await savePolicy(after, 'provenance')).toMatchObject({ status: 200, body: { consuming_envs: ['prod'] } });
    await after.stop();
    await rm(folder, { recursive: true });
  });
});
