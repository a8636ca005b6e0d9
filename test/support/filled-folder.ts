import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@jest/globals';
import { listAt, textAt } from '../../src/runtime/untrusted-data.ts';
import { databaseFile } from '../../src/service/platform/attachments/files/data-folder.ts';
import { listTables } from '../../src/service/platform/database/copy/tables.ts';
import { createSigningKey, signToken, startIdentityProvider } from '../../tools/identity-provider.ts';
import { administer, createKey, createNotification, createServiceAccountKey, keyIdOf } from './administration.ts';
import { changePolicies, pod, reportPods, savePolicy } from './environment-samples.ts';
import { receivingApp } from './fake-github-app.ts';
import { saveGate } from './gated-service.ts';
import { githubEvents } from './github-gate.ts';
import { sendWebhook } from './github-webhooks.ts';
import { prepareEverything } from './prepare-organization.ts';
import { startTestService, type TestService, type TestServiceSettings } from './service.ts';
import { accepted, call, type Called, mappingOf } from './service-call.ts';
import { attestationForm, fingerprintOf, sampleArtifact, sampleAttestation, saveFlow } from './service-samples.ts';

/** The time in milliseconds at which everything is recorded and looked at. */
const now = Date.now();

/**
 * Settings of a service on a data folder, or on a database, whose clock stands still, so that its answers can be
 * compared.
 */
export function stillSettings(dataFolder: string, options: TestServiceSettings['options'] = {}): TestServiceSettings {
  return { dataFolder, options: { database: undefined, ...options }, sources: { now: () => now } };
}

/** The idempotency key of a request of `attestOnce`. */
const onceKey = '"once"';

/** Attests with an idempotency key, so that a second request gets the same answer. */
export function attestOnce(service: TestService): Promise<Called> {
  const form = attestationForm(sampleAttestation('OK', { attestation_name: 'once' }), { content: 'once' });
  const path = `/attestations/${service.org}/web/trail/main/sonar`;
  return call(service, { method: 'POST', path, form, headers: { 'idempotency-key': onceKey } });
}

/** Updates a flow with an idempotency key. */
export function saveFlowOnce(service: TestService): Promise<Called> {
  const json = { name: 'once', description: 'Ünïcode 🎉', template: ['artifact'] };
  return call(service, {
    method: 'PUT',
    path: `/flows/${service.org}`,
    json,
    headers: { 'idempotency-key': onceKey },
  });
}

/** A data folder with rows in every table. No service runs on it. */
export interface FilledFolder {
  readonly dataFolder: string;
  /** The key of the role admin for each organization. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Creates a data folder with rows in every table, by means of the service. */
export async function createFilledFolder(): Promise<FilledFolder> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'compliance-filled-'));
  const service = await startTestService(
    stillSettings(dataFolder, { allowPrivateIssuers: true, github: receivingApp }),
  );
  let keys: FilledFolder['keys'];
  try {
    await fillOrganization(service);
    const other = await service.createOrganization('other');
    await prepareEverything(service, 'other', other);
    await connectGithub(service);
    expect(service.errors).toEqual([]);
    keys = { [service.org]: service.apiKey, other };
  } finally {
    await service.stop();
  }
  finish(join(dataFolder, databaseFile));
  return { dataFolder, keys };
}

/** Records something of each kind that an organization can have, except what GitHub asks for. */
export async function fillOrganization(service: TestService): Promise<void> {
  await prepareEverything(service, service.org, service.apiKey);
  await recordEvidence(service, 'web');
  await changeFlows(service);
  await changeEnvironments(service);
  await createKey(service, { owner: 'ann', role: 'reader' });
  await rotateKey(service, await createServiceAccountKey(service));
  await signIn(service);
  await recordLimitedEvidence(service);
  await removeAttachment(service);
  await accepted(call(service, { at: service.url, path: `/log/${service.org}/checkpoint` }));
}

/** Records evidence with a file, and removes the file. */
async function removeAttachment(service: TestService): Promise<void> {
  const form = attestationForm({ attestation_name: 'removed' }, { content: 'a secret' });
  await accepted(call(service, { method: 'POST', path: `/attestations/${service.org}/web/trail/main/generic`, form }));
  const { body } = await call(service, { path: `/attestations/${service.org}/web?per_page=1` });
  const path = `/attestations/${service.org}/${textAt(listAt(body, 'data')[0], 'attestation_id') ?? ''}/attachment`;
  await accepted(call(service, { method: 'DELETE', path, json: { reason: 'It has a secret' } }));
}

async function rotateKey(service: TestService, key: string): Promise<void> {
  const path = `/service-accounts/${service.org}/ci/api-keys/${keyIdOf(key)}/rotate`;
  await accepted(administer(service, { path, json: {} }));
}

/** Starts a session of a browser. */
async function signIn({ url, apiKey }: TestService): Promise<void> {
  const { status } = await fetch(`${url}/-/sign-in`, {
    ...{ method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } },
    body: new URLSearchParams({ key: apiKey }),
  });
  expect(status).toBe(303);
}

/** Connects a repository at GitHub, which asks for the check of a commit. */
async function connectGithub(service: TestService): Promise<void> {
  await accepted(saveGate(service));
  const { status } = await sendWebhook(service, 'pull_request', JSON.stringify(githubEvents.pullRequest()));
  expect(status).toBe(202);
}

/** Records an artifact and evidence that count for one environment, with the key of a workflow run. */
async function recordLimitedEvidence(service: TestService): Promise<void> {
  const key = await createSigningKey('one');
  const provider = await startIdentityProvider(key);
  try {
    const rule = {
      ...{ issuer: provider.issuer, repository: 'acme/web', repository_id: '123', role: 'member' },
      ...{ refs: ['refs/heads/main'], events: ['push'], counts_for_environments: ['stage'] },
    };
    const path = `/organizations/${service.org}/login-rules/limited`;
    await accepted(administer(service, { method: 'PUT', path, json: rule }));
    const token = await signToken(key, { iss: provider.issuer, aud: service.url }, { now });
    const login = await call(service, { method: 'POST', path: `/login/${service.org}`, key: token });
    const own = { method: 'POST', key: String(mappingOf(login)['key']) };
    const json = sampleArtifact({ fingerprint: fingerprintOf('4'), trail_name: 't4' });
    await accepted(call(service, { ...own, path: `/artifacts/${service.org}/web`, json }));
    const form = attestationForm(sampleAttestation('OK'));
    await accepted(call(service, { ...own, path: `/attestations/${service.org}/web/trail/t4/sonar`, form }));
  } finally {
    await provider.stop();
  }
}

/** Records evidence with files, artifacts and trails, in a flow that exists. */
export async function recordEvidence(service: TestService, flow: string): Promise<void> {
  const contents = ['', 'small', 'x'.repeat(700_000)];
  for (const [index, content] of contents.entries()) {
    const form = attestationForm(sampleAttestation('ERROR'), { content, name: `report ${index}.xml` });
    const path = `/attestations/${service.org}/${flow}/trail/t${index}/sonar`;
    await accepted(call(service, { method: 'POST', path, form }));
  }
  const commit = { sha1: '1'.repeat(40), message: 'Grüße\n"…"', author: 'Ann', branch: 'main', timestamp: 1 };
  const repository = { name: 'acme/web', url: 'https://git.example.com/acme/web' };
  for (const digits of ['1', '2', '3']) {
    const json = sampleArtifact({
      fingerprint: fingerprintOf(digits),
      trail_name: `t${digits}`,
      git_commit_info: commit,
      repo_info: repository,
    });
    await accepted(call(service, { method: 'POST', path: `/artifacts/${service.org}/${flow}`, json }));
  }
  for (const change of [{}, { git_commit_info: commit }]) {
    const form = new FormData();
    form.set('data_json', JSON.stringify({ name: 'begun', ...change }));
    await accepted(call(service, { method: 'PUT', path: `/trails/${service.org}/${flow}`, form }));
  }
}

/** Sends requests that can be repeated, and renames a flow. */
async function changeFlows(service: TestService): Promise<void> {
  await accepted(attestOnce(service));
  await accepted(saveFlowOnce(service));
  await accepted(saveFlow(service, { name: 'before' }));
  const path = `/flows/${service.org}/before/rename`;
  await accepted(call(service, { method: 'PUT', path, json: { new_name: 'after' } }));
}

/** Reports known and unknown artifacts to an environment, with a policy. */
export async function recordSnapshots(service: TestService, environment: string): Promise<void> {
  await accepted(changePolicies(service, 'POST', environment, ['strict']));
  await accepted(reportPods(service, environment, pod('known', { web: 'abcdef' })));
  await accepted(reportPods(service, environment, pod('unknown', { web: 'dddd' })));
}

async function changeEnvironments(service: TestService): Promise<void> {
  const all = { name: 'all', type: 'logical', included_environments: ['prod', 'stage'] };
  await accepted(call(service, { method: 'PUT', path: `/environments/${service.org}`, json: all }));
  // The service refuses this address when it delivers, so that the delivery waits.
  const targets = [{ type: 'WEBHOOK', webhook: 'https://127.0.0.1/hook', payload_version: '1.0' }];
  await accepted(createNotification(service, { environments: ['stage'], targets }));
  await accepted(createNotification(service));
  const notifications = `/organizations/${service.org}/environments_notifications`;
  await accepted(administer(service, { method: 'DELETE', path: `${notifications}/3` }));
  await accepted(savePolicy(service, 'strict'));
  await recordSnapshots(service, 'stage');
  const hasFailed = async (): Promise<boolean> =>
    (await administer(service, { method: 'GET', path: `${notifications}/2/deliveries` })).text.includes('not on the');
  const isDistributed = async (): Promise<boolean> =>
    (await service.storage.query('SELECT org FROM broadcasts', [])).length === 0;
  while (!(await hasFailed()) || !(await isDistributed())) await new Promise((resolve) => setImmediate(resolve));
}

/** Adds what a service does away with soon, and checks that nothing is left out. */
function finish(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`INSERT OR IGNORE INTO pending_snapshots (org, environment, since, forced)
    SELECT org, name, last_modified_at, 0 FROM environments WHERE name = 'prod';
    INSERT INTO broadcasts (org, sequence, messages, targets)
    SELECT org, 1, '[{"timestamp":1}]', '[[999,0]]' FROM organizations;
    INSERT INTO log_hashes (org, level, number, hash) SELECT org, 9, 0, x'00' FROM organizations;
    INSERT INTO log_unfinished (org, kind) SELECT org, 'of a later version' FROM organizations`);
  // Nothing is delivered when a service is started, so that its answers stay the same.
  const due = database.prepare('SELECT * FROM notification_targets WHERE due_at <= ?').all(now / 1000);
  const empty = listTables(database).filter(
    ({ name }) => database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined,
  );
  database.close();
  expect(due).toEqual([]);
  expect(empty.map(({ name }) => name)).toEqual([]);
}
