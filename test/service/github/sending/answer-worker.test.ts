import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { githubError, type GitHubReply } from '../../../support/fake-github.ts';
import { type FakeCheckRun, type FakeDeployment, troubles } from '../../../support/fake-github-app.ts';
import { type GatedService, startGatedService } from '../../../support/gated-service.ts';
import { githubEvents, headCommit } from '../../../support/github-gate.ts';
import { call, type Called, mappingOf } from '../../../support/service-call.ts';
import { attest, attestationForm, report, sampleAttestation, saveFlow } from '../../../support/service-samples.ts';

let gated: GatedService;
beforeEach(async () => {
  gated = await startGatedService();
});
afterEach(async () => {
  expect([gated.github.breaches, gated.service.errors]).toEqual([[], []]);
  await gated.stop();
});

/** Records the scan of the commit. */
const scan = (status: string): Promise<Called> => attest(gated.service, sampleAttestation(status), headCommit);
/** Reports the artifact of the commit. */
const build = (): Promise<Called> => report(gated.service, { trail_name: headCommit });
/** The conclusions of the check of the commit, one for each request. */
const conclusions = (): readonly (string | undefined)[] =>
  gated.github.checkRuns.flatMap(({ versions }) => versions.map(({ conclusion }) => conclusion));
const latest = (run: FakeCheckRun | undefined): unknown => run?.versions.at(-1)?.output;
/** What the service says about the trail of the commit. */
const trailState = async (): Promise<unknown> =>
  mappingOf(await call(gated.service, { path: `/trails/acme/web/${headCommit}` }))['compliance_state'];
const concluded = (...expected: readonly (string | undefined)[]): Promise<void> =>
  gated
    .passUntil(() => conclusions().length >= expected.length)
    .then(() => {
      expect(conclusions()).toStrictEqual(expected);
    });

describe('the check of a pull request', () => {
  it('shows the verdict of its trail, and every change of it', async () => {
    const { github, service } = gated;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    const [run] = github.checkRuns;
    expect([run?.name, run?.sha]).toEqual(['compliance-service/web', headCommit]);
    expect(latest(run)).toEqual({
      title: 'the trail has not begun',
      summary: expect.stringContaining('It requires:\n\n- `artifact`: `not reported'),
    });
    await build();
    await concluded(undefined, undefined);
    expect(latest(run)).toMatchObject({ title: expect.stringMatching(/sonar: not recorded/u) });
    // Nothing new is recorded.
    await build();
    await gated.settle();
    await scan('ERROR');
    await concluded(undefined, undefined, 'failure');
    expect(await trailState()).toBe('NON-COMPLIANT');
    expect(run?.versions.at(-1)?.details_url).toBe(`${service.url}/acme/flows/web/trails/${headCommit}#evidence-sonar`);
    await scan('OK');
    await concluded(undefined, undefined, 'failure', 'success');
    expect(await trailState()).toBe('COMPLIANT');
    await saveFlow(service, { template: ['artifact', 'sonar', 'junit'] });
    await concluded(undefined, undefined, 'failure', 'success', undefined);
    expect(github.checkRuns).toHaveLength(1);
  });

  it('is sent once however often the event comes, and again if somebody asks for it', async () => {
    const { github } = gated;
    await scan('ERROR');
    const event = githubEvents.pullRequest();
    await Promise.all([github.deliver('pull_request', event, { guid: 'a' }), github.deliver('pull_request', event)]);
    await concluded('failure');
    await github.deliver('pull_request', event, { guid: 'a' });
    await github.deliver('check_run', githubEvents.rerun());
    await concluded('failure', 'failure');
    await scan('OK');
    await concluded('failure', 'failure', undefined);
  });

  it('takes over a check that an earlier attempt may have created', async () => {
    const { github } = gated;
    const earlier = { id: 8, repositoryId: 123, name: 'compliance-service/web', sha: headCommit, versions: [] };
    (github.checkRuns as FakeCheckRun[]).push(earlier);
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    expect(github.checkRuns).toEqual([{ ...earlier, versions: [expect.anything()] }]);
  });

  it('is sent again before GitHub declares it stale', async () => {
    await gated.github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    gated.sleep(13 * 86_400_000);
    await concluded(undefined, undefined);
  });

  it('fails again when an override of its evidence has ended, although nothing is recorded', async () => {
    const { service, github, clock } = gated;
    await build();
    await scan('ERROR');
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const override = { attestation_name: 'sonar', original_attestation_type: 'sonar', reason: 'known', until: today };
    const path = `/attestations/acme/web/trail/${headCommit}/override`;
    await call(service, { method: 'POST', path, json: { ...override, new_compliance_status: true } });
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded('success');
    gated.sleep(86_400_000);
    await concluded('success', 'failure');
  });

  it('follows a repository that was renamed', async () => {
    const { github } = gated;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    github.repositories.set(123, 'acme/shop');
    await scan('ERROR');
    await concluded(undefined, 'failure');
  });

  it('follows a flow that is renamed', async () => {
    const { github, service } = gated;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    await call(service, { method: 'PUT', path: '/flows/acme/web/rename', json: { new_name: 'shop' } });
    await concluded(undefined, undefined);
    expect(github.checkRuns.map(({ name }) => name)).toEqual(['compliance-service/shop']);
  });

  it('is sent soon, although the clock is set back while it waits', async () => {
    const { github, clock } = gated;
    github.fault = ({ url }) => (url.includes('check-runs') ? troubles.down : undefined);
    await github.deliver('pull_request', githubEvents.pullRequest());
    await github.until(() => github.requests.some(({ url }) => url.includes('check-runs')));
    github.fault = undefined;
    gated.sleep(-86_400_000);
    const begun = clock.now();
    await concluded(undefined);
    expect(clock.now() - begun).toBeLessThan(600_000);
  });

  it('is sent by the next process if this one stops first', async () => {
    const { github } = gated;
    github.fault = () => troubles.down;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await scan('ERROR');
    await gated.pause();
    github.fault = undefined;
    await gated.resume();
    await concluded('failure');
  });

  it('is sent by the next process at once if this one stops while GitHub does not answer', async () => {
    const { github, clock } = gated;
    github.fault = ({ url }) => (url.includes('check-runs') ? 'never' : undefined);
    await github.deliver('pull_request', githubEvents.pullRequest());
    await github.until(() => github.requests.some(({ url }) => url.includes('check-runs')));
    await gated.pause();
    github.fault = undefined;
    const begun = clock.now();
    await gated.resume();
    await concluded(undefined);
    expect(clock.now() - begun).toBeLessThan(60_000);
  });

  it.each<[string, GitHubReply, number]>([
    ['is down', troubles.down, 10],
    ['does not answer properly', 'cut', 10],
    ['answers with a page', { status: 200, body: '<html>' }, 10],
    ['limits requests', troubles.limited(300), 300],
    ['limits requests with another status', troubles.limited(300, 403), 300],
    ['limits requests without a time', githubError(403, 'You have exceeded a secondary rate limit'), 60],
  ])('is sent when GitHub can be asked again if it %s', async (_why, reply, seconds) => {
    const { github, clock } = gated;
    const begun = clock.now();
    github.fault = ({ url }) => (url.includes('check-runs') ? reply : undefined);
    await github.deliver('pull_request', githubEvents.pullRequest());
    const isAsked = (): boolean => github.requests.some(({ url }) => url.includes('check-runs'));
    await github.until(isAsked);
    github.fault = undefined;
    await concluded(undefined);
    expect(clock.now() - begun).toBeGreaterThanOrEqual(seconds * 1000);
  });

  it('waits until the limit of the installation is reset', async () => {
    const { github, clock } = gated;
    const reset = clock.now() + 1_200_000;
    github.fault = ({ url }) => (url.includes('check-runs') ? troubles.exhausted(reset / 1000) : undefined);
    await github.deliver('pull_request', githubEvents.pullRequest());
    await github.until(() => github.requests.some(({ url }) => url.includes('check-runs')));
    github.fault = undefined;
    await concluded(undefined);
    expect(clock.now()).toBeGreaterThanOrEqual(reset);
  });

  it('is sent with a new token if GitHub revokes the one it has', async () => {
    const { github } = gated;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await concluded(undefined);
    github.expireTokens();
    await scan('ERROR');
    await concluded(undefined, 'failure');
  });

  it.each(['suspended', 'removed'] as const)('is sent after an installation that was %s is back', async (state) => {
    const { github } = gated;
    github.installation.state = state;
    await github.deliver('pull_request', githubEvents.pullRequest());
    await github.until(() => github.requests.some(({ url }) => url.endsWith('/access_tokens')));
    github.installation.state = 'active';
    await concluded(undefined);
  });

  it('is sent as soon as GitHub says that an installation is no longer suspended', async () => {
    const { github, clock } = gated;
    github.installation.state = 'suspended';
    await github.deliver('pull_request', githubEvents.pullRequest());
    const refused = (): number => github.requests.filter(({ url }) => url.endsWith('/access_tokens')).length;
    await gated.passUntil(() => refused() >= 5);
    github.installation.state = 'active';
    const begun = clock.now();
    await github.deliver('installation', { action: 'unsuspend', installation: { id: 1 } });
    await concluded(undefined);
    expect(clock.now() - begun).toBeLessThan(60_000);
  });
});

describe('a deployment', () => {
  let deployment: FakeDeployment;

  /** The environment `prod` requires the scan of every artifact. */
  const protect = async (): Promise<void> => {
    const { service } = gated;
    const policy = '_schema: https://example.com/v1\nartifacts:\n  attestations:\n    - {name: sonar, type: sonar}\n';
    const form = attestationForm('');
    form.delete('data_json');
    form.set('payload', JSON.stringify({ name: 'scanned' }));
    form.set('policy_file.0', new Blob([policy]), 'policy.yml');
    await call(service, { method: 'PUT', path: '/policies/acme', form });
    const json = { name: 'prod', type: 'K8S', description: '' };
    await call(service, { method: 'PUT', path: '/environments/acme', json });
    const path = '/environments/acme/prod/policies';
    expect(await call(service, { method: 'POST', path, json: { policy_names: ['scanned'] } })).toMatchObject({
      status: 201,
    });
  };
  const request = async (environment = 'production'): Promise<void> => {
    deployment = gated.github.requestDeployment(77, environment);
    await gated.github.deliver('deployment_protection_rule', githubEvents.deployment(77, environment));
  };
  const decided = (): Promise<void> => gated.passUntil(() => deployment.state !== 'waiting');
  const reported = (count: number): Promise<void> => gated.passUntil(() => deployment.comments.length >= count);

  beforeEach(protect);

  it('is approved at once if all artifacts of the commit comply', async () => {
    await build();
    await scan('OK');
    await request();
    await decided();
    expect(deployment).toEqual({
      state: 'approved',
      comments: ['Approved: all artifacts of this commit comply with the environment `prod`.'],
    });
  });

  it('is rejected at once if one does not comply', async () => {
    await build();
    await scan('ERROR');
    await request();
    await decided();
    expect(deployment.state).toBe('rejected');
    expect(deployment.comments).toEqual([
      expect.stringMatching(/^Rejected: this does not comply with the environment `prod`\.\n\n- `[^`]*sonar/u),
    ]);
  });

  it.each<[string, GitHubReply]>([
    ['is down', troubles.down],
    ['does not answer properly', 'cut'],
    ['answers with a page', { status: 200, body: '<html>' }],
  ])('is answered again if GitHub %s', async (_why, reply) => {
    const { github } = gated;
    const isAnswer = ({ url }: { readonly url: string }): boolean => url.endsWith('/deployment_protection_rule');
    github.fault = (asked) => (isAnswer(asked) ? reply : undefined);
    await build();
    await scan('OK');
    await request();
    await github.until(() => github.requests.some(isAnswer));
    github.fault = undefined;
    await decided();
  });

  it('waits for what is missing, says so once for each change, and is decided as soon as it is there', async () => {
    await request();
    await reported(1);
    expect(deployment.comments).toEqual([
      'Waits for `prod`, until 2026-01-02T03:34:05.000Z at most.\n\n- `flow web: no artifact of this commit`',
    ]);
    await build();
    await reported(2);
    await scan('OK');
    await decided();
    expect([deployment.state, deployment.comments.length]).toEqual(['approved', 3]);
  });

  it('is rejected after the wait of the gate, although the service was restarted', async () => {
    const { clock } = gated;
    const begun = clock.now();
    await request();
    await reported(1);
    await gated.pause();
    await gated.resume();
    gated.sleep(1_700_000);
    await decided();
    expect(clock.now() - begun).toBeGreaterThanOrEqual(1_800_000);
    expect(deployment.comments.at(-1)).toBe(
      'Rejected: this was still missing for `prod` after the wait.\n\n- `flow web: no artifact of this commit`',
    );
  });

  it('is rejected if the gate does not know the environment, or is deleted meanwhile', async () => {
    await request('staging`');
    await decided();
    expect(deployment.comments.join()).toMatch(/^Rejected: the environment `staging'` is not in the gate\. Add it/u);
    await request('constructor');
    await decided();
    expect(deployment.comments.join()).toContain('`constructor` is not in the gate');
    await request();
    await reported(1);
    const path = '/organizations/acme/github-gates/shop';
    await call(gated.service, { method: 'DELETE', path });
    await decided();
    expect(deployment.comments.at(-1)).toMatch(/^Rejected: no gate has this repository\./u);
  });

  it('waits if an error prevents that it is judged, and is rejected after the wait', async () => {
    const { storage, errors } = gated.service;
    await build();
    await storage.query("UPDATE policy_versions SET rules = '?'");
    await request();
    await gated.passUntil(() => errors.length > 0);
    expect([errors[0], deployment.state]).toEqual([expect.stringContaining('this is tried again'), 'waiting']);
    gated.sleep(1_800_000);
    await decided();
    expect(deployment.comments).toEqual([expect.stringMatching(/^Rejected: the service could not judge this/u)]);
    (errors as string[]).length = 0;
  });

  it('is forgotten if GitHub no longer waits for it', async () => {
    const { github } = gated;
    await github.deliver('deployment_protection_rule', githubEvents.deployment(76));
    const answers = (): readonly string[] =>
      github.requests.map(({ url }) => url).filter((url) => url.includes('/runs/76/'));
    await gated.passUntil(() => answers().length > 0);
    gated.sleep(3_600_000);
    await request();
    await reported(1);
    expect(answers()).toHaveLength(1);
  });

  it('has few status reports, however often something changes', async () => {
    await request();
    await reported(1);
    for (let index = 0; index < 12; index += 1) {
      await report(gated.service, { filename: `web-${index}`, fingerprint: index.toString(16).padStart(64, '0') });
      await gated.settle();
    }
    await build();
    await scan('ERROR');
    await decided();
    expect(deployment.comments).toHaveLength(9);
  });
});
