import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { startTestService, type TestService } from '../support/service.ts';
import { expectExactUsage } from '../support/usage.ts';
import { modelCommands, type SystemUnderTest } from './model-commands.ts';
import { ServiceModel } from './service-model.ts';

/** How many sequences of requests are sent: `npm run test:slow` sets more. */
const givenRuns: unknown = Reflect.get(globalThis, 'modelRuns');
const numRuns = typeof givenRuns === 'number' ? givenRuns : 25;

let service: TestService;
let runs = 0;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

/** An organization of each run's own, so that all of them share one service. */
async function emptyOrganization(): Promise<{ model: ServiceModel; real: SystemUnderTest }> {
  runs += 1;
  const org = `org-${createHash('sha256').update(String(runs)).digest('hex').slice(0, 12)}`;
  const key = await service.createOrganization(org);
  return { model: new ServiceModel(), real: { service, org, key } };
}

describe('the service, against a model in memory', () => {
  it('gives the same answers to any sequence of requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands([...modelCommands], { maxCommands: 60, size: 'max' }), (commands) =>
        fc.asyncModelRun(emptyOrganization, commands),
      ),
      { numRuns, interruptAfterTimeLimit: 10_000 },
    );
    await expectExactUsage(service.storage.query);
  });
});
