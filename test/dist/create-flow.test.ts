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

    const updated = await job.step({ ...inputs, flow: 'twice', visibility: 'private' });
    expect(updated).toMatchObject({ exitCode: 0, outputs: { outcome: 'done', state: 'updated' } });
    expect(shownLines(updated.log)).toContain('✅ Done: Flow twice was updated in organization acme.');
  });

  it('has one notice: the operation is deprecated', async () => {
    const result = await job.step({ ...inputs, flow: 'noticed' });
    expect(commandsNamed(result.log, 'notice').map(({ message }) => message)).toEqual([
      'create-flow has been deprecated since 2026-01-01. The interface marks this operation as deprecated; send a template file instead (`PUT /flows/{org}/template_file`, the input `template-file`).',
    ]);
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

  it('sends the key as a user name where basic authentication is asked for', async () => {
    const result = await job.step({ ...inputs, flow: 'basic', 'auth-method': 'basic' });
    expect(result).toMatchObject({ exitCode: 0, outputs: { state: 'created' } });
  });

  it('adds the version to an address that lacks it', async () => {
    const result = await job.step({ ...inputs, flow: 'bare-address', 'base-url': `${job.service.url}/` });
    expect(result).toMatchObject({ exitCode: 0, outputs: { state: 'created' } });
  });

  it('writes no summary if `summary` is off', async () => {
    const result = await job.step({ ...inputs, flow: 'quiet', summary: 'false' });
    expect(result).toMatchObject({ exitCode: 0, summary: '' });
  });

  it('warns of an input that it does not use, and goes on', async () => {
    const result = await job.step({ ...inputs, flow: 'warned', trail: 'a' });
    expect(result.exitCode).toBe(0);
    expect(commandsNamed(result.log, 'warning').map(({ message }) => message)).toEqual([
      '`trail` is not used by create-flow; remove it from `with:`.',
    ]);
  });

  it('shows hostile text as text: in the log, in the summary and nowhere else', async () => {
    const description = '::set-output name=outcome::x\n##[error]y\n\n</td><script>alert(1)</script>';
    const result = await job.step({ ...inputs, flow: 'hostile', description });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'done' } });
    expect(shownLines(result.log)).toEqual(expect.arrayContaining(['## [error]y']));
    expect(commandsNamed(result.log, 'set-output')).toEqual([]);
    expect(result.summary).toContain('<br><br>&lt;/td&gt;&lt;script&gt;');
  });
});
