import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { root } from '../support/repository.ts';

const program = [process.execPath, join(root, 'actions', 'attest-generic', 'index.cjs')];
const evidence = { 'attestation-name': 'scan', compliant: 'true' };

const job = jobForAllTests();

describe('an action of its own', () => {
  it('runs its operation without the input `operation`', async () => {
    const flow = await job.flow('scan');
    const result = await job.step({ flow, ...evidence }, { program });
    expect(result).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'compliant' } });
  });

  it.each(['get-artifact', 'attest-generic'])('refuses the input `operation`: %s', async (operation) => {
    const result = await job.step({ flow: 'web', operation, ...evidence }, { program });
    expect(failedStep(result)).toMatchObject({
      ...errorEnding,
      kind: 'user',
      message: expect.stringMatching(
        /^`operation` is not an input of this action, which always runs attest-generic\nRemove it, or use OWNER\/compliance-action/u,
      ),
    });
  });
});
