import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ActionJob, openActionJob } from '../support/action-job.ts';
import {
  dockerConfig,
  type FakeRegistry,
  registryToken,
  registryUser,
  startRegistry,
} from '../support/fake-registry.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

let job: ActionJob;
let registry: FakeRegistry;

beforeAll(async () => {
  job = await openActionJob();
  registry = await startRegistry({ access: 'token' });
  await job.workspace.write('docker/config.json', dockerConfig(registry.host));
});

afterAll(async () => {
  await registry.close();
  await job.close();
});

it('reports and judges an image by its tag, with masked credentials of the Docker credentials file', async () => {
  const flow = await job.flow('artifact');
  const fingerprint = registry.pushIndex('acme/web', '1');
  const image = `${registry.host}/acme/web:1`;
  const variables = { DOCKER_CONFIG: `${job.workspace.path}/docker` };
  const reported = await job.step({ operation: 'attest-artifact', flow, image }, { variables });
  expect(reported).toMatchObject({ exitCode: 0, errorLog: '', outputs: { outcome: 'done', fingerprint } });
  expect(reported.log).toContain(`${image}: ${fingerprint}`);
  const masked = commandsNamed(reported.log, 'add-mask').map(({ message }) => message);
  expect(masked).toEqual(expect.arrayContaining([registryUser.password, registryToken]));
  const shown = [...shownLines(reported.log), reported.summary, JSON.stringify(reported.response)].join('\n');
  for (const secret of [registryUser.password, registryToken]) expect(shown).not.toContain(secret);

  const judged = await job.step({ operation: 'get-artifact', flow, image }, { variables });
  expect(judged).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant', fingerprint } });

  const missing = await job.step(
    { operation: 'get-artifact', flow, image: `${registry.host}/acme/web:2` },
    { variables },
  );
  expect(missing).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' } });
  expect(missing.log).toContain(`has no image ${registry.host}/acme/web:2 (404)`);
});
