import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests({ sources: { now: () => Date.now() + ahead } });
/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;

const gate = { operation: 'list-attestations', 'on-non-compliant': 'fail' };

async function attestAll(flow: string, trails: readonly string[], status: string): Promise<void> {
  for (const trail of trails) await job.attest(flow, trail, status);
}

const trails = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('the step list-attestations as a gate', () => {
  it('opens when each failed attestation has a newer one in its place, and not before', async () => {
    const flow = await job.flow('sonar');
    // What a page of the oldest would show.
    await attestAll(flow, trails('early', 15), 'OK');
    await attestAll(flow, trails('late', 25), 'ERROR');

    const page = await job.step({ ...gate, flow });
    expect(page).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', compliant: 'false', count: '15' } });

    await attestAll(flow, trails('late', 24), 'OK');
    const passing = await job.step({ ...gate, flow });
    expect(passing).toMatchObject({ exitCode: 1, outputs: { outcome: 'incomplete', compliant: 'false', count: '15' } });
    expect(commandsNamed(passing.log, 'error')[0]?.message).toContain(
      'the list is not complete: this is page 1 with 15 of 64 attestations; `page: all` lists them all.',
    );

    const all = { ...gate, flow, page: 'all', 'per-page': '10' };
    const closed = await job.step(all);
    expect(closed).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', count: '64' } });
    expect(commandsNamed(closed.log, 'error')[0]?.message).toContain(
      `64 attestations of flow ${flow}, 39 compliant, 1 not compliant, 24 replaced by newer ones: sonar in trail late-24: `,
    );
    expect(closed.summary).toContain('>sonar in trail late-24</a>: ');

    await job.attest(flow, 'late-24', 'OK');
    const open = await job.step(all);
    expect(open).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant', compliant: 'true', count: '65' } });
  });

  it('sees a failed attestation although the clock was wrong before it', async () => {
    const flow = await job.flow('sonar');
    ahead = 3_600_000;
    await attestAll(flow, ['main', 'other', 'third'], 'OK');
    ahead = 0;
    await job.attest(flow, 'main', 'ERROR');
    const now = String(Math.floor(Date.now() / 1000));
    const settings = [
      {},
      { 'to-timestamp': now },
      { page: 'all', 'per-page': '1' },
      { page: 'all', 'to-timestamp': now },
    ];
    for (const setting of settings) {
      const result = await job.step({ ...gate, ...setting, flow });
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'non-compliant', count: '4' } });
    }
    await job.attest(flow, 'main', 'OK');
    const open = await job.step({ ...gate, flow, page: 'all', 'per-page': '2' });
    expect(open).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant', count: '5' } });
  });

  it('ends while others write', async () => {
    const flow = await job.flow('sonar');
    await attestAll(flow, trails('before', 30), 'OK');
    const ended = new AbortController();
    const writer = (async () => {
      for (let number = 0; !ended.signal.aborted; number += 1) {
        await job.attest(flow, `meanwhile-${number}`, 'OK');
        // The list grows for up to two seconds of the service. So the number of its pages does not depend on how quickly
        // this process writes while the step reads.
        ahead += 100;
      }
    })();
    const result = await job.step({ ...gate, flow, page: 'all', 'per-page': '1' });
    ended.abort();
    await writer;
    ahead = 0;
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant' } });
    expect(Number(result.outputs['count'])).toBeGreaterThanOrEqual(30);
  });
});
