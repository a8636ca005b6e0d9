import { truncate } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TransportError } from '../../src/http/transport.ts';
import { failureOf } from '../support/failures.ts';
import {
  always,
  answersInTurn,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
  type ScriptedAnswer,
} from '../support/perform-operation.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';
import { userErrorOf } from '../support/user-error.ts';

const yaml = '_schema: https://example.com/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n';
const policy = {
  name: 'provenance',
  description: 'All is known',
  archived: false,
  consuming_envs: [],
  created_at: 1_767_323_045.4,
  last_modified_at: 1_767_323_100,
  versions: [
    { version: 1, comment: 'First', created_by: 'ann', timestamp: 1_767_323_045, policy_yaml: yaml },
    { version: 2, comment: 'Second', created_by: 'bob', timestamp: 1_767_323_100, policy_yaml: yaml },
  ],
};

const workspace = workspaceForEachTest();

describe('create-policy', () => {
  it('sends the unchanged file with its name, description and comment', async () => {
    await workspace.write('policies/provenance.yml', yaml);
    const { requests, sent } = await performOperation(
      'create-policy',
      { policy: 'provenance', description: 'All is known', comment: 'Second', files: 'policies/*.yml' },
      always(200, policy),
      workspace.path,
    );
    expect(sent).toEqual(['PUT /policies/acme']);
    const body = requests[0]?.body ?? '';
    expect(body).toContain('{"name":"provenance","description":"All is known","comment":"Second","type":"env"}');
    expect(body).toContain('name="payload"');
    expect(body).toContain('name="policy_file.0"; filename="provenance.yml"');
    expect(body).toContain(yaml);
  });

  it.each([
    [201, 'created'],
    [200, 'updated'],
  ])('says of status %d that it was %s', async (status, action) => {
    await workspace.write('p.yml', yaml);
    const { result } = await performOperation(
      'create-policy',
      { policy: 'provenance', files: 'p.yml' },
      always(status, policy),
      workspace.path,
    );
    expect(result).toMatchObject({
      outcome: 'done',
      state: action,
      conclusion: `Policy provenance was ${action} in organization acme; its latest version is now 2.`,
      response: policy,
    });
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Policy: `provenance (${action})`,
      Description: 'All is known',
      Version: '2',
      'Environments that use it': 'none',
      Created: '2026-01-02T03:04:05Z',
      'Last modified': '2026-01-02T03:05:00Z',
      Schema: 'https://example.com/schemas/policy/v1',
      File: `p.yml, ${yaml.length} bytes`,
    });
    expect(reportTables(result)).toEqual({
      'Versions (2)': [
        ['2', '2026-01-02T03:05:00Z', 'bob', 'Second'],
        ['1', '2026-01-02T03:04:05Z', 'ann', 'First'],
      ],
    });
  });

  describe('after an upload without a clear answer', () => {
    const inputs = { policy: 'provenance', description: 'All is known', comment: 'Second', files: 'p.yml' };
    const lost = new TransportError('interrupted', true, 'read ECONNRESET');
    const older = { ...policy, versions: policy.versions.slice(0, 1) };
    const foreign = { status: 200, body: { message: 'Log in to the network' } };
    const missing = { status: 404, body: { message: "Policy 'provenance' does not exist in organization 'acme'" } };

    beforeEach(() => workspace.write('p.yml', yaml));

    function upload(answers: () => ScriptedAnswer, more = {}): Promise<PerformedOperation> {
      return performOperation('create-policy', { ...inputs, ...more }, answers, workspace.path);
    }

    it.each([
      ['a reset', lost],
      ['502', { status: 502, body: {} }],
    ])('checks whether it was recorded instead of uploading again: %s', async (_what, first) => {
      const { result, sent } = await upload(answersInTurn(first, foreign, { status: 200, body: policy }));
      expect(sent).toEqual(['PUT /policies/acme', 'GET /policies/acme/provenance', 'GET /policies/acme/provenance']);
      expect(result).toMatchObject({
        outcome: 'done',
        response: policy,
        conclusion: 'Policy provenance is recorded in organization acme; this file is its latest version, number 2.',
      });
      expect(result.state).toBeUndefined();
      expect(reportFacts(result)['Policy']).toBe('provenance (created or updated)');
    });

    it.each([
      ['an older version is the latest', { status: 200, body: older }, {}, 2],
      ['the latest is another file', { status: 200, body: { name: 'provenance', versions: [] } }, {}, 2],
      ['the description is another', { status: 200, body: policy }, { description: 'New' }, 2],
      ['only three retries are allowed', foreign, { retries: '3' }, 5],
      ['there is no such policy', missing, {}, 2],
      ['only other servers answer', foreign, {}, 7],
      ['the service has no such endpoint', { status: 404, body: { message: 'Not Found' } }, {}, 2],
      ['it may not be read', { status: 403, body: { message: 'no' } }, {}, 2],
      ['retries are switched off', { status: 200, body: older }, { retries: '0' }, 2],
    ])('fails and says what to do if %s', async (_what, look, more, asked) => {
      let requests = 0;
      const answers = answersInTurn(lost, look);
      const failure = await failureOf(
        upload(() => {
          requests += 1;
          return answers();
        }, more),
      );
      expect(requests).toBe(asked);
      expect(failure.message).toMatch(/read ECONNRESET\.\nThe service may still have recorded it\./u);
      expect(failure.remedy).toMatch(/^Look at the versions of the policy before you run the job again/u);
    });

    it('uploads again if the service refused the first and does not have it', async () => {
      const busy = { status: 429, body: { message: 'Slow down' } };
      const { result, requests, log } = await upload(answersInTurn(busy, missing, { status: 200, body: policy }));
      expect(requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT']);
      expect(log.infos).toContain(
        'create-policy: attempt 1, failing for 0.0 s: the answer was 429, and it is not on record; trying again in 0.5 s, at 03:04:05 UTC, and then until 03:05:05 UTC',
      );
      expect(result).toMatchObject({
        outcome: 'done',
        conclusion: 'Policy provenance was created or updated in organization acme; its latest version is now 2.',
      });
      expect(result.state).toBeUndefined();
    });
  });

  describe('with `preview`', () => {
    const inputs = { policy: 'provenance', files: 'p.yml', preview: 'true' };
    const page = 'https://compliance.example.com/acme/environments/prod';
    const reason = { state: 'failed', about: 'sonar', value: 'the quality gate is ERROR', rule: 'policy provenance' };
    const counts = { artifact_count: 5, changed_artifacts: 2, failing_later: 1, artifacts_left_out: 1 };
    const unchanged = { artifact_count: 1, changed_artifacts: 0, failing_later: 0, artifacts_left_out: 0 };
    const red = { name: 'web:1', fingerprint: 'a'.repeat(64), compliant_before: true };
    const preview = {
      ...{ policy: 'provenance', present_version: 2, attached: true, environments_left_out: 3 },
      ...{ changed_environments: 1, changed_artifacts: 2, failing_later: 1 },
      environments: [
        { name: 'stage', compliant_before: true, compliant_after: true, ...unchanged, reasons: [], artifacts: [] },
        {
          ...{ name: 'prod', compliant_before: true, compliant_after: false, ...counts, reasons: [], html_url: page },
          artifacts: [
            { ...red, compliant_after: false, reasons: [reason], html_url: `${page}/web` },
            { ...red, name: 'api:1', compliant_after: true, fails_from: '2027-01-01', reasons: [reason] },
          ],
        },
      ],
    };

    beforeEach(() => workspace.write('p.yml', yaml));

    it('sends the same upload for a preview, and shows what would change', async () => {
      const { requests, sent, result } = await performOperation(
        'create-policy',
        inputs,
        always(200, preview),
        workspace.path,
      );
      expect(sent).toEqual(['POST /policies/acme/provenance/preview']);
      expect(requests[0]?.headers).not.toHaveProperty('idempotency-key');
      expect(requests[0]?.body).toContain('{"name":"provenance","type":"env"}');
      expect(requests[0]?.body).toContain(yaml);
      expect(result).toMatchObject({
        ...{ outcome: 'done', state: 'previewed', count: 3, response: preview },
        conclusion:
          'With this file, policy provenance would change the verdict of 1 of 2 environments and of 2 artifacts. It would break 1 artifact from a later day on. 3 environments could not be judged in one preview. Nothing was stored.',
      });
      expect(reportTables(result)).toEqual({
        'Environments (1)': [['prod', '✅ yes', '❌ no', '2 of 5', '1', '']],
        'Artifacts (3)': [
          ['web:1 aaaaaaaaaaaa', 'prod', '✅ yes', '❌ no', 'sonar: the quality gate is ERROR (policy provenance)'],
          [
            ...['api:1 aaaaaaaaaaaa', 'prod', '✅ yes', '✅ yes, would fail from 2027-01-01'],
            'sonar: the quality gate is ERROR (policy provenance)',
          ],
        ],
      });
    });

    it('says that the policy is not attached', async () => {
      const nothing = { changed_environments: 0, changed_artifacts: 0, failing_later: 0, environments_left_out: 0 };
      const answer = { policy: 'provenance', attached: false, environments: [], ...nothing };
      const { result } = await performOperation('create-policy', inputs, always(200, answer), workspace.path);
      expect(result.conclusion).toBe(
        'Policy provenance is not attached to any environment of organization acme, so this file would change no verdict. Nothing was stored.',
      );
      expect(reportFacts(result)).toMatchObject({ 'Present version': 'none, the policy does not exist yet' });
      expect(result).toMatchObject({ count: 0, report: { tables: [] } });
    });

    it.each([
      [404, { message: 'There is nothing at POST /policies' }],
      [404, 'Not Found'],
      [405, {}],
    ])('fails if the service has no previews: %d %j', async (status, body) => {
      let requests = 0;
      const failure = await failureOf(
        performOperation(
          'create-policy',
          inputs,
          () => {
            requests += 1;
            return { status, body };
          },
          workspace.path,
        ),
      );
      expect(requests).toBe(1);
      expect(failure.message).toMatch(/This service cannot preview policies. Nothing was stored\.$/u);
      expect(failure.remedy).toMatch(/^Check `base-url`\. Previews need/u);
    });

    it('fails with the error of the service otherwise', async () => {
      const forbidden = { status: 403, body: { message: 'no' } };
      const failure = await failureOf(performOperation('create-policy', inputs, () => forbidden, workspace.path));
      expect(failure.message).toBe('Preview policy: POST /policies/acme/provenance/preview returned 403: no');
    });
  });

  it('accepts an answer with only a name and no versions', async () => {
    await workspace.write('p.yml', yaml);
    const { result } = await performOperation(
      'create-policy',
      { policy: 'provenance', files: 'p.yml' },
      always(201, { name: 'provenance', versions: [] }),
      workspace.path,
    );
    expect(result.conclusion).toBe('Policy provenance was created in organization acme.');
    expect(result.report.tables).toEqual([]);
  });

  it('sends nothing if the file is not a policy, is too large, or is not the only one', async () => {
    await workspace.write('list.yml', '- a\n');
    await truncate(await workspace.write('large.yml', ''), 10 * 1024 * 1024 + 1);
    for (const [files, words] of [
      ['list.yml', /not a mapping/u],
      ['large.yml', /larger than the 10\.0 MiB/u],
      ['*.yml', /exactly one file, the policy, but matches 2/u],
      ['none.yml', /No file matches/u],
    ] as const) {
      const mistake = await userErrorOf(() =>
        performOperation(
          'create-policy',
          { policy: 'provenance', files },
          () => {
            throw new Error('something was sent');
          },
          workspace.path,
        ),
      );
      expect(mistake.message).toMatch(words);
    }
  });
});
