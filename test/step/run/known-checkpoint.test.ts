import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpResponse } from '../../../src/http/transport.ts';
import { renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { signCheckpoint } from '../../../src/service/log/note.ts';
import { runOperation, type OperationRun } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from '../../support/temporary-workspace.ts';
import { connection, openTestStep } from '../../support/test-step.ts';

const origin = 'compliance.example.com/log/acme';
const [current, former] = [sampleSigningKeys.slice(0, 1), sampleSigningKeys.slice(1)];
/** A log of one entry, whose hash is the root. */
const root = Buffer.alloc(32, 7);
const checkpoint = signCheckpoint(origin, { size: 1, root }, current);

const answer = (bytes: string | Buffer): HttpResponse => ({
  status: 200,
  headers: {},
  text: Buffer.from(bytes).toString('latin1'),
});
const linesOf = (keys: typeof current): string => keys.map((key) => renderVerifierKey(origin, key)).join('\n');
const whole = {
  checkpoint: answer(checkpoint),
  'verifier-key': answer(linesOf(current)),
  'tile/0/000.p/1': answer(root),
};

let workspace: TemporaryWorkspace;
beforeAll(async () => {
  workspace = await temporaryWorkspace();
});
afterAll(() => workspace.remove());

/** Judges a compliant artifact by a service with such a log. */
async function judge(log: Readonly<Record<string, HttpResponse>>, known = checkpoint): Promise<OperationRun> {
  await writeFile(join(workspace.path, 'known'), known);
  const fingerprint = fingerprintOf('a');
  const { context } = openTestStep({
    inputs: {
      ...{ ...connection, operation: 'get-artifact', flow: 'web', fingerprint },
      ...{ 'known-checkpoint': 'known', retries: '0' },
    },
    transport: answeringTransport(({ url: { pathname } }) =>
      pathname.startsWith('/log/acme/')
        ? (log[pathname.slice('/log/acme/'.length)] ?? jsonAnswer(404, { message: 'Not found' }))
        : jsonAnswer(200, anArtifact({ fingerprint })),
    ),
    directory: workspace.path,
  });
  return runOperation(context);
}

describe('a log that is compared with a known checkpoint', () => {
  it('passes if it is the same', async () => {
    const { result, readCheckpoint } = await judge(whole);
    expect(result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT' });
    expect(`${(await readCheckpoint?.()) ?? ''}\n`).toBe(checkpoint);
  });

  it.each([
    ['no key verifies it', { 'verifier-key': answer(linesOf(former)) }, checkpoint, /no key of the service verifies/u],
    [
      'its hashes are others',
      { 'tile/0/000.p/1': answer(Buffer.alloc(32)) },
      checkpoint,
      /its hashes do not match its signed checkpoint/u,
    ],
    ['the file was altered', {}, checkpoint.replace('\n1\n', '\n0\n'), /so the file was altered/u],
  ])('is non-compliant if %s', async (_what, change, known, reason) => {
    const { result, readCheckpoint } = await judge({ ...whole, ...change }, known);
    expect(result).toMatchObject({
      outcome: 'non-compliant',
      state: undefined,
      conclusion: expect.stringMatching(/ Before this check: Artifact .* is COMPLIANT/u),
      report: { reasons: [{ state: 'failed', about: 'transparency log', value: expect.stringMatching(reason) }] },
    });
    expect(await readCheckpoint?.()).toBeUndefined();
  });

  it.each([
    ['there is none', {}, 'user', /returned 404/u],
    ['a page answers instead', { ...whole, checkpoint: answer('<html></html>') }, 'external', /something other than/u],
    ['a tile is cut', { ...whole, 'tile/0/000.p/1': answer('cut') }, 'external', /3 bytes for tile\/0\/000\.p\/1/u],
  ])('is an error if %s', async (_what, log, kind, message) => {
    const { result } = await judge(log);
    expect(result).toMatchObject({
      outcome: 'error',
      failure: { kind, message: expect.stringMatching(message) },
      conclusion: expect.stringContaining('The log could not be compared with `known-checkpoint`.'),
    });
  });
});
