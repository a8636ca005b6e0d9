import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { parseApiKey } from '../../src/service/account/api-key.ts';
import {
  createServiceAccount,
  createServiceAccountKey,
  createUnlimitedKey,
  removeMember,
  saveMember,
} from '../support/administration.ts';
import { pod, reportPods, saveEnvironment } from '../support/environment-samples.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, type Called, mappingOf } from '../support/service-call.ts';
import { attest, attestationForm, report, sampleAttestation, saveFlow } from '../support/service-samples.ts';

const hostile = '<script>alert("x")</script>';

/** The address without the origin, as pages link to each other. */
const pathOf = (page: string): string => page.replace(/^https?:\/\/[^/]+/, '');

describe('the pages of the service', () => {
  let service: TestService;
  let artifactPage: string;
  let attestationPage: string;
  let trailPage: string;
  beforeAll(async () => {
    service = await startTestService();
    await saveFlow(service);
    await report(service, { filename: `${hostile}.tar`, commit_url: 'javascript:alert(1)', build_url: hostile });
    const condition = { metric: hostile, status: 'ERROR', operator: '<', errorThreshold: '80', value: '7' };
    const document = sampleAttestation('ERROR', {
      sonar_results: {
        project: { key: hostile, url: 'javascript:alert(1)' },
        qualityGate: { name: hostile, status: 'ERROR', conditions: [condition] },
      },
    });
    const form = attestationForm(document, { name: 'a & b.xml', content: 'a file' });
    await call(service, { method: 'POST', path: '/attestations/acme/web/trail/main/sonar', form });
    const artifact = mappingOf(await call(service, { path: '/artifacts/acme/web/fingerprint/abcdef' }));
    artifactPage = String(artifact['html_url']);
    attestationPage = String(valueAt(artifact, 'evidence', 'sonar', 'html_url'));
    trailPage = `${service.url}/acme/flows/web/trails/main`;
  });
  afterAll(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  /** As a browser asks, with the key as the user name. */
  const browse = (page: string, key = service.apiKey): Promise<Called> => {
    const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    return call(service, { at: page, path: '', key: null, headers: { authorization } });
  };

  it('show their record, the verdict first', async () => {
    const artifact = await browse(artifactPage);
    expect(artifact.status).toBe(200);
    expect(artifact.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(artifact.text).toMatch(/<p class="result bad">.*Not compliant/);
    expect(artifact.text).toContain(`href="${pathOf(attestationPage)}"`);
    expect(artifact.text).toContain(`href="${pathOf(trailPage)}"`);
    const attestation = await browse(attestationPage);
    expect(attestation.text).toMatch(/<p class="result bad">.*Not compliant/);
    expect(attestation.text).toContain('a &amp; b.xml');
    expect(attestation.text).toContain(`href="${pathOf(attestationPage)}/attachment"`);
    const trail = await browse(trailPage);
    expect(trail.text).toContain(`href="${pathOf(attestationPage)}"`);
    expect(trail.text).toContain(`href="${pathOf(artifactPage)}"`);
  });

  it('never let reported data become markup, and could not run it', async () => {
    for (const page of [artifactPage, attestationPage, trailPage]) {
      const { text, headers } = await browse(page);
      // The only script is the one that the policy names.
      const [script, ...others] = [...text.matchAll(/<script>([^]*?)<\/script>/gu)].map(([, source = '']) => source);
      expect([text.split('<script').length, others]).toEqual([2, []]);
      const digest = createHash('sha256').update(String(script)).digest('base64');
      expect(text).not.toContain('href="javascript:');
      expect(headers.get('content-security-policy')).toContain(
        `default-src 'none'; script-src 'sha256-${digest}'; style-src 'self'; `,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('say whether the revision of an attestation is verified, and what Sonar ignored', async () => {
    const pageOf = async (name: string, results: object, data: object): Promise<string> => {
      const sonar = { project: { key: 'web' }, qualityGate: { status: 'OK', conditions: [] }, ...results };
      const document = { ...sampleAttestation('OK'), attestation_name: name, sonar_results: sonar, user_data: data };
      expect(await attest(service, document)).toMatchObject({ status: 201 });
      const artifact = mappingOf(await call(service, { path: '/artifacts/acme/web/fingerprint/abcdef' }));
      return (await browse(String(valueAt(artifact, 'evidence', name, 'html_url')))).text;
    };
    const data = { revision_verified: false, revision_unverified_reason: hostile };
    const unverified = await pageOf('unverified', {}, data);
    expect(unverified).toContain('<strong>revision not verified</strong>: &lt;script&gt;');
    const qualityGate = { status: 'OK', ignoredConditions: true, conditions: [] };
    const confirmed = { revision_verified: true, revision_confirmed_by: '<b>a list' };
    const verified = await pageOf('verified', { revision: 'c'.repeat(40), qualityGate }, confirmed);
    expect(verified).toContain('c'.repeat(40));
    expect(verified).not.toContain('not verified');
    expect(verified).toContain('confirmed by &lt;b&gt;a list');
    expect(verified).toContain('fewer than 20 lines are new');
    expect(verified).toContain('The quality gate has no conditions, so nothing was checked.');
    const condition = { metric: 'new_security_rating', operator: 'GREATER_THAN', errorThreshold: '1', value: '3' };
    const failed = { status: 'ERROR', conditions: [{ ...condition, status: 'ERROR' }] };
    const old = await pageOf('old', { revision: 'c'.repeat(40), qualityGate: failed }, { revision_verified: true });
    expect(old).not.toContain('Revision check');
    expect(old).toMatch(/<span class="number">C<\/span>[^]*A is required/u);
  });

  it('offer the file as a download', async () => {
    const { text, headers } = await browse(`${attestationPage}/attachment`);
    expect(text).toBe('a file');
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%20%26%20b.xml");
  });

  it('ask a browser for the key, and accept a bearer key, too', async () => {
    for (const page of [artifactPage, attestationPage, trailPage, `${attestationPage}/attachment`]) {
      const { status, headers } = await call(service, { at: page, path: '', key: null });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toContain('Basic realm=');
      expect((await call(service, { at: page, path: '' })).status).toBe(200);
    }
  });

  it('are open to readers, and closed to other organizations', async () => {
    const [reader, foreign] = [await service.createKey('reader'), await service.createOrganization('pages')];
    for (const page of [artifactPage, attestationPage, trailPage, `${attestationPage}/attachment`]) {
      expect((await browse(page, reader)).status).toBe(200);
      expect((await browse(page, foreign)).status).toBe(403);
      expect((await browse(page.replace('/acme/', '/pages/'), foreign)).status).toBe(404);
    }
  });

  it('have the addresses that the public client links to', async () => {
    await saveEnvironment(service, 'prod');
    const environment = `${service.url}/acme/environments/prod`;
    expect((await browse(`${environment}/`)).text).toContain('No report yet.');
    await reportPods(service, 'prod', pod('web-1', { web: 'abcdef' }));
    for (const page of [environment, `${environment}/`, `${environment}/1`, `${environment}/snapshots/1`]) {
      const { status, text } = await browse(page);
      expect([status, text.includes('web-1')]).toEqual([200, true]);
    }
    const id = new URL(artifactPage).searchParams.get('artifact_id');
    expect((await browse(artifactPage.replace('artifact_id', 'attestation_id'))).status).toBe(200);
    expect((await browse(`${trailPage}?attestation_id=${id}`)).status).toBe(200);
    expect(await browse(`${service.url}/acme/environments/stage/`)).toMatchObject({
      status: 404,
      body: { message: "Environment named 'stage' does not exist for organization 'acme'" },
    });
    expect((await browse(`${environment}/2`)).status).toBe(404);
    expect((await browse(`${environment}/0`)).status).toBe(400);
  });

  it.each([
    '/acme/flows/web/artifacts/fffff',
    '/acme/flows/api/artifacts/abcdef',
    '/acme/flows/web/trails/other',
    '/acme/flows/web/trails/main/attestations/00000000-0000-0000-0000-00000000',
    '/acme/flows/web/trails/main/attestations/00000000-0000-0000-0000-00000000/attachment',
  ])('do not exist at %s', async (path) => {
    expect((await browse(service.url + path)).status).toBe(404);
  });

  it.each(['/acme/flows/web/artifacts/xyz', '/acme/flows/web/trails/-', '/acme/flows/web/trails/main/attestations/1'])(
    'cannot exist at %s',
    async (path) => {
      expect((await browse(service.url + path)).status).toBe(400);
    },
  );

  it('show at / who is signed in and the organizations of the key, the default one first', async () => {
    await service.createOrganization('zoo');
    const key = await createUnlimitedKey(service, { role: 'reader' });
    const organizations = async (ownKey: string): Promise<readonly string[]> => {
      const { text } = await browse(`${service.url}/`, ownKey);
      return [...text.matchAll(/<th scope="row">(.*?)<\/th>\s*<td[^>]*>(.*?)<\/td>/g)].map(
        ([, org = '', role = '']) => `${org.replace(/<[^>]*>/g, '')}: ${role}`,
      );
    };
    expect(await organizations(key)).toEqual(['acme: reader']);
    await saveMember(service, 'ann', 'admin', 'zoo');
    expect(await organizations(key)).toEqual(['acme: reader', 'zoo: admin']);
    await call(service, { method: 'PUT', path: '/user/zoo', key });
    expect(await organizations(key)).toEqual(['zoo (your default organization): admin', 'acme: reader']);
    await createServiceAccount(service, { name: 'ann' });
    const machine = await createServiceAccountKey(service, 'ann');
    expect(await organizations(machine)).toEqual(['acme: member']);
    const { text, headers } = await browse(`${service.url}/`, machine);
    expect(text).toContain('service-account:ann');
    expect(text).not.toContain(parseApiKey(machine)?.secret);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    await removeMember(service, 'ann', 'zoo');
    expect(await organizations(key)).toEqual(['acme: reader']);
  });

  it('ask for a key at /, too', async () => {
    const answer = await call(service, { at: service.url, path: '/', key: null });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/Basic realm=/),
    ]);
  });
});
