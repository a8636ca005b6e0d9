import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { maximumLineLength, maximumNameLength } from '../../../../src/contract/limits.ts';
import { stylesheet } from '../../../../src/service/platform/pages/assets.ts';
import { pod, reportPods, saveEnvironment, savePolicy } from '../../../support/environment-samples.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { call, type Called, mappingOf } from '../../../support/service-call.ts';
import {
  attest,
  attestationForm,
  commitOf,
  fingerprintOf,
  report,
  sampleAttestation,
} from '../../../support/service-samples.ts';

/** Characters that take many bytes: in HTML, and in UTF-8. */
const texts = ['"'.repeat(maximumLineLength), '構'.repeat(maximumLineLength)] as const;
const name = 'n'.repeat(maximumNameLength);
const trail = `main${'m'.repeat(maximumNameLength - 4)}`;

/** Checks that a request was carried out. */
const carryOut = async (request: Promise<Called>): Promise<void> => {
  const { status, text } = await request;
  expect([status < 300, text]).toEqual([true, text]);
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const attestations = Array.from({ length: 100 }, (_, index) => `required-${index}-${'r'.repeat(200)}`);
  const flow = { name: 'web', description: texts[0], template: ['artifact', ...attestations] };
  await carryOut(call(service, { method: 'PUT', path: '/flows/acme', json: flow }));
  const [quotes, letters] = texts;
  const git_commit_info = { sha1: commitOf('1'), author: quotes, message: letters, branch: quotes };
  const user_data = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key ${index}`, letters.slice(0, 100)]),
  );
  await carryOut(report(service, { filename: quotes, trail_name: trail, git_commit_info, user_data }));
  const condition = { metric: quotes, status: letters, operator: quotes, errorThreshold: letters, value: quotes };
  const qualityGate = { name: letters, status: 'ERROR', conditions: Array.from({ length: 10 }, () => condition) };
  const sonar_results = { project: { key: quotes }, qualityGate };
  const about = { git_commit_info, user_data, description: quotes };
  const light = { ...about, sonar_results: { ...sonar_results, qualityGate: { ...qualityGate, conditions: [] } } };
  for (const [index, attestation_name] of attestations.slice(0, 25).entries()) {
    const document = sampleAttestation('ERROR', {
      ...light,
      attestation_name,
      ...(index === 24 ? { sonar_results } : {}),
    });
    await carryOut(attest(service, document, trail));
  }
  const suite = { failures: 1, errors: 0, skipped: 0, total: 1, duration: 1 };
  const junit_results = texts.flatMap((text) => Array.from({ length: 40 }, () => ({ ...suite, name: text })));
  const form = attestationForm({ attestation_name: 'junit', junit_results, ...about });
  await carryOut(call(service, { method: 'POST', path: `/attestations/acme/web/trail/${trail}/junit`, form }));
  for (const text of ['a', 'b']) {
    const line = `# ${text.repeat(100)} "\n`;
    await carryOut(
      savePolicy(service, name, `${line.repeat(1000)}_schema: https://example.com/v1\n`, { description: quotes }),
    );
  }
  await carryOut(saveEnvironment(service, name, { description: quotes, policies: [name] }));
  for (const number of [1, 2]) {
    const pods = Array.from({ length: 100 }, (_, index) =>
      pod(`pod-${index}`, { [quotes.slice(index + number)]: 'abcdef' }),
    );
    await carryOut(reportPods(service, name, ...pods));
  }
  // More than the overview shows.
  const failing = { ...about, attestation_name: 'r'.repeat(maximumNameLength), sonar_results };
  for (let index = 0; index < 25; index += 1) {
    const other = `${index}${name}`.slice(0, maximumNameLength);
    await carryOut(call(service, { method: 'PUT', path: '/flows/acme', json: { ...flow, name: other, template: [] } }));
    const form = attestationForm(sampleAttestation('ERROR', failing));
    await carryOut(call(service, { method: 'POST', path: `/attestations/acme/${other}/trail/${trail}/sonar`, form }));
    await carryOut(saveEnvironment(service, other));
    await carryOut(reportPods(service, other, pod('one', { [quotes]: 'abcdef' })));
  }
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

it('no page is larger than 100 kB with its stylesheet, the overview than 150 kB, whatever was reported', async () => {
  const found = mappingOf(await call(service, { path: `/artifacts/acme/web/fingerprint/${fingerprintOf('abcdef')}` }));
  const listed = mappingOf(await call(service, { path: '/attestations/acme/web?per_page=2' }))['data'];
  const attestations = (Array.isArray(listed) ? listed : []).map((one: unknown) =>
    String(Reflect.get(Object(one), 'html_url')),
  );
  expect(attestations).toHaveLength(2);
  const pages = [
    ...attestations,
    String(found['html_url']),
    ...['', '/flows', '/flows/web', `/flows/web/trails/${trail}`, '/environments', `/environments/${name}`].map(
      (path) => `${service.url}/acme${path}`,
    ),
    ...[`/environments/${name}/snapshots/1`, `/compare?first=${name}%231&second=${name}%232`].map(
      (path) => `${service.url}/acme${path}`,
    ),
    ...[`/policies/${name}`, `/policies/${name}?from=1&to=2`, '/policies', '/search?q=abcdef', `/search?q=${name}`].map(
      (path) => `${service.url}/acme${path}`,
    ),
  ];
  const sizes: Record<string, number> = {};
  for (const page of pages) {
    const { status, text } = await call(service, { at: page, path: '' });
    expect([page, status]).toEqual([page, 200]);
    sizes[page] = Buffer.byteLength(text) + stylesheet.content.length;
  }
  const overview = `${service.url}/acme`;
  expect(Object.entries(sizes).filter(([page, size]) => size > (page === overview ? 150_000 : 100_000))).toEqual([]);
});
