import { describe, expect, it } from '@jest/globals';
import type { HttpRequest, HttpResponse } from '../../../src/http/transport.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer, silentTransport } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { connection, openTestStep } from '../../support/test-step.ts';

const lookUp = { ...connection, operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };
const compliantArtifact = jsonAnswer(200, anArtifact({ fingerprint: fingerprintOf('a') }));

describe('the checkpoint of the log', () => {
  const checkpoint = `compliance.example.com/log/acme\n7\n${'A'.repeat(43)}=\n\n— compliance.example.com/log/acme AAAA`;
  const read = async (answer: HttpResponse): Promise<string | undefined> => {
    const transport = answeringTransport((request) =>
      request.url.pathname.startsWith('/log/') ? answer : compliantArtifact,
    );
    const { context, log } = openTestStep({ inputs: lookUp, transport });
    const { result, readCheckpoint } = await runOperation(context);
    expect(result.outcome).toBe('compliant');
    const text = await readCheckpoint?.();
    expect(transport.requests.at(-1)).toMatchObject({
      url: { href: 'https://compliance.example.com/log/acme/checkpoint' },
      headers: { authorization: 'Bearer the-api-key-of-acme' },
    });
    expect(transport.requests).toHaveLength(2);
    expect(log.warnings).toEqual([]);
    return text;
  };
  const plain = (text: string): HttpResponse => ({
    status: 200,
    headers: {},
    text: Buffer.from(text).toString('latin1'),
  });

  it('is read once, without its last line break', async () => {
    expect(await read(plain(`${checkpoint}\n`))).toBe(checkpoint);
  });

  it.each([
    ['no log', jsonAnswer(404, { message: 'Not found' })],
    ['no signing key', jsonAnswer(503, { message: 'The service has no signing key' })],
    ['a page instead', plain('<html></html>')],
    ['the log of another organization', plain(checkpoint.replaceAll('acme', 'other'))],
  ])('is left out if the service has %s', async (_what, answer) => {
    expect(await read(answer)).toBeUndefined();
  });

  it.each([
    ['get-artifact', 'ignore', true],
    ['list-service-accounts', 'ignore', false],
    ['list-service-accounts', 'fail', true],
  ])('after %s with `on-non-compliant: %s` is read: %s', async (operation, onNonCompliant, isRead) => {
    const transport = answeringTransport(() =>
      operation === 'get-artifact' ? compliantArtifact : jsonAnswer(200, []),
    );
    const inputs = { ...(operation === 'get-artifact' ? lookUp : connection), operation };
    const { context } = openTestStep({ inputs: { ...inputs, 'on-non-compliant': onNonCompliant }, transport });
    const { readCheckpoint } = await runOperation(context);
    expect(readCheckpoint !== undefined).toBe(isRead);
  });

  it('is not read after a preview, which records nothing', async () => {
    const workspace = await temporaryWorkspace();
    await workspace.write('p.yml', '_schema: https://example.com/schemas/policy/v1\nartifacts: {}\n');
    const counts = { changed_environments: 0, changed_artifacts: 0, failing_later: 0, environments_left_out: 0 };
    const transport = answeringTransport(() =>
      jsonAnswer(200, { policy: 'p', attached: false, environments: [], ...counts }),
    );
    const inputs = { ...connection, operation: 'create-policy', policy: 'p', files: 'p.yml', preview: 'true' };
    const { context } = openTestStep({ inputs, transport, directory: workspace.path });
    const { result, readCheckpoint } = await runOperation(context);
    await workspace.remove();
    expect(result).toMatchObject({ outcome: 'done', state: 'previewed' });
    expect(readCheckpoint).toBeUndefined();
  });

  it('is not waited for', async () => {
    const silent = silentTransport();
    const transport = {
      ...silent,
      send: (request: HttpRequest, signal: AbortSignal) =>
        request.url.pathname.startsWith('/log/') ? silent.send(request, signal) : Promise.resolve(compliantArtifact),
    };
    const { context, log } = openTestStep({ inputs: lookUp, transport });
    const { readCheckpoint } = await runOperation(context);
    const before = context.clock.now();
    expect(await readCheckpoint?.()).toBeUndefined();
    expect(context.clock.now() - before).toBe(2000);
    expect(silent.requests).toHaveLength(1);
    expect(log.warnings).toEqual([]);
  });
});
