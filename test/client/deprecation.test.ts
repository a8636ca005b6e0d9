import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deprecationNotice } from '../../src/client/deprecation.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { createEnvironment } from '../../src/contract/environment.ts';
import { createFlow } from '../../src/contract/flow.ts';
import type { HttpResponse } from '../../src/http/transport.ts';
import { openTestClient } from '../support/client.ts';
import { startOfTime } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { codePoint } from '../support/code-point.ts';
import { answers, resetsBeforeTheAnswer } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';

const opened = closeAfterEach();
const url = new URL('https://compliance.example.com/api/v2/artifacts/acme');
const past = Date.UTC(2025, 0, 1) / 1000;
const future = Date.UTC(2027, 5, 30) / 1000;

function noticeOf(headers: HttpResponse['headers'], endpoint: typeof createFlow | typeof getArtifact = getArtifact) {
  return deprecationNotice(endpoint, { url, headers, now: startOfTime });
}

describe('the notice of a deprecated operation', () => {
  it('is there if the contract says so, and says what the contract says', () => {
    expect(noticeOf({}, createFlow)).toBe(
      'create-flow is deprecated. The interface marks this operation as deprecated; send a template file instead (`PUT /flows/{org}/template_file`, the input `template-file`).',
    );
    expect(noticeOf({})).toBeUndefined();
  });

  it.each([
    [{ deprecation: `@${past}` }, 'get-artifact has been deprecated since 2025-01-01.'],
    [{ deprecation: `@${future}` }, 'get-artifact will be deprecated on 2027-06-30.'],
    [{ deprecation: 'Wed, 01 Jan 2025 00:00:00 GMT' }, 'get-artifact has been deprecated since 2025-01-01.'],
    [{ deprecation: 'true' }, 'get-artifact is deprecated.'],
    [{ deprecation: '?1' }, 'get-artifact is deprecated.'],
    [{ deprecation: '@999999999999' }, 'get-artifact is deprecated.'],
    [{ deprecation: 'version="v2"' }, 'get-artifact is deprecated.'],
    [{ deprecation: '::error::x' }, 'get-artifact is deprecated.'],
    [
      { sunset: 'Wed, 30 Jun 2027 23:59:59 GMT' },
      'get-artifact is deprecated. The service plans to remove it on 2027-06-30.',
    ],
    [
      { deprecation: `@${past}`, sunset: 'Thu, 01 Jan 2026 00:00:00 GMT' },
      'get-artifact has been deprecated since 2025-01-01. The service planned to remove it on 2026-01-01.',
    ],
    [
      {
        deprecation: 'true',
        link: '</api/v3/artifacts>; rel="successor-version", <https://docs.example.com/v3>;rel=deprecation; type="text/html"',
      },
      'get-artifact is deprecated. Use https://compliance.example.com/api/v3/artifacts instead. See https://docs.example.com/v3.',
    ],
  ])('is made of the headers %j', (headers, notice) => {
    expect(noticeOf(headers)).toBe(notice);
  });

  it.each<HttpResponse['headers']>([
    { deprecation: 'false' },
    { deprecation: '?0' },
    { deprecation: '' },
    { sunset: 'soon' },
    { link: '<https://docs.example.com>; rel="deprecation"' },
  ])('is not made of %j', (headers) => {
    expect(noticeOf(headers)).toBeUndefined();
  });

  it.each([
    '<javascript:alert(1)>; rel="successor-version"',
    '<https://ann:secret@example.com>; rel="successor-version"',
    `<https://example.com/${'a'.repeat(500)}>; rel="successor-version"`,
    '<https://example.com>; rel="next"',
    '<https://>; rel="successor-version"',
    'https://example.com; rel="successor-version"',
  ])('contains no unsafe link: %s', (link) => {
    expect(noticeOf({ deprecation: 'true', link })).toBe('get-artifact is deprecated.');
  });

  it('is one line of dates and addresses, whatever the headers hold', () => {
    const value = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string().map((text) => `<${text}>; rel="successor-version"`),
      fc.integer().map((number) => `@${number}`),
    );
    fc.assert(
      fc.property(value, value, value, (deprecation, sunset, link) => {
        const notice = noticeOf({ deprecation, sunset, link }, createFlow) ?? '';
        expect(notice).toMatch(/^create-flow (?:is|has been|will be) deprecated/u);
        expect(notice).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  // In quadratic time, this would take many minutes.
  it('takes linear time', () => {
    for (const link of ['<a>;'.repeat(200_000) + '<'.repeat(200_000), `<a>${'; rel'.repeat(200_000)}`]) {
      expect(noticeOf({ deprecation: 'true', link })).toMatch(/deprecated/u);
    }
  });
});

describe('the client', () => {
  const flow = { parameters: { org: 'acme' }, document: { name: 'web', description: '', template: [] } };
  const lookUp = { parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' } };
  const deprecated = { deprecation: `@${past}` };

  it('shows it once, however often it calls, whatever the answer', async () => {
    const server = opened(
      await startFaultyServer(resetsBeforeTheAnswer, answers(404, { message: 'Flow not found' }, deprecated)),
    );
    const { client, log } = opened(openTestClient(new URL('/api/v2', server.url)));
    await expect(client.call(getArtifact, lookUp)).rejects.toThrow('Flow not found');
    await expect(client.until(startOfTime + 1000).call(getArtifact, lookUp)).rejects.toThrow('Flow not found');
    expect(log.notices).toEqual(['get-artifact has been deprecated since 2025-01-01.']);
  });

  it('shows it in a dry run as well, if the contract says so', async () => {
    const { client, log } = opened(openTestClient('http://127.0.0.1:9/api/v2', { connection: { dryRun: true } }));
    await expect(client.call(createFlow, flow)).rejects.toThrow('was not sent');
    expect(log.notices).toEqual([expect.stringContaining('create-flow is deprecated.')]);
  });

  it('warns of a deprecated field once, in place of the header of the answer', async () => {
    const server = opened(await startFaultyServer(answers(201, 'OK', deprecated)));
    const { client, log } = opened(openTestClient(new URL('/api/v2', server.url)));
    const document = { name: 'prod', type: 'K8S', require_provenance: true } as const;
    await client.call(createEnvironment, { parameters: { org: 'acme' }, document });
    await client.call(createEnvironment, { parameters: { org: 'acme' }, document });
    expect(log.warnings).toEqual([
      'create-environment with `require_provenance` has been deprecated since 2025-01-01. Attach a policy with `artifacts.provenance.required: true` instead.',
    ]);
    expect(log.notices).toEqual([]);
  });

  it('shows nothing for an endpoint that is not deprecated', async () => {
    const server = opened(await startFaultyServer(answers(200, { fingerprint: 'a'.repeat(64) })));
    const { client, log } = opened(openTestClient(new URL('/api/v2', server.url)));
    await client.call(getArtifact, lookUp);
    expect(log.notices).toEqual([]);
  });
});
