import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServiceAccount, createServiceAccountKey } from '../../support/administration.ts';
import { changePolicies, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { type FakeGitHubApp, startGitHubApp } from '../../support/fake-github-app.ts';
import { gatedOptions, saveGate, webhooksOf } from '../../support/gated-service.ts';
import { githubEvents, headCommit } from '../../support/github-gate.ts';
import { type LoginFixture, startLoginFixture } from '../../support/login-fixture.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleArtifact,
  saveFlowTemplate,
} from '../../support/service-samples.ts';

const template = `version: 1
trail:
  attestations:
    - name: scan
      type: generic
      from: [rule:trusted-scan]
`;
/** The trusted workflow, which runs no code of the change. */
const trusted = 'acme/ci/.github/workflows/scan.yml@refs/heads/main';
const otherCommit = commitOf('2');
const onlyScan = 'only rule trusted-scan counts';

let github: FakeGitHubApp;
let fixture: LoginFixture;
beforeEach(async () => {
  github = await startGitHubApp();
  fixture = await startLoginFixture(gatedOptions(github));
  const { service } = fixture;
  github.target = webhooksOf(service);
  await saveFlowTemplate(service, template);
  await saveGate(service);
  const runs = {
    refs: ['refs/heads/**', 'refs/pull/*/merge'],
    events: ['push', 'pull_request'],
    private_pull_requests: true,
  };
  await fixture.saveRule({ ...runs, permissions: ['record', 'define'] }, 'pulls');
  await fixture.saveRule({ ...runs, job_workflow_ref: trusted, counts_for_environments: ['*'] }, 'trusted-scan');
});
afterEach(async () => {
  expect([github.breaches, fixture.service.errors]).toEqual([[], []]);
  await fixture.stop();
  await github.close();
});

/** The key of a run for the pull request; with the run's number, as GitHub knows it. */
const pullRequestKey = (claims = {}): Promise<string> =>
  fixture.logIn({ event_name: 'pull_request', ref: 'refs/pull/7/merge', sha: commitOf('f'), run_id: '77', ...claims });
const pushKey = (sha: string): Promise<string> =>
  fixture.logIn({ ref: 'refs/heads/change', sha, job_workflow_ref: trusted });
const begin = (key: string, name: string, sha1: string): Promise<Called> => {
  const form = attestationForm({ name, git_commit_info: { sha1, url: `https://git.example.com/${sha1}` } });
  return call(fixture.service, { method: 'PUT', path: '/trails/acme/web', form, key });
};
const scan = (key: string, trail: string, change = {}): Promise<Called> => {
  const form = attestationForm({ attestation_name: 'scan', is_compliant: true, ...change });
  return call(fixture.service, { method: 'POST', path: `/attestations/acme/web/trail/${trail}/generic`, form, key });
};
const override = (key: string): Promise<Called> => {
  const json = { attestation_name: 'scan', original_attestation_type: 'generic', reason: 'I say so' };
  const path = `/attestations/acme/web/trail/${headCommit}/override`;
  return call(fixture.service, { method: 'POST', path, json: { ...json, new_compliance_status: true }, key });
};
const conclusions = (): readonly unknown[] =>
  github.checkRuns.flatMap(({ versions }) => versions.map(({ conclusion }) => conclusion ?? 'none'));
/** Waits until the check has this title. */
const shown = (title: string): Promise<void> =>
  github.until(() => github.checkRuns.at(-1)?.versions.at(-1)?.output.title.includes(title) === true);
const succeeded = (): Promise<void> => github.until(() => conclusions().at(-1) === 'success');

describe('the check of a pull request whose author changes its workflow', () => {
  it('does not become green by anything but the trusted scan of its head commit, and says why', async () => {
    const { service } = fixture;
    // It drops the gate's step, so nothing is recorded.
    await github.deliver('pull_request', githubEvents.pullRequest());
    await shown('the trail has not begun');
    const key = await pullRequestKey();
    // It sets its own status and its own check.
    const { repository, installation } = githubEvents.pullRequest();
    const own = { name: 'compliance-service/web', head_sha: headCommit, conclusion: 'success', app: { id: 15368 } };
    for (const [event, payload] of [
      ['status', { state: 'success', context: 'compliance-service/web', sha: headCommit }],
      ['check_run', { action: 'completed', check_run: own }],
      ['check_run', { action: 'rerequested', check_run: own }],
    ] as const) {
      expect(await github.deliver(event, { repository, installation, ...payload })).toBe(204);
    }
    // It records its own green evidence.
    await begin(key, headCommit, headCommit);
    await shown('scan: not recorded; generic is required (template of the flow)');
    await scan(key, headCommit);
    await shown(`scan: recorded by rule pulls; ${onlyScan}`);
    // It lets the trusted workflow scan another commit, and says later that it was its own.
    await begin(key, 'own', otherCommit);
    await scan(await pushKey(otherCommit), 'own');
    await begin(key, 'own', headCommit);
    const elsewhere = 'for another commit, or before it was created again';
    await shown(`scan: recorded by rule trusted-scan ${elsewhere}; ${onlyScan}`);
    await begin(key, 'own', otherCommit);
    await shown(`scan: recorded by rule pulls; ${onlyScan}`);
    // It says that of the trail of the other commit, which others began.
    await scan(await pushKey(otherCommit), otherCommit);
    expect((await begin(key, otherCommit, headCommit)).status).toBe(400);
    // The trusted workflow is told to record in the trail of the pull request.
    await scan(await pushKey(otherCommit), headCommit);
    await shown(`scan: recorded by rule trusted-scan ${elsewhere}; ${onlyScan}`);
    // It overrides.
    expect((await override(key)).status).toBe(403);
    await createServiceAccount(service);
    expect((await override(await createServiceAccountKey(service))).status).toBe(201);
    await shown(`scan: recorded by service account ci; ${onlyScan}`);
    expect(new Set(conclusions())).toEqual(new Set(['none']));
    // The trusted scan of the head commit.
    await scan(await pushKey(headCommit), headCommit);
    await succeeded();
    expect(github.checkRuns).toHaveLength(1);
  });

  it('becomes green by the trusted scan in a run for the pull request, whose head commit GitHub names', async () => {
    await github.deliver('pull_request', githubEvents.pullRequest());
    const run = { run_id: '78', job_workflow_ref: trusted };
    // GitHub does not know the run yet.
    await scan(await pullRequestKey(run), headCommit);
    await shown('in a run whose commit is not known');
    github.runs.set(78, headCommit);
    await scan(await pullRequestKey(run), headCommit);
    await succeeded();
  });
});

describe('a deployment', () => {
  const deployed = commitOf('9');
  /** Reports an artifact for the commit with the key of a run for the pull request, which counts for no environment. */
  const claim = async (fingerprint: string): Promise<void> => {
    const json = sampleArtifact({ fingerprint, git_commit: deployed, trail_name: deployed });
    await call(fixture.service, { method: 'POST', path: '/artifacts/acme/web', json, key: await pullRequestKey() });
  };
  const deploy = async (): Promise<readonly string[]> => {
    const deployment = github.requestDeployment(77, 'production');
    await github.deliver('deployment_protection_rule', {
      ...githubEvents.deployment(77),
      deployment: { id: 9, sha: deployed },
    });
    await github.until(() => deployment.comments.length > 0);
    return [deployment.state, ...deployment.comments];
  };
  beforeEach(async () => {
    const { service } = fixture;
    await saveEnvironment(service, 'prod');
    const provenance = 'artifacts: { provenance: { required: true } }';
    await savePolicy(service, 'strict', `_schema: https://example.com/schemas/policy/environment/v1\n${provenance}\n`);
    await changePolicies(service, 'POST', 'prod', ['strict']);
  });

  it('is not approved because a pull request says that an artifact of `main` is of its commit', async () => {
    const fingerprint = fingerprintOf('a');
    await report(fixture.service, { fingerprint, git_commit: otherCommit });
    await claim(fingerprint);
    const why = 'flow web: artifacts of this commit are reported only with keys that do not count for environment prod';
    expect(await deploy()).toEqual(['waiting', expect.stringContaining(why)]);
  });

  it('is not rejected because a pull request says that an artifact of its own is of the commit', async () => {
    await report(fixture.service, { fingerprint: fingerprintOf('a'), git_commit: deployed });
    await claim(fingerprintOf('b'));
    expect(await deploy()).toEqual(['approved', expect.anything()]);
  });
});
