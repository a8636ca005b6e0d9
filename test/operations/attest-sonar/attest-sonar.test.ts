import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isMapping, type Mapping } from '../../../src/runtime/untrusted-data.ts';
import { startOfTime } from '../../support/clock.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import { performOperation, type ScriptedAnswer } from '../../support/perform-operation.ts';
import { finishedTask, reportText, webhookPayload } from '../../support/sonar-analysis.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

beforeEach(async () => {
  await workspace.write('sonar.json', JSON.stringify({ ...webhookPayload(), revision: shas.head }));
});

/** The request: its URL, the JSON part, and the whole body. */
interface Sent {
  readonly path: string;
  readonly document: Mapping;
  readonly body: string;
}

/** Attests with these inputs and this answer of the service; returns the requests that record something. */
async function attest(
  inputs: Readonly<Record<string, string>>,
  answer: ScriptedAnswer = { status: 201, body: 'OK' },
): Promise<readonly Sent[]> {
  const given = {
    flow: 'web',
    'sonar-report-path': 'sonar.json',
    'unverified-revision': 'warn',
    retries: '0',
    ...inputs,
  };
  // The archive must be in the folder that the test looks into.
  const { requests } = await performOperation(
    'attest-sonar',
    given,
    ({ path }) => (path.startsWith('https://sonar.example.com/') ? sonarAnswer(new URL(path)) : answer),
    workspace.path,
    { temporaryDirectory: workspace.path },
  );
  return requests.flatMap(({ method, path, body }) => {
    if (method === 'GET') return [];
    const json = /name="data_json"\r\n(?:[^\r\n]+\r\n)*\r\n(.*)\r\n--/u.exec(body)?.[1] ?? '';
    const document: unknown = JSON.parse(json);
    return [{ path, document: isMapping(document) ? document : {}, body }];
  });
}

/** A Sonar server whose token may see the task and its gate, and not the analysis. */
function sonarAnswer({ pathname }: URL): ScriptedAnswer {
  switch (pathname) {
    case '/api/ce/task':
      return { status: 200, body: { task: finishedTask({ submittedAt: '2026-01-02T05:20:00+0200' }) } };
    case '/api/qualitygates/project_status':
      return { status: 200, body: { projectStatus: { status: 'OK', conditions: [] } } };
    default:
      return { status: 403, body: { errors: [{ msg: 'Insufficient privileges' }] } };
  }
}

describe('attest-sonar, if nothing confirms the revision', () => {
  const inputs = { 'sonar-report-path': 'report-task.txt', 'sonar-token': 'squ_user_token_0123' };
  beforeEach(() => workspace.write('report-task.txt', reportText('https://sonar.example.com')));

  it('leaves the revision out and says so', async () => {
    const [sent] = await attest({ ...inputs, 'user-data': '{"ticket":"ABC-1"}' });
    expect(sent?.document['sonar_results']).not.toHaveProperty('revision');
    expect(sent?.document['user_data']).toMatchObject({
      ticket: 'ABC-1',
      revision_verified: false,
      revision_unverified_reason: expect.stringContaining('(403: Insufficient privileges)'),
    });
    expect(JSON.stringify(sent?.document['sonar_results'])).not.toContain(shas.head);
  });

  it('shows the message of a service that requires a revision, but still sends none', async () => {
    const refused = {
      status: 400,
      body: { message: 'Bad input', errors: { 'sonar_results.revision': 'is required' } },
    };
    const failure = await failureOf(attest(inputs, refused));
    expect(failure.message).toContain('Bad input');
    expect(failure.message).toContain('sonar_results.revision');
  });
});

describe('attest-sonar, on the wire', () => {
  it('sends the commit, the results, the repository and the run, to the trail of the commit', async () => {
    const [sent] = await attest({});
    expect(sent?.path).toBe(`/attestations/acme/web/trail/${shas.head}/sonar`);
    expect(sent?.document).toEqual({
      attestation_name: 'sonar',
      git_commit_info: {
        sha1: shas.head,
        author: 'Ann Dev <ann@example.com>',
        message: 'feat: first\n\nbody line',
        timestamp: Date.parse('2026-01-02T05:04:05+02:00') / 1000,
        branch: 'main',
        url: `https://github.com/acme/widgets/commit/${shas.head}`,
      },
      sonar_results: { ...webhookPayload(), revision: shas.head },
      user_data: {
        github: {
          repository: 'acme/widgets',
          workflow: 'CI',
          job: 'build',
          event_name: 'push',
          run_id: '4242',
          run_attempt: '2',
          actor: 'ann',
          triggering_actor: 'bob',
        },
        idempotency_key: expect.stringMatching(/^(?:\d+-)?[\w-]{43}$/u),
        revision_verified: false,
        revision_unverified_reason: expect.stringContaining('from a JSON file'),
        gathered_at: new Date(startOfTime).toISOString(),
      },
      repo_info: expect.objectContaining({ name: 'acme/widgets', url: 'https://github.com/acme/widgets', id: '99001' }),
      origin_url: 'https://github.com/acme/widgets/actions/runs/4242/attempts/2',
    });
    expect(sent?.body).not.toContain('attachment_file');
  });

  it('sends what the user adds, and binds the attestation to an artifact by name and fingerprint', async () => {
    await workspace.write('data.json', '{"ticket":"ABC-1","deep":{"list":[1]}}');
    const inputs = {
      trail: 'pr-12',
      'attestation-name': 'web.quality',
      fingerprint: 'a'.repeat(64),
      description: 'Nightly',
      'user-data': 'data.json',
    };
    const [sent] = await attest(inputs);
    expect(sent?.path).toBe('/attestations/acme/web/trail/pr-12/sonar');
    expect(sent?.document).toMatchObject({
      attestation_name: 'quality',
      target_artifacts: ['web'],
      artifact_fingerprint: 'a'.repeat(64),
      description: 'Nightly',
      user_data: { ticket: 'ABC-1', deep: { list: [1] }, github: { run_id: '4242' } },
    });
  });

  it('keeps the user’s own value under the key of the provenance', async () => {
    const [sent] = await attest({ 'user-data': '{"github": {"mine": true}}' });
    expect(sent?.document).toMatchObject({ user_data: { github: { mine: true }, revision_verified: false } });
  });

  it('redacts the commit', async () => {
    const [sent] = await attest({ 'redact-commit-info': 'author, message, branch' });
    expect(sent?.document['git_commit_info']).toEqual({
      sha1: shas.head,
      timestamp: expect.any(Number),
      url: expect.any(String),
    });
    expect(sent?.body).not.toContain('Ann Dev');
    expect(sent?.document['user_data']).toMatchObject({
      github: expect.not.objectContaining({ actor: expect.anything() }),
    });
  });

  it.each([
    ['indexed', 'attachment_file.0'],
    ['plain', 'attachment_file'],
  ])('names the part of the file as file-parts: %s says', async (style, part) => {
    await workspace.write('lcov.info', 'TN:');
    const [sent] = await attest({ files: 'lcov.info', 'file-parts': style });
    expect(sent?.body).toContain(`name="${part}"; filename="lcov.info"`);
  });

  it('removes its archive, even if the service refuses it', async () => {
    await workspace.write('a/1.txt', '1');
    await workspace.write('a/2.txt', '2');
    const before = await readdir(workspace.path);
    expect((await attest({ files: 'a/**' }))[0]?.body).toContain('filename="evidence.tgz"');
    const refused = attest({ files: 'a/**' }, { status: 404, body: { message: 'Flow not found' } });
    expect((await failureOf(refused)).message).toContain('Flow not found');
    expect(await readdir(workspace.path)).toEqual(before);
  });

  it.each([
    'revision_verified',
    'revision_confirmed_by',
    'revision_unverified_reason',
    'gathered_at',
    'idempotency_key',
  ])('rejects user-data with the reserved key %s', async (key) => {
    const failure = await failureOf(attest({ 'user-data': JSON.stringify({ ticket: 'A', [key]: true }) }));
    expect(failure.kind).toBe('user');
    expect(failure.message).toContain(`\`user-data\` has the key ${key}`);
  });

  it('reports malformed user data before it contacts Sonar', async () => {
    const failure = await failureOf(attest({ 'user-data': '{"ticket":', 'sonar-report-path': 'missing.json' }));
    expect(failure.message).toContain('`user-data` is not JSON');
  });
});
