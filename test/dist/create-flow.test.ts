import { describe, expect, it } from '@jest/globals';
import { jobForAllTests } from '../support/action-job.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();

const inputs = { operation: 'create-flow', description: 'The web front end', template: 'artifact\nsonar' };

describe('the step create-flow', () => {
  it('creates a flow, and updates it when it is there', async () => {
    const created = await job.step({ ...inputs, flow: 'twice' });
    expect(created).toMatchObject({
      exitCode: 0,
      errorLog: '',
      outputs: { outcome: 'done', compliant: '', state: 'created', response: '"OK"', fingerprint: '' },
      response: 'OK',
    });
    expect(shownLines(created.log)).toContain('✅ Done: Flow twice was created in organization acme.');
    expect(created.summary).toContain('>Flow twice</a></h2>');
    expect(created.summary).toContain('<td>artifact, sonar</td>');
    const page = `${job.service.url}/acme/flows/twice`;
    expect(created.outputs['html-url']).toBe(page);
    expect(created.summary).toContain(`<a href="${page}">twice (created)</a>`);

    expect(commandsNamed(created.log, 'notice').map(({ message }) => message)).toEqual([
      'create-flow has been deprecated since 2026-01-01. The interface marks this operation as deprecated; send a template file instead (`PUT /flows/{org}/template_file`, the input `template-file`).',
    ]);

    const updated = await job.step({ ...inputs, flow: 'twice', visibility: 'private' });
    expect(updated).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'updated' } });
    expect(shownLines(updated.log)).toContain('✅ Done: Flow twice was updated in organization acme.');
  });

  it('takes a template file, which has no notice, and begin-trail one for a trail', async () => {
    await job.workspace.write('template.yml', 'version: 1\ntrail:\n  attestations: [{name: unit, type: junit}]\n');
    const flow = { flow: 'filed', description: 'The web front end', 'template-file': 'template.yml' };
    const created = await job.step({ ...flow, operation: 'create-flow' });
    expect(created).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'created' } });
    expect(commandsNamed(created.log, 'notice')).toEqual([]);
    const begun = await job.step({ flow: 'filed', operation: 'begin-trail', 'template-file': 'template.yml' });
    expect(begun).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'begun' } });
    const page = begun.outputs['html-url'] ?? '';
    const headers = { authorization: `Bearer ${job.service.apiKey}` };
    expect(await (await fetch(page, { headers })).text()).toContain('</span> Incomplete</span>');
  });

  it('needs nothing of the job but its connection: no event, no repository, no workspace', async () => {
    const variables = {
      GITHUB_WORKSPACE: undefined,
      GITHUB_REPOSITORY: undefined,
      GITHUB_SHA: undefined,
      GITHUB_EVENT_NAME: undefined,
    };
    const result = await job.step({ ...inputs, flow: 'bare' }, { variables, event: undefined });
    expect(result).toMatchObject({ exitCode: 0, outputs: { state: 'created' } });
  });
});
