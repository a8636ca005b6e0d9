import { beforeEach, describe, expect, it } from '@jest/globals';
import { prepareTemplateFile } from '../../src/evidence/template-file.ts';
import { always, type PerformedOperation, performOperation, reportFacts } from '../support/perform-operation.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';
import { userErrorOf } from '../support/user-error.ts';

const template = 'version: 1\ntrail:\n  attestations: [{name: unit, type: junit}]\n';

const workspace = workspaceForEachTest();
beforeEach(async () => {
  await workspace.write('ci/template.yml', template);
});

describe('begin-trail', () => {
  const begin = (inputs: Readonly<Record<string, string>>, status = 201): Promise<PerformedOperation> =>
    performOperation('begin-trail', { flow: 'web', ...inputs }, always(status, 'OK'), workspace.path);

  it('sends the commit, the own data and the template, and links to the page of the trail', async () => {
    const inputs = { trail: 'pr-1', description: 'A change', 'user-data': '{"ticket":"A-1"}' };
    const { requests, sent, result } = await begin({ ...inputs, 'template-file': 'ci/template.yml' });
    expect(sent).toEqual(['PUT /trails/acme/web']);
    const body = requests[0]?.body ?? '';
    expect(body).toMatch(/\{"name":"pr-1","description":"A change","user_data":\{.*"ticket":"A-1"/u);
    expect(body).toMatch(/"git_commit_info":\{"sha1":"[0-9a-f]{40}"/u);
    expect(body).toContain('name="template_file.0"; filename="template.yml"');
    expect(body).toContain(template);
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'begun',
      conclusion: 'Trail pr-1 of flow web was begun.',
      htmlUrl: 'https://compliance.example.com/acme/flows/web/trails/pr-1',
    });
    expect(reportFacts(result)).toMatchObject({ Trail: 'pr-1 (begun)', Template: 'ci/template.yml' });
  });

  it('names the trail after the commit by default, and says that it was updated', async () => {
    const { requests, result } = await begin({}, 200);
    const sha = /"sha1":"([0-9a-f]{40})"/u.exec(requests[0]?.body ?? '')?.[1] ?? '';
    expect(requests[0]?.body).toContain(`{"name":"${sha}"`);
    expect(requests[0]?.body).not.toContain('template_file');
    expect(result).toMatchObject({ state: 'updated', conclusion: `Trail ${sha} of flow web was updated.` });
  });

  it('says that the trail was not begun if the evidence is kept', async () => {
    const inputs = { trail: 'pr-1', 'on-outage': 'keep', 'spool-path': 'spool' };
    const { result } = await begin(inputs, 503);
    expect(result.conclusion).toMatch(/^Trail pr-1 of flow web was not begun or updated\. /u);
    expect(reportFacts(result)).toMatchObject({ Trail: 'pr-1' });
  });
});

it.each([
  { operation: 'begin-trail' },
  { operation: 'attest-artifact', fingerprint: 'a'.repeat(64), filename: 'web.tgz' },
  { operation: 'attest-generic', 'attestation-name': 'scan', compliant: 'true' },
])('$operation needs a URL for each fingerprint of a link', async ({ operation, ...inputs }) => {
  const links = { flow: 'web', 'external-fingerprints': `docs=${'ab'.repeat(32)}` };
  const mistake = await userErrorOf(() => performOperation(operation, { ...inputs, ...links }, always(201, 'OK')));
  expect(mistake.message).toBe('`external-fingerprints` has the label "docs", which `external-urls` lacks');
});

describe('a template file', () => {
  const steps: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['begin-trail', { flow: 'web' }],
    ['create-flow', { flow: 'web', description: 'The shop' }],
  ];
  const warningsOf = async (operation: string, inputs: Readonly<Record<string, string>>): Promise<unknown> => {
    const all = { ...inputs, 'template-file': 'ci/template.yml' };
    const { log, result } = await performOperation(operation, all, always(201, 'OK'), workspace.path);
    expect(result.outcome).toBe('done');
    return log.warnings;
  };

  it.each(steps)('of %s is no reason to warn if everything can be recorded, or if it is invalid', async (...step) => {
    const valid = 'version: 1\ntrail:\n  attestations: [{name: unit, type: junit}, {name: any, type: "*"}]\n';
    const unknown = valid.replace('junit', 'snack');
    for (const text of [template, valid, unknown, '', '- a\n- b\n', 'trail: [', 'trail: {attestations: [1, {}]}']) {
      await workspace.write('ci/template.yml', text);
      expect([text, await warningsOf(...step)]).toEqual([text, []]);
    }
    await workspace.write('ci/template.yml', Buffer.from([0xff, 0xfe, 0x00]));
    expect(await warningsOf(...step)).toEqual([]);
  });

  const refuse = (path: string): ReturnType<typeof userErrorOf> =>
    userErrorOf(() => prepareTemplateFile(path, workspace.path));

  it('must be a file that can be read, and small', async () => {
    expect((await refuse('none.yml')).message).toContain('cannot be read');
    expect((await refuse('ci')).message).toContain('is not a file');
    await workspace.write('large.yml', 'x'.repeat(256 * 1024 + 1));
    expect((await refuse('large.yml')).message).toContain('has 262145 bytes, but a template has at most 262144');
  });
});

describe('create-flow', () => {
  const create = (inputs: Readonly<Record<string, string>>): Promise<PerformedOperation> =>
    performOperation(
      'create-flow',
      { flow: 'web', description: 'The shop', ...inputs },
      always(201, 'OK'),
      workspace.path,
    );

  it('sends a template file to the endpoint for it, without a notice of deprecation', async () => {
    const { requests, sent, result, log } = await create({ 'template-file': 'ci/template.yml', visibility: 'private' });
    expect(sent).toEqual(['PUT /flows/acme/template_file']);
    expect(requests[0]?.body).toContain('{"name":"web","description":"The shop","visibility":"private"}');
    expect(requests[0]?.body).toContain(template);
    expect(result).toMatchObject({ state: 'created' });
    expect(JSON.stringify(log)).not.toContain('deprecated');
  });

  it('needs either a list or a file', async () => {
    expect((await userErrorOf(() => create({}))).message).toContain('`template` is missing');
    const both = { template: 'unit', 'template-file': 'ci/template.yml' };
    expect((await userErrorOf(() => create(both))).message).toContain('exclude each other');
  });
});
