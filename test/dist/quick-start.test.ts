import { readFile } from 'node:fs/promises';
import { describe, expect } from '@jest/globals';
import { listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { createSigningKey, startIdentityProvider } from '../../tools/identity-provider.ts';
import { declareDocumentedLoginRules } from '../support/documented-login-rule.ts';
import { shas } from '../support/events.ts';
import { fencesOf } from '../support/markdown.ts';
import { itAsOnUbuntu } from '../support/platform.ts';
import { readText } from '../support/repository.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { temporaryWorkspace } from '../support/temporary-workspace.ts';
import { commandsNamed } from '../support/workflow-command.ts';
import { mergeGroup, pullRequest, pushToMain, startedByHand } from '../support/workflow-events.ts';
import { runDocumentedWorkflow } from '../support/workflow-fixture.ts';
import { isTriggeredBy, type TriggeringEvent } from '../support/workflow-trigger.ts';
import { workflowsOn } from '../support/workflows.ts';

/** The words behind the command that starts the service, as the page about it has them. */
function documentedOptions(): readonly string[] {
  const commands = fencesOf(readText('docs/operate/install.md')).filter(({ heading }) => heading === 'Start it');
  const [, words] = /^npm run service -- (.+)$/mu.exec(commands.map(({ text }) => text).join()) ?? [];
  if (words === undefined) throw new Error('docs/operate/install.md does not say how to start the service');
  return words.split(' ');
}

const workflows = ['connect', 'merge']
  .flatMap((page) => workflowsOn(`docs/how-to/${page}.md`))
  .map(({ content }) => content);

/** What the steps of the action in a run left. */
interface QuickStartRun {
  readonly log: string;
  readonly notices: readonly string[];
  readonly outcomes: readonly (string | undefined)[];
  readonly states: readonly (string | undefined)[];
  readonly pages: readonly (string | undefined)[];
}

describe('the quick start', () => {
  itAsOnUbuntu('ends with a merge gate that is green, and a record that says the same', async () => {
    expect(readText('package.json')).toContain(
      '"service": "node --require ./tools/require-node.cjs src/service/main.ts"',
    );
    const data = await temporaryWorkspace();
    const identityProvider = await startIdentityProvider(await createSigningKey('one'));
    // As documented, except for a free port, a temporary folder, and an issuer on this machine.
    const settings = ['--port', '0', '--data', data.path, '--allow-private-issuers'];
    const service = await startServiceProcess([...documentedOptions(), ...settings]);
    try {
      const [, file = ''] = / the API key of acme is in (\S+);/mu.exec(service.output()) ?? [];
      const key = (await readFile(file, 'utf8')).trim();
      const { baseUrl } = service;
      await declareDocumentedLoginRules('docs/how-to/connect.md', {
        baseUrl,
        apiKey: key,
        issuer: identityProvider.issuer,
      });
      const run = async (name: string, event: TriggeringEvent): Promise<QuickStartRun> => {
        const workflow = workflows.find((one) => valueAt(one, 'name') === name);
        expect(isTriggeredBy(valueAt(workflow, 'on'), event)).toBe(true);
        const { jobs } = await runDocumentedWorkflow(workflow, {
          run: event,
          vars: { COMPLIANCE_BASE_URL: baseUrl },
          secrets: { SONAR_TOKEN: 'squ_user_token_0123' },
          identityProvider,
          gate: 'OK',
        });
        const steps = jobs.flatMap((job) => job.steps);
        const outputs = steps.flatMap(({ action }) => (action === undefined ? [] : [action.outputs]));
        const log = steps.map((step) => step.log).join('');
        return {
          log,
          notices: commandsNamed(log, 'notice').map(({ message }) => message),
          outcomes: outputs.map(({ outcome }) => outcome),
          states: outputs.map(({ state }) => state),
          pages: outputs.map((output) => output['html-url']),
        };
      };

      const created = await run('Compliance quick start', pushToMain('.github/workflows/compliance.yml'));
      expect(created).toMatchObject({ outcomes: ['done'], states: ['created'], notices: [] });
      const flowPage = `${baseUrl.replace(/\/api\/v2$/u, '')}/acme/flows/web`;
      expect(created.pages).toEqual([flowPage]);
      const again = await run('Compliance quick start', startedByHand());
      expect(again).toMatchObject({ outcomes: ['done'], states: ['updated'], notices: [] });
      // The next page, which needs Sonar.
      for (const event of [pullRequest('src/a.js'), mergeGroup]) {
        const gate = await run('Merge gate', event);
        const { log, outcomes } = gate;
        expect({ log, outcomes: new Set(outcomes) }).toEqual({ log, outcomes: new Set(['compliant']) });
      }

      const headers = { authorization: `Bearer ${key}` };
      const ask = async (path: string): Promise<unknown> => (await fetch(baseUrl + path, { headers })).json();
      const attestations = listAt(await ask('/attestations/acme/web'), 'data');
      expect(new Set(attestations.map((one) => textAt(one, 'reported_by')))).toEqual(
        new Set(['workflow:acme/widgets']),
      );

      // What was judged is what is on record, and what people see.
      const trails = listAt(await ask('/trails/acme?flow=web'), 'data').map((trail) => textAt(trail, 'name') ?? '');
      expect(trails).toContain(shas.head);
      for (const name of trails) {
        const trail = await ask(`/trails/acme/web/${name}`);
        expect(trail).toMatchObject({ compliance_state: 'COMPLIANT', compliance_status: { is_compliant: true } });
      }
      const trailPages = trails.map((name) => `${flowPage}/trails/${name}`);
      for (const url of [flowPage, flowPage.replace('/web', ''), flowPage.replace('/flows/web', ''), ...trailPages]) {
        const page = await (await fetch(url, { headers })).text();
        const shown = page.replace(/<p class="legend">[^]*?<\/p>/u, '');
        const badges = [...shown.matchAll(/class="badge [^>]*><span[^>]*>.<\/span> ([^<]+)<\/span>/gu)];
        expect(new Set(badges.map(([, words]) => words))).toEqual(new Set(['Compliant']));
      }
    } finally {
      service.child.kill('SIGTERM');
      await service.ended();
      await identityProvider.stop();
      await data.remove();
    }
  });
});
