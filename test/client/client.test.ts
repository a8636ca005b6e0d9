import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../src/client/client.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { attestSonar, type SonarAttestation } from '../../src/contract/attestations/sonar.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { keysAcceptedHeader } from '../../src/contract/idempotency.ts';
import { UserError } from '../../src/runtime/failure.ts';
import { version } from '../../src/runtime/version.ts';
import { closedPort } from '../../tools/loopback-server.ts';
import { openTestClient } from '../support/client.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { answers, answersText, resetsBeforeTheAnswer } from '../support/faults.ts';
import type { Fault } from '../support/faulty-server.ts';
import { httpFixture } from '../support/http-fixture.ts';

const opened = closeAfterEach();
const { startServer, openClient } = httpFixture(opened);

const flow = { parameters: { org: 'acme' }, document: { name: 'web', description: '', template: ['unit'] } };
const artifactAnswer = { fingerprint: 'a'.repeat(64), state: 'COMPLIANT' };
const attestation: SonarAttestation = {
  attestation_name: 'sonar',
  sonar_results: { project: { key: 'acme_web' }, qualityGate: { status: 'OK', conditions: [] } },
};

describe('the client', () => {
  it('sends a document as JSON, with the key and its own name and version', async () => {
    const server = await startServer(answers(201, 'OK'));
    const { client } = openClient(server.url);
    await expect(client.call(createFlow, flow)).resolves.toEqual({
      status: 201,
      body: 'OK',
      source: 'answer',
      earlierArrived: false,
      key: expect.any(String),
    });
    const [received] = server.requests;
    expect(received).toMatchObject({
      method: 'PUT',
      target: '/api/v2/flows/acme',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer an-api-key',
        'content-type': 'application/json; charset=utf-8',
        'user-agent': `compliance-action/${version} (node ${process.versions.node}; ${process.platform})`,
      },
    });
    expect(JSON.parse(received?.body().toString() ?? '')).toEqual(flow.document);
  });

  it('preloads without connecting, and leaves failures to the call', async () => {
    const server = await startServer(answers(201, 'OK'));
    const { client } = openClient(server.url);
    await client.preload(attestSonar);
    expect(server.connections()).toBe(0);
    await expect(client.call(createFlow, flow)).resolves.toMatchObject({ status: 201 });
    expect(server.connections()).toBe(1);

    const nowhere = openClient(new URL(`http://127.0.0.1:${await closedPort()}`)).client;
    await expect(nowhere.preload(createFlow)).resolves.toBeUndefined();
    await expect(nowhere.call(createFlow, flow)).rejects.toThrow('ECONNREFUSED');
  });

  it('sends the key by basic authentication if set', async () => {
    const server = await startServer(answers(201, 'OK'));
    await openClient(server.url, { connection: { authenticationMethod: 'basic' } }).client.call(createFlow, flow);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('an-api-key:').toString('base64')}`);
  });

  it('sends path and query to the base address, below its path', async () => {
    const server = await startServer(answers(200, artifactAnswer));
    const { client } = opened(openTestClient(new URL('/tracking/api/v2/', server.url)));
    await client.call(getArtifact, {
      parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' },
      query: { trail: 'v1~rc.1' },
    });
    expect(server.requests[0]?.target).toBe('/tracking/api/v2/artifacts/acme/web/fingerprint/abcde?trail=v1%7Erc.1');
  });

  it('distinguishes created from updated', async () => {
    const server = await startServer(answers(201, 'OK'), answers(200, 'OK'));
    const { client } = openClient(server.url);
    await expect(client.call(createFlow, flow)).resolves.toMatchObject({ status: 201 });
    await expect(client.call(createFlow, flow)).resolves.toMatchObject({ status: 200 });
  });

  it('reports everything wrong with a call before anything is sent', async () => {
    const server = await startServer(answers(200, artifactAnswer));
    const { client } = openClient(server.url);
    const call = client.call(getArtifact, {
      parameters: { org: 'a/b', flow_name: 'web', fingerprint: 'ABC' },
      query: { trail: '-' },
    });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error instanceof UserError ? error.problems.map(({ what }) => what) : []).toEqual([
      expect.stringMatching(/^get-artifact: org must match/u),
      expect.stringMatching(/^get-artifact: fingerprint must match/u),
      expect.stringMatching(/^get-artifact: trail must match/u),
    ]);
    expect(server.connections()).toBe(0);
  });

  it('refuses a document that does not have the declared form, in either kind of body', async () => {
    const server = await startServer(answers(201, 'OK'));
    const { client } = openClient(server.url);
    await expect(client.call(createFlow, { parameters: { org: 'acme' } })).rejects.toThrow(
      'create-flow: the request must be object',
    );
    await expect(
      client.call(attestSonar, {
        parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
        document: { ...attestation, attestation_name: 'a b' },
      }),
    ).rejects.toThrow('attest-sonar: attestation_name must match');
    expect(server.connections()).toBe(0);
  });

  it('prepares a request without sending it', async () => {
    const server = await startServer(answers(201, 'OK'));
    const { client } = openClient(server.url);
    const { request, path } = await client.prepare(createFlow, flow);
    expect(path).toBe('/flows/acme');
    expect(request).toMatchObject({ method: 'PUT', url: new URL('/api/v2/flows/acme', server.url) });
    expect(request.body?.open()).toEqual(Buffer.from(JSON.stringify(flow.document)));
    expect(server.connections()).toBe(0);
  });
});

describe('the API key', () => {
  const apiToken = 'id0123_s3cr3t';
  const forms = [apiToken, Buffer.from(`${apiToken}:`).toString('base64'), encodeURIComponent(apiToken)];

  it.each<['bearer' | 'basic', string, Fault]>([
    ['bearer', '401', answers(401, { message: 'Authentication is required' })],
    ['basic', '403', answers(403, { message: "You don't have permission to access this resource" })],
    ['bearer', '500', answers(500, { message: 'x', errors: { field: 'y' } })],
    ['basic', 'an HTML page', answersText(502, '<html></html>', { 'content-type': 'text/html' })],
    ['bearer', 'a broken connection', resetsBeforeTheAnswer],
    ['basic', 'a success in another form', answersText(201, '<html></html>', { 'content-type': 'text/html' })],
  ])('as %s is in no error or log about %s', async (authenticationMethod, _what, fault) => {
    const server = await startServer(fault);
    const { client, log } = openClient(server.url, { connection: { apiToken, authenticationMethod } });
    const error: unknown = await client.call(createFlow, flow).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(server.requests[0]?.headers.authorization).toContain(
      authenticationMethod === 'bearer' ? forms[0] : forms[1],
    );
    const said = `${inspect(error, { depth: 10, showHidden: true })}\n${log.text()}`;
    expect(forms.filter((form) => said.includes(form))).toEqual([]);
  });

  it('is in no error or log about a service that cannot be reached', async () => {
    const url = new URL(`http://127.0.0.1:${await closedPort()}`);
    const { client, log } = openClient(url, { connection: { apiToken } });
    const error: unknown = await client.call(createFlow, flow).catch((thrown: unknown) => thrown);
    expect(forms.filter((form) => `${inspect(error, { depth: 10 })}\n${log.text()}`.includes(form))).toEqual([]);
  });

  it('goes to no other origin', async () => {
    const elsewhere = await startServer(answers(200, 'OK'));
    const server = await startServer(
      answersText(307, '', { location: new URL('/api/v2/flows/acme', elsewhere.url).href }),
    );
    await expect(openClient(server.url).client.call(createFlow, flow)).rejects.toMatchObject({
      kind: 'user',
      message: `create-flow: PUT /flows/acme returned 307 with a redirect to ${elsewhere.url.origin}`,
    });
    expect(elsewhere.connections()).toBe(0);
  });
});

describe('an upload', () => {
  it('reaches the server unchanged', async () => {
    const server = await startServer(answers(201, 'OK'));
    const content = Buffer.from('SF:src/main.ts\nDA:1,1\n');
    await openClient(server.url).client.call(attestSonar, {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: attestation,
      file: { filename: 'lcov.info', size: content.length, open: () => Readable.from([content]) },
    });
    const [received] = server.requests;
    expect(received?.headers['content-length']).toBe(String(received?.body().length));
    expect(received?.body().includes(content)).toBe(true);
    expect(received?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('starts again with each attempt', async () => {
    const server = await startServer(
      answers(503, {}, { 'retry-after': '1', [keysAcceptedHeader]: '?1' }),
      answers(429, {}),
      answers(201, 'OK', { [keysAcceptedHeader]: '?1' }),
    );
    let opened = 0;
    const checked: Buffer[] = [];
    const checkUpload: Connection['checkUpload'] = async ({ file }) => {
      for await (const chunk of file?.open() ?? []) checked.push(Buffer.from(chunk));
    };
    await openClient(server.url, { connection: { checkUpload } }).client.call(attestSonar, {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: attestation,
      file: {
        filename: 'lcov.info',
        size: 3,
        open() {
          opened += 1;
          return Readable.from([Buffer.from('abc')]);
        },
      },
    });
    // Once for the check, and once for the digest in the idempotency key.
    expect(opened).toBe(2 + 3);
    expect(Buffer.concat(checked).toString()).toBe('abc');
    const bodies = server.requests.map((request) => request.body());
    expect(bodies).toHaveLength(3);
    expect(bodies.every((body) => body.length > 0 && body.equals(bodies[0] ?? Buffer.alloc(0)))).toBe(true);
  });

  it('ends with the error of a file that changed, and is not repeated', async () => {
    const server = await startServer(answers(201, 'OK'));
    const changed = new UserError({ what: 'lcov.info changed while it was read', remedy: 'Copy the file.' });
    const { client, log } = openClient(server.url);
    const sent = client.call(attestSonar, {
      parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
      document: attestation,
      file: {
        filename: 'lcov.info',
        size: 100,
        open: () =>
          new Readable({
            read() {
              this.destroy(changed);
            },
          }),
      },
    });
    await expect(sent).rejects.toBe(changed);
    expect(log.text()).toBe('');
  });
});
