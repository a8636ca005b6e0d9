import { describe, expect } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { listAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { declareDocumentedLoginRule } from '../support/documented-login-rule.ts';
import { createSigningKey, startIdentityProvider } from '../support/identity-provider.ts';
import { fencesOf } from '../support/markdown.ts';
import { itAsOnUbuntu } from '../support/platform.ts';
import { readText } from '../support/repository.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';
import { pullRequest, pushToMain, startedByHand } from '../support/workflow-events.ts';
import { runDocumentedWorkflow } from '../support/workflow-fixture.ts';
import { isTriggeredBy, type TriggeringEvent } from '../support/workflow-trigger.ts';
import { workflowsOn } from '../support/workflows.ts';

/** The words behind the command that starts the service, as the page about it has them. */
function documentedOptions(): readonly string[] {
  const commands = fencesOf(readText('docs/service.md')).filter(({ heading }) => heading === 'Starting it');
  const [, words] = /^npm run service -- (.+)$/mu.exec(commands.map(({ text }) => text).join()) ?? [];
  if (words === undefined) throw new Error('docs/service.md does not say how to start the service');
  return words.split(' ');
}

const workflows = workflowsOn('README.md').map(({ content }) => content);

describe('the quick start', () => {
  itAsOnUbuntu('works as it is written, with a service that was just started', async () => {
    expect(readText('package.json')).toContain(
      '"service": "node --require ./tools/require-node.cjs src/service/main.ts"',
    );
    const data = await temporaryWorkspace();
    const identityProvider = await startIdentityProvider(await createSigningKey('one'));
    // As documented, except for a free port, a temporary folder, and an issuer on this machine.
    const settings = ['--port', '0', '--data', data.path, '--allow-private-issuers'];
    const service = await startServiceProcess([...documentedOptions(), ...settings]);
    try {
      const [, file = ''] = /^the API key of acme is in (\S+);/mu.exec(service.output()) ?? [];
      const key = (await readFile(file, 'utf8')).trim();
      const { baseUrl } = service;
      await declareDocumentedLoginRule('README.md', { baseUrl, apiKey: key, issuer: identityProvider.issuer });
      const run = async (name: string, event: TriggeringEvent): Promise<Record<string, unknown>> => {
        const workflow = workflows.find((one) => valueAt(one, 'name') === name);
        expect(isTriggeredBy(valueAt(workflow, 'on'), event)).toBe(true);
        const { jobs } = await runDocumentedWorkflow(workflow, {
          run: event,
          vars: { COMPLIANCE_BASE_URL: baseUrl },
          secrets: { SONAR_TOKEN: 'user-token' },
          identityProvider,
          gate: 'OK',
        });
        const steps = jobs.flatMap((job) => job.steps);
        const outputs = steps.flatMap(({ action }) => (action === undefined ? [] : [action.outputs]));
        return {
          log: steps.map(({ log }) => log).join(''),
          steps: outputs.map(({ outcome, state }) => `${outcome ?? ''} ${state ?? ''}`),
        };
      };

      const log = expect.any(String);
      expect(await run('Compliance quick start', pushToMain('.github/workflows/compliance.yml'))).toEqual({
        log,
        steps: ['done created'],
      });
      expect(await run('Compliance quick start', startedByHand())).toEqual({ log, steps: ['done updated'] });
      // The next section of the README, which needs Sonar.
      expect(await run('Merge gate', pullRequest('src/a.js'))).toEqual({ log, steps: ['compliant OK'] });

      const headers = { authorization: `Bearer ${key}` };
      const listed: unknown = await (await fetch(`${baseUrl}/attestations/acme/web`, { headers })).json();
      expect(listAt(listed, 'data')).toMatchObject([{ reported_by: 'workflow:acme/widgets' }]);
    } finally {
      service.child.kill('SIGTERM');
      await service.ended();
      await identityProvider.stop();
      await data.remove();
    }
  });
});
