import { truncate } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { failedStep } from '../support/failed-step.ts';

const job = jobForAllTests();

describe('a JUnit report of 280 MB that attacks the parser', () => {
  const filler = 'x'.repeat(600_000);
  it.each([
    ['attributes', `<testsuite a="${filler}`],
    ['a DOCTYPE', `<!DOCTYPE ${filler}`],
  ])('is refused within 64 MB of memory, before it is packed: %s', async (_what, start) => {
    await truncate(await job.workspace.write('junit.xml', start), 280_000_000);
    const step = await job.step(
      { operation: 'attest-junit', flow: 'web', 'junit-path': 'junit.xml' },
      { variables: { NODE_OPTIONS: '--max-old-space-size=64' } },
    );
    expect(failedStep(step)).toMatchObject({
      exitCode: 1,
      kind: 'user',
      message: expect.stringMatching(/junit\.xml, line 1: .* have more than 524,288 characters/u),
    });
    expect(step.log).not.toContain('Collect the files');
  });
});
