import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HttpResponse } from '../../../src/http/transport.ts';
import { renderVerifierKey } from '../../../src/runtime/transparency-log/verifier-key.ts';
import { signCheckpoint } from '../../../src/service/log/note.ts';
import { type OperationRun, runOperation } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { sampleSigningKeys } from '../../support/signing-keys.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../support/temporary-workspace.ts';
import { connection, openTestStep } from '../../support/test-step.ts';
import { userErrorOf } from '../../support/user-error.ts';

const origin = 'compliance.example.com/log/acme';
const [current, former] = [sampleSigningKeys.slice(0, 1), sampleSigningKeys.slice(1)];
/** A log of one entry, whose hash is the root. */
const root = Buffer.alloc(32, 7);
const checkpoint = signCheckpoint(origin, { size: 1, root }, current);

/** A checkpoint of such a log that differs in these. */
const signed = ({ name = origin, size = 1, hash = root, keys = current } = {}): string =>
  signCheckpoint(name, { size, root: hash }, keys);

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
async function judge(
  log: Readonly<Record<string, HttpResponse>>,
  known = checkpoint,
  inputs: Readonly<Record<string, string>> = {},
): Promise<OperationRun & { readonly notices: readonly string[] }> {
  await writeFile(join(workspace.path, 'known'), known);
  const fingerprint = fingerprintOf('a');
  const step = openTestStep({
    inputs: {
      ...{ ...connection, operation: 'get-artifact', flow: 'web', fingerprint },
      ...{ 'known-checkpoint': 'known', retries: '0', ...inputs },
    },
    transport: answeringTransport(({ url: { pathname } }) =>
      pathname.startsWith('/log/acme/')
        ? (log[pathname.slice('/log/acme/'.length)] ?? jsonAnswer(404, { message: 'Not found' }))
        : jsonAnswer(200, anArtifact({ fingerprint })),
    ),
    directory: workspace.path,
  });
  return { ...(await runOperation(step.context)), notices: step.log.notices };
}

describe('a log that is compared with a known checkpoint', () => {
  it('passes if it is the same', async () => {
    const { result, readCheckpoint } = await judge(whole);
    expect(result).toMatchObject({ outcome: 'compliant', state: 'COMPLIANT' });
    expect(`${(await readCheckpoint?.()) ?? ''}\n`).toBe(checkpoint);
  });

  it('passes with a notice if the key was replaced', async () => {
    const { result, notices } = await judge(whole, signed({ keys: former }));
    expect(result.outcome).toBe('compliant');
    expect(notices).toEqual([expect.stringContaining('The service replaced the key that signed')]);
  });

  it.each([
    ['no key verifies it', { 'verifier-key': answer(linesOf(former)) }, checkpoint, /no key of the service verifies/u],
    [
      'its hashes are others',
      { 'tile/0/000.p/1': answer(Buffer.alloc(32)) },
      checkpoint,
      /its hashes do not match its signed checkpoint/u,
    ],
    ['entries were removed', {}, signed({ size: 2 }), /it has 1 entries, but had 2, so entries were removed/u],
    ['an entry was altered', {}, signed({ hash: Buffer.alloc(32) }), /its first 1 entries are no longer the same/u],
    [
      'it has another address',
      {},
      signed({ name: origin.replace('compliance', 'other') }),
      /its origin is compliance\.example\.com\/log\/acme, but the file names other\./u,
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
    ['nowhere', checkpoint, { 'known-checkpoint': 'nowhere' }, /nowhere cannot be read: /u],
    ['no checkpoint', 'any', {}, /known is not a checkpoint of a transparency log/u],
    [
      'of another organization',
      signed({ name: origin.replace('acme', 'other') }),
      {},
      /known is a checkpoint of compliance\.example\.com\/log\/other, not of the log of organization acme/u,
    ],
    [
      'without effect',
      checkpoint,
      { 'on-non-compliant': 'ignore' },
      /no effect on get-artifact with `on-non-compliant/u,
    ],
  ])('is a mistake if the file is %s', async (_what, known, inputs, words) => {
    expect((await userErrorOf(() => judge({}, known, inputs))).message).toMatch(words);
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
