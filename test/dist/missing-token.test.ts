import { expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { fingerprintOf } from '../support/artifacts.ts';
import { commandsNamed } from '../support/workflow-command.ts';

const job = jobForAllTests();

it('a step without a key is skipped if the workflow allows it', async () => {
  const inputs = {
    ...{ operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') },
    ...{ 'on-missing-token': 'skip', 'on-non-compliant': 'fail', 'api-token': ' ' },
  };
  const result = await job.step(inputs, { variables: { COMPLIANCE_API_TOKEN: '' } });
  expect(result).toMatchObject({
    exitCode: 0,
    errorLog: '',
    outputs: { outcome: 'skipped', compliant: '', state: '', fingerprint: '' },
    response: { skipped: { operation: 'get-artifact' } },
  });
  expect(result.summary).toMatch(/^<h2>⏭️ Skipped: get-artifact without an API key/u);
  expect(commandsNamed(result.log, 'error')).toEqual([]);
  expect(commandsNamed(result.log, 'warning')).toEqual([
    {
      name: 'warning',
      properties: { title: 'Nothing was judged: get-artifact without an API key' },
      message: expect.stringContaining('because of `on-missing-token: skip`; this is not a verdict'),
    },
  ]);
});
