import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchPackage, readPackage } from '../../../support/audit-package.ts';
import {
  pod,
  provenancePolicy,
  reportPods,
  saveEnvironment,
  savePolicy,
} from '../../../support/environment-samples.ts';
import { type LoginFixture, startLoginFixture } from '../../../support/login-fixture.ts';
import { prepareEverything } from '../../../support/prepare-organization.ts';
import { call } from '../../../support/service-call.ts';
import {
  attestationForm,
  fingerprintOf,
  sampleArtifact,
  sampleAttestation,
  saveFlow,
} from '../../../support/service-samples.ts';

const flows = ['open-flow', 'closed-flow'];
const environments = ['open-place', 'closed-place', 'former-place'];
/** Evidence of the closed flow, and what runs in the closed environment only. */
const contents = ['closed-unit', 'closed-scan', 'closed-pod'];
const strict = `${provenancePolicy}  trail-compliance:
    required: true
  attestations:
    - type: generic
      name: approval
`;
const names = [...flows, ...environments, ...contents];
const logical = { type: 'logical' as const, included_environments: ['open-place', 'closed-place'] };

describe('a key that is limited to some flows and environments', () => {
  let fixture: LoginFixture;
  /** The addresses of all pages, and of the requests of the API that they name. */
  let addresses: readonly string[];
  beforeAll(async () => {
    fixture = await startLoginFixture();
    const { service } = fixture;
    await prepareEverything(service, 'acme', service.apiKey);
    await savePolicy(service, 'strict', strict);
    await savePolicy(service, 'later', strict.replace('artifacts:', 'enforce_from: 2999-01-01\nartifacts:'));
    for (const name of environments) await saveEnvironment(service, name, { policies: ['strict', 'later'] });
    const built = { 'open-flow': 'aaaaa1', 'closed-flow': 'bbbbb2' };
    for (const [name, digits] of Object.entries(built)) {
      await saveFlow(service, { name, template: name === 'open-flow' ? ['artifact'] : ['artifact', 'closed-unit'] });
      const json = sampleArtifact({ fingerprint: fingerprintOf(digits) });
      expect(await call(service, { method: 'POST', path: `/artifacts/acme/${name}`, json })).toMatchObject({
        status: 201,
      });
    }
    const former = 'ddddd4';
    for (const digits of [built['open-flow'], former]) {
      const json = sampleArtifact({ fingerprint: fingerprintOf(digits) });
      await call(service, { method: 'POST', path: '/artifacts/acme/closed-flow', json });
    }
    const scan = { attestation_name: 'closed-scan', artifact_fingerprint: fingerprintOf(built['closed-flow']) };
    const form = attestationForm(sampleAttestation('ERROR', scan));
    const path = '/attestations/acme/closed-flow/trail/main/sonar';
    expect(await call(service, { method: 'POST', path, form })).toMatchObject({ status: 201 });
    const both = [pod('one', { one: built['open-flow'] }), pod('two', { two: built['closed-flow'] })];
    const unknown = pod('unknown', { unknown: 'cccc3' });
    for (const name of environments) await reportPods(service, name, ...both, pod('former', { former }));
    await reportPods(service, 'open-place', ...both, unknown);
    await reportPods(service, 'former-place', unknown);
    await reportPods(service, 'closed-place', ...both, pod('closed-pod', { three: 'ddddd3' }));
    await saveEnvironment(service, 'all', logical);
    addresses = await crawl();
  });
  afterAll(() => fixture.stop());

  const read = async (address: string, key: string): Promise<string | undefined> => {
    const { status, text } = await call(fixture.service, { at: '', path: address, key });
    // An artifact of hidden flows does not exist for the key.
    const refusals = address.includes('/asserts/') ? [403, 404] : [403];
    if (status !== 200) expect([address, refusals]).toEqual([address, expect.arrayContaining([status])]);
    return status === 200 ? text : undefined;
  };

  /** Follows all links as an administrator. */
  async function crawl(): Promise<readonly string[]> {
    const { url, baseUrl, apiKey } = fixture.service;
    const found = new Set([
      `${url}/`,
      `${url}/acme/compare?first=open-place~1&second=open-place`,
      `${url}/acme/compare?first=all&second=open-place`,
      `${baseUrl}/environments/acme/open-place/events`,
    ]);
    for (const address of found) {
      const text = (await read(address, apiKey)) ?? '';
      const links = [...text.matchAll(/href="(?<path>\/(?!-\/)[^"#]*)"/gu)].map(
        ({ groups }) => `${url}${groups?.['path'] ?? ''}`,
      );
      const requests = [...text.matchAll(/<code>GET (?<request>http[^<]*)</gu)].map(
        ({ groups }) => groups?.['request'],
      );
      for (const next of [...links, ...requests]) {
        if (next !== undefined && !/\/(?:attachment|audit-package)$/u.test(next))
          found.add(next.replaceAll('&amp;', '&'));
      }
    }
    return [...found];
  }

  /** Logs in with limits, opens everything, and returns which of the names it saw, each with the first address. */
  const see = async (
    limits: { readonly flows?: readonly string[]; readonly environments?: readonly string[] } = {},
  ): Promise<Readonly<Record<string, string>>> => {
    await fixture.saveRule(limits);
    const key = await fixture.logIn();
    const seen: Record<string, string> = {};
    for (const address of addresses) {
      const text = (await read(address, key)) ?? '';
      for (const name of names) if (text.includes(name)) seen[name] ??= address;
    }
    return seen;
  };

  it('is tried with pages of every kind', () => {
    const place = '/environments/open-place';
    for (const path of [
      '/flows/open-flow',
      '/flows/open-flow/trails/main',
      place,
      `${place}/snapshots/2`,
      '/policies',
    ]) {
      expect(addresses).toContain(`${fixture.service.url}/acme${path}`);
    }
    for (const part of ['/artifacts/', '/attestations/', '/api/v2/env-diff/', '/api/v2/snapshots/', '/events']) {
      expect(addresses).toContainEqual(expect.stringContaining(part));
    }
  });

  it('does not hear that a hidden name does not exist', async () => {
    const pageOf = async (path: string, limits: Readonly<Record<string, unknown>>): Promise<string> => {
      await fixture.saveRule(limits);
      return (await read(`${fixture.service.url}/acme${path}`, await fixture.logIn())) ?? '';
    };
    const artifact = `/flows/open-flow/artifacts/${fingerprintOf('aaaaa1')}`;
    expect(await pageOf(artifact, { flows: ['open-flow'] })).toContain('No environment that you may see has reported');
    const place = await pageOf('/environments/open-place', { environments: ['open-place'] });
    expect(place).toContain('none that you may see');
    expect(place).not.toMatch(/>\s*not reported to any\s*</u);
  });

  it('sees no other names on any page, or in the data behind it', async () => {
    const seen = expect.any(String);
    expect(Object.keys(await see()).sort()).toEqual(names.toSorted());
    const [flow, place] = [{ 'open-flow': seen }, { 'open-place': seen }];
    expect(await see({ flows: ['open-flow'] })).toEqual(flow);
    expect(await see({ environments: ['open-place'] })).toEqual(place);
    expect(await see({ flows: ['open-flow'], environments: ['open-place'] })).toEqual({ ...flow, ...place });
    expect(await see({ environments: ['open-place', 'all'] })).toEqual(place);
  });

  it('sees no other names in audit packages, of which it gets only its own', async () => {
    const trail = '/trails/acme/open-flow/main';
    const artifact = `/artifacts/acme/open-flow/fingerprint/${fingerprintOf('aaaaa1')}`;
    const places = ['/environments/acme/open-place', '/environments/acme/all'];
    const others = ['/trails/acme/closed-flow/main', '/flows/acme/closed-flow', '/environments/acme/closed-place'];
    const seeIn = async (
      limits: Readonly<Record<string, unknown>>,
      paths: readonly string[],
    ): Promise<readonly string[]> => {
      await fixture.saveRule(limits);
      const key = await fixture.logIn();
      const texts: string[] = [];
      for (const path of [trail, '/flows/acme/open-flow', artifact, ...places, ...others]) {
        const address = `${path}/audit-package`;
        if (paths.includes(path)) {
          const files = await readPackage(fixture.service, address, key);
          texts.push(...[...files.values()].map((content) => content.toString()));
        } else expect([path, (await fetchPackage(fixture.service, address, key)).status]).toEqual([path, 403]);
      }
      return names.filter((name) => texts.some((text) => text.includes(name)));
    };
    const ofFlow = [trail, '/flows/acme/open-flow', artifact];
    expect(await seeIn({ flows: ['open-flow'] }, ofFlow)).toEqual(['open-flow']);
    expect(await seeIn({ environments: ['open-place', 'all'] }, places)).toEqual(['open-place']);
    expect(await seeIn({ flows: ['open-flow'], environments: ['open-place'] }, [...ofFlow, places[0] ?? ''])).toEqual([
      'open-flow',
      'open-place',
    ]);
  });

  it('cannot tell what is hidden from what does not exist', async () => {
    await fixture.saveRule({ flows: ['open-flow'], environments: ['open-place'] });
    const key = await fixture.logIn();
    const statusOf = async (path: string): Promise<number> => (await call(fixture.service, { path, key })).status;
    for (const digits of ['bbbbb2', 'dddd4']) {
      const path = `/asserts/acme/fingerprint/${fingerprintOf(digits)}?environment_name=open-place`;
      expect([digits, await statusOf(path)]).toEqual([digits, 404]);
    }
    // The log could be asked whether anything was reported from a repository, in any flow.
    const events = '/environments/acme/open-place/events';
    expect(await statusOf(events)).toBe(200);
    expect(await statusOf(`${events}?repo_name=acme/web`)).toBe(403);
  });
});
