import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getTrailPackage } from '../../../src/contract/audit-package.ts';
import { listAt, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { attachmentPath } from '../../../src/service/platform/attachments/files/attachment-layout.ts';
import {
  contentOf,
  fetchPackage,
  jsonOf,
  readPackage,
  recordsOf,
  unzip,
  type ZipContent,
} from '../../support/audit-package.ts';
import { pod, provenancePolicy, reportPods, saveEnvironment, savePolicy } from '../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleAttestation,
  saveCustomType,
  saveFlow,
} from '../../support/service-samples.ts';

const trailPackage = '/trails/acme/web/main/audit-package';
const start = Date.UTC(2027, 0, 1) / 1000;

describe('audit packages', () => {
  let dataFolder: string;
  let service: TestService;
  /** The clock of the service, in Unix seconds. */
  let clock: number;
  beforeEach(async () => {
    clock = start;
    dataFolder = await mkdtemp(join(tmpdir(), 'compliance-package-'));
    service = await startTestService({ dataFolder, sources: { now: () => clock * 1000 } });
    await saveFlow(service);
  });
  afterEach(async () => {
    await service.stop();
    await rm(dataFolder, { recursive: true });
  });

  const attach = (content: string | Uint8Array<ArrayBuffer>, name?: string, trail = 'main'): Promise<Called> =>
    call(service, {
      method: 'POST',
      path: `/attestations/acme/web/trail/${trail}/sonar`,
      form: attestationForm(sampleAttestation('OK'), { content, ...(name === undefined ? {} : { name }) }),
    });
  const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
  const problemsOf = (files: ZipContent): unknown => valueAt(jsonOf(files, 'about.json'), 'problems');
  const trailsOf = (files: ZipContent): readonly unknown[] =>
    recordsOf(files, 'trail').map((record) => valueAt(record, 'name'));

  it('of a trail have its records, what was attached, and the verdict of the API', async () => {
    await attach('the report');
    await report(service);
    const files = await readPackage(service, trailPackage);
    expect(contentOf(files, `attachments/${digestOf('the report')}`).toString()).toBe('the report');
    const kinds = ['flow', 'trail', 'artifact', 'attestation'];
    expect(valueAt(jsonOf(files, 'about.json'), 'records')).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 1])));
    expect(problemsOf(files)).toEqual([]);
    const [verdict = ''] = [...files.keys()].filter((name) => name.startsWith('verdicts/trail/'));
    expect(jsonOf(files, verdict)).toEqual((await call(service, { path: '/trails/acme/web/main' })).body);
    const index = contentOf(files, 'index.html').toString();
    expect(index).toContain('All evidence is compliant: sonar.');
    const key = await call(service, { at: `${service.url}/log/acme`, path: '/verifier-key' });
    expect(contentOf(files, 'verifier-key').toString()).toBe(key.text);
    const checkpoint = await call(service, { at: `${service.url}/log/acme`, path: '/checkpoint' });
    expect(contentOf(files, 'checkpoint').toString()).toBe(checkpoint.text);
    expect((await fetchPackage(service, trailPackage)).headers.get('content-disposition')).toBe(
      'attachment; filename="audit-web-main.zip"',
    );
  });

  it('name no file after what was reported, and escape it', async () => {
    const hostile = ['../../etc/passwd', '<script>alert(1)</script>', 'C:\\CON', '構成.txt', '\u202ecod.exe'];
    for (const [index, name] of hostile.entries()) {
      await attach(`file ${index}`, name);
      await report(service, { filename: name, fingerprint: fingerprintOf(`a${index}`) });
    }
    const files = await readPackage(service, trailPackage);
    expect(
      recordsOf(files, 'artifact').map((record) => textAt(JSON.parse(textAt(record, 'report') ?? ''), 'filename')),
    ).toEqual(hostile);
    const index = contentOf(files, 'index.html').toString();
    expect(index).not.toContain('<script');
    const artifact = await readPackage(service, `/artifacts/acme/web/fingerprint/${fingerprintOf('a1')}/audit-package`);
    expect(contentOf(artifact, 'index.html').toString()).toContain('artifact &lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('of an artifact have its evidence from all trails, and the verdicts of where it runs', async () => {
    await saveCustomType(service, { name: 'coverage', rules: ['.ok'] });
    await savePolicy(service, 'strict', provenancePolicy);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await report(service, { trail_name: 'other' });
    await report(service);
    const about = { artifact_fingerprint: fingerprintOf('abcdef') };
    expect((await attest(service, sampleAttestation('OK', about), 'other')).status).toBe(201);
    const form = attestationForm({
      attestation_name: 'cov',
      type_name: 'coverage',
      attestation_data: { ok: true },
      ...about,
    });
    expect(
      (await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/custom', form })).status,
    ).toBe(201);
    await reportPods(service, 'prod', pod('web', { web: 'abcdef' }));
    const path = `/artifacts/acme/web/fingerprint/${fingerprintOf('abcdef')}`;
    const files = await readPackage(service, `${path}/audit-package`);
    expect(problemsOf(files)).toEqual([]);
    expect(recordsOf(files, 'attestation').map((record) => valueAt(record, 'trail'))).toEqual(['other', 'main']);
    expect(jsonOf(files, 'verdicts/artifact.json')).toEqual((await call(service, { path })).body);
    const assertion = await call(service, {
      path: `/asserts/acme/fingerprint/${fingerprintOf('abcdef')}?environment_name=prod`,
    });
    expect(jsonOf(files, 'verdicts/in-environment-1.json')).toEqual(assertion.body);
    for (const kind of ['policy', 'policy-version', 'policy-attachment', 'custom-type', 'custom-type-version'])
      expect(recordsOf(files, kind)).toHaveLength(1);
  });

  it('list for each environment that runs an artifact what its page says of it', async () => {
    const policy = `${provenancePolicy}  attestations: [{name: unit, type: junit}]\n`;
    await savePolicy(service, 'strict', policy);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    await saveEnvironment(service, 'open');
    await report(service);
    for (const environment of ['prod', 'open']) await reportPods(service, environment, pod('web', { web: 'abcdef' }));
    const path = `/artifacts/acme/web/fingerprint/${fingerprintOf('abcdef')}/audit-package`;
    const index = contentOf(await readPackage(service, path), 'index.html').toString();
    const rows = [...index.matchAll(/artifact web\.tar in (.*?)<\/tr>/gsu)].map(([, row = '']) =>
      row.replaceAll(/<[^>]*>/gu, ' ').replaceAll(/\s+/gu, ' '),
    );
    expect(rows.toSorted()).toEqual([
      expect.stringMatching(/^open – Not judged The environment open has no policies, /u),
      expect.stringMatching(/^prod ✕ Not compliant unit: not recorded.*\(policy strict/u),
    ]);
  });

  it('of a flow have all of each trail with records of the time span', async () => {
    for (const trail of ['first', 'second', 'third']) {
      await attest(service, sampleAttestation('OK'), trail);
      clock += 100;
    }
    await attest(service, sampleAttestation('ERROR'), 'first');
    // A flow with a trail of the same name, and with another one.
    await saveFlow(service, { name: 'api' });
    for (const trail of ['second', 'other']) {
      const form = attestationForm(sampleAttestation('OK'));
      await call(service, { method: 'POST', path: `/attestations/acme/api/trail/${trail}/sonar`, form });
    }
    const read = (query: string): Promise<ZipContent> => readPackage(service, `/flows/acme/web/audit-package${query}`);
    expect(trailsOf(await read(''))).toEqual(['first', 'second', 'third']);
    expect(recordsOf(await read(''), 'attestation').map((record) => valueAt(record, 'sequence'))).toEqual([1, 4, 2, 3]);
    expect(trailsOf(await read(`?to=${start}`))).toEqual(['first']);
    expect(trailsOf(await read(`?from=${start + 200}`))).toEqual(['first', 'third']);
    const one = await read(`?from=${start + 50}&to=${start + 100}`);
    expect(trailsOf(one)).toEqual(['second']);
    expect(contentOf(one, 'index.html').toString()).toContain('2027-01-01T00:00:50.000Z to 2027-01-01T00:01:40.000Z');
    const reversed = await call(service, { path: '/flows/acme/web/audit-package?from=2&to=1' });
    expect(reversed).toMatchObject({ status: 400, body: { errors: { 'query.to': 'must not be before from' } } });
  });

  it('of an environment have the snapshots that were current in the time span, and what judged them', async () => {
    await savePolicy(service, 'strict', provenancePolicy);
    await saveEnvironment(service, 'prod', { policies: ['strict'] });
    for (const digits of ['aa', 'bb', 'cc']) {
      await reportPods(service, 'prod', pod('web', { web: digits }));
      clock += 100;
    }
    const read = async (query: string): Promise<readonly unknown[]> => {
      const files = await readPackage(service, `/environments/acme/prod/audit-package${query}`);
      expect(recordsOf(files, 'policy-version')).toHaveLength(1);
      expect(jsonOf(files, 'verdicts/environment.json')).toEqual(
        (await call(service, { path: '/snapshots/acme/prod/-1' })).body,
      );
      return recordsOf(files, 'environment-report').map((record) => valueAt(record, 'number'));
    };
    expect(await read('')).toEqual([1, 2, 3]);
    expect(await read(`?from=${start + 150}`)).toEqual([2, 3]);
    expect(await read(`?from=${start + 50}&to=${start + 100}`)).toEqual([1, 2]);
    expect(await read(`?to=${start - 1}`)).toEqual([]);
  });

  it('have documents as they were recorded before a rename', async () => {
    await saveEnvironment(service, 'prod');
    await attach('the report');
    await report(service);
    await reportPods(service, 'prod', pod('web', { web: 'abcdef' }));
    const rename = (path: string, name: string): Promise<Called> =>
      call(service, { method: 'PUT', path, json: { new_name: name } });
    expect((await rename('/flows/acme/web/rename', 'shop')).status).toBe(200);
    expect((await rename('/environments/acme/prod/rename', 'live')).status).toBe(200);
    const files = await readPackage(service, '/trails/acme/shop/main/audit-package');
    expect(problemsOf(files)).toEqual([]);
    expect(recordsOf(files, 'attestation')).toMatchObject([{ flow: 'web' }]);
    const environment = await readPackage(service, '/environments/acme/live/audit-package');
    expect(problemsOf(environment)).toEqual([]);
    expect(recordsOf(environment, 'environment-report')).toMatchObject([{ environment: 'prod' }]);
  });

  it('say which records were altered or not entered, and which files are missing', async () => {
    await attach('the report');
    await rm(attachmentPath(join(dataFolder, 'attachments'), digestOf('the report')));
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    database.exec("UPDATE attestations SET verdict = 'non-compliant' WHERE trail = 'main'");
    const files = await unzip(await (await fetchPackage(service, trailPackage)).bytes());
    expect(problemsOf(files)).toEqual([
      expect.stringMatching(
        /^records\/attestation\/\d+\.json: attestation web · main · sonar · .* is not what was recorded$/u,
      ),
      expect.stringMatching(/^attachments\/[0-9a-f]{64} is left out: .* is missing$/u),
    ]);
    expect(contentOf(files, 'index.html').toString()).toContain('is not what was recorded');
    database.close();
  });

  it('have the removal of a file in its place', async () => {
    await attach('the report');
    const { body } = await call(service, { path: '/attestations/acme/web?per_page=1' });
    const path = `/attestations/acme/${textAt(listAt(body, 'data')[0], 'attestation_id') ?? ''}/attachment`;
    await call(service, { method: 'DELETE', path, json: { reason: 'A secret' } });
    const files = await unzip(await (await fetchPackage(service, trailPackage)).bytes());
    const digest = digestOf('the report');
    expect(recordsOf(files, 'attachment-removal')).toMatchObject([{ attachment_digest: digest, reason: 'A secret' }]);
    expect(problemsOf(files)).toEqual([
      expect.stringMatching(
        /^attachments\/[0-9a-f]{64} is left out: an admin removed it; records\/attachment-removal\/\d+\.json says why$/u,
      ),
    ]);
    expect([...files.keys()]).not.toContain(`attachments/${digest}`);
  });

  it('say that a file was removed while they were made', async () => {
    await attach(randomBytes(10_000_000));
    await attach('the report');
    const { body } = await call(service, { path: '/attestations/acme/web?per_page=1' });
    const response = await fetchPackage(service, trailPackage);
    const path = `/attestations/acme/${textAt(listAt(body, 'data')[0], 'attestation_id') ?? ''}/attachment`;
    expect((await call(service, { method: 'DELETE', path, json: { reason: 'A secret' } })).status).toBe(200);
    expect(problemsOf(await unzip(await response.bytes()))).toEqual([
      `attachments/${digestOf('the report')} is left out: an admin removed it after the checkpoint`,
    ]);
  });

  it('end early if something is renamed while they are made, which is no error of the service', async () => {
    await attach(randomBytes(10_000_000));
    await attach('the report');
    const response = await fetchPackage(service, trailPackage);
    const json = { new_name: 'shop' };
    expect((await call(service, { method: 'PUT', path: '/flows/acme/web/rename', json })).status).toBe(200);
    await expect(response.bytes()).rejects.toThrow('terminated');
    expect(service.errors).toEqual([]);
  });

  it('list records that an upgrade has not entered yet', async () => {
    await attach('the report');
    const database = new DatabaseSync(join(dataFolder, 'compliance.sqlite'));
    database.exec("DELETE FROM log_entries WHERE kind = 'attestation'");
    const read = async (): Promise<readonly [problems: unknown, index: string]> => {
      const files = await readPackage(service, trailPackage);
      expect([...files.keys()]).toContainEqual(
        expect.stringMatching(/^records\/attestation\/not-entered-[0-9a-f]+\.json$/u),
      );
      return [problemsOf(files), contentOf(files, 'index.html').toString()];
    };
    expect(await read()).toEqual([[expect.stringContaining('was not written by the service')], expect.anything()]);
    database.exec("INSERT INTO log_unfinished (org, kind) VALUES ('acme', 'attestation')");
    database.close();
    expect(await read()).toEqual([[], expect.stringContaining('older than the log, and not entered yet')]);
  });

  it('are sent twice at the same time at most, until the clients leave', async () => {
    await attach(randomBytes(10_000_000));
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const open = async (): Promise<IncomingMessage> => {
      const [response] = (await once(get(service.baseUrl + trailPackage, { headers }), 'response')) as [
        IncomingMessage,
      ];
      expect(response.statusCode).toBe(200);
      return response;
    };
    const opened = [await open(), await open()];
    const refused = await call(service, { path: trailPackage });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body).toEqual({ message: getTrailPackage.errors.find(({ status }) => status === 429)?.message });
    for (const response of opened) response.destroy();
    let status: number;
    do ({ status } = await fetch(service.baseUrl + trailPackage, { method: 'HEAD', headers }));
    while (status === 429);
    expect(status).toBe(200);
  });

  it('are linked from the pages of what they are about', async () => {
    await report(service);
    await saveEnvironment(service, 'prod');
    const pages = `${service.url}/acme`;
    const artifact = `${pages}/flows/web/artifacts/${fingerprintOf('abcdef')}`;
    const places = [`${pages}/flows/web/trails/main`, artifact, `${pages}/flows/web`, `${pages}/environments/prod`];
    for (const [index, page] of places.entries()) {
      const path = `${new URL(page).pathname}/audit-package`;
      const { text } = await call(service, { at: page, path: '' });
      expect(text).toContain(index < 2 ? `href="${path}"` : `action="${path}"`);
      const files = await readPackage(service, `${page}/audit-package${index < 2 ? '' : '?from=2027-01-01&to='}`);
      expect(files.has('index.html')).toBe(true);
    }
    expect(trailsOf(await readPackage(service, `${pages}/flows/web/audit-package?from=&to=2027-01-01`))).toEqual([
      'main',
    ]);
    expect(trailsOf(await readPackage(service, `${pages}/flows/web/audit-package?from=2027-01-02&to=`))).toEqual([]);
    const wrong = await call(service, { at: `${pages}/flows/web`, path: '/audit-package?from=2027-02-30' });
    expect([wrong.status, valueAt(wrong.body, 'errors')]).toEqual([
      400,
      { 'query.from': 'must be a day of the calendar' },
    ]);
  });

  it('answer HEAD without a body, and unknown names as the API does', async () => {
    await attach('the report');
    const headers = { authorization: `Bearer ${service.apiKey}` };
    for (let turn = 0; turn < 4; turn += 1) {
      const { status } = await fetch(service.baseUrl + trailPackage, { method: 'HEAD', headers });
      expect(status).toBe(200);
    }
    for (const path of [
      ...['/trails/acme/none/main', '/trails/acme/web/none', '/flows/acme/none', '/environments/acme/none'],
      `/artifacts/acme/web/fingerprint/${fingerprintOf('1')}`,
    ]) {
      const missing = await call(service, { path: `${path}/audit-package` });
      expect([path, missing.status]).toEqual([path, 404]);
    }
    expect(textAt((await call(service, { path: '/trails/acme/web/none/audit-package' })).body, 'message')).toBe(
      "Trail with name 'none' does not exist for Organization 'acme' and Flow 'web'",
    );
  });
});
