import { writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { keysAcceptedHeader, replayedHeader } from '../../../src/contract/idempotency.ts';
import { TransportError } from '../../../src/http/transport.ts';
import type { OperationResult } from '../../../src/operations/operation.ts';
import { jsonAnswer } from '../../support/answering-transport.ts';
import { shas } from '../../support/events.ts';
import { failureOf } from '../../support/failures.ts';
import {
  accepts,
  listed,
  recorded,
  type Replay,
  type ReplayOptions,
  replaySpools,
  spoolRunAnswer,
} from '../../support/replay-spools.ts';
import { forgeItem, sampleAttachment, sampleEntry, sampleManifest } from '../../support/spool.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

beforeEach(async () => {
  await workspace.write('spools/readme.txt', 'not an item');
});

const replay = (options: ReplayOptions = {}): Promise<Replay> => replaySpools(workspace, options);

/** Puts an item into the folder of its run. */
function keep(name: string, changes: Readonly<Record<string, unknown>> = {}, runId = '4242'): Promise<void> {
  return forgeItem(join(workspace.path, 'spools', runId, name), { ...sampleManifest, ...changes }, sampleAttachment);
}

function keepAt(name: string, minute: number, changes: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const gathered_at = `2026-01-02T02:0${minute}:00.000Z`;
  const user_data = { ...sampleEntry.document.user_data, gathered_at };
  return keep(name, {
    gathered_at,
    document: { ...sampleEntry.document, user_data },
    idempotency_key: `4242-${name}`,
    ...changes,
  });
}

const statesOf = ({ response }: OperationResult): unknown => response;

describe('replay', () => {
  it('delivers items in the order in which they were gathered, each with its own key', async () => {
    await keepAt('c', 1);
    await keepAt('a', 2);
    await keepAt('b', 3);
    const { result, keys, lines } = await replay();
    expect(keys).toEqual(['c', 'a', 'b']);
    expect(result).toMatchObject({ outcome: 'done', count: 3, conclusion: 'Of 3 kept items: 3 delivered.' });
    expect(lines).toContain(
      `2 of 3: attest-sonar web/${shas.head}/sonar, gathered at 2026-01-02T02:02:00.000Z: delivered`,
    );
  });

  it('takes address, organization and API key only from the step', async () => {
    const parameters = { ...sampleEntry.parameters, org: 'other' };
    await keep('item', { parameters });
    const { requests, bodies } = await replay();
    const [sent] = requests.filter(({ method }) => method === 'POST');
    expect(sent?.url.href).toBe(`https://compliance.example.com/api/v2/attestations/acme/web/trail/${shas.head}/sonar`);
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer the-api-key-of-acme' });
    expect(bodies[0]).toContain('filename="lcov.info"');
    expect(bodies[0]).toContain('end_of_record');
    expect(bodies[0]).toContain(sampleEntry.gathered_at);
  });

  it.each([
    ['main', undefined, '', undefined],
    [
      'lid',
      '?1',
      ' 1 of them counts for no environment.',
      'counts for no environment, because its run may not have had the code of main',
    ],
  ])(
    'tells the service and the user whether the code of the run was reviewed (%s)',
    async (branch, value, words, limit) => {
      await keep('item');
      const github = () => jsonAnswer(200, { ...spoolRunAnswer, head_branch: branch });
      const { result, requests, lines } = await replay({ github });
      const sent = requests.filter(({ method }) => method === 'POST');
      // A service that does not know the second header still sees that the evidence is of an earlier run.
      expect(sent.map(({ headers }) => headers['replayed-evidence'])).toEqual(['?1']);
      expect(sent.map(({ headers }) => headers['unreviewed-evidence'])).toEqual([value]);
      expect(result).toMatchObject({ conclusion: `Of 1 kept item: 1 delivered.${words}`, response: [{ limit }] });
      const state = limit === undefined ? 'delivered' : `delivered: ${limit}`;
      expect(lines.filter((line) => line.endsWith(`: ${state}`))).toHaveLength(1);
      expect(JSON.stringify(result.report.tables)).toContain(`✅ ${state}`);
    },
  );

  it('tells what was on record already, and skips what an earlier replay delivered', async () => {
    await keep('item');
    const known = await replay({ service: () => jsonAnswer(201, 'OK', { ...accepts, [replayedHeader]: 'true' }) });
    expect(statesOf(known.result)).toMatchObject([{ state: 'on record' }]);
    const again = await replay();
    expect(statesOf(again.result)).toMatchObject([{ state: 'delivered before' }]);
    expect(again.requests).toEqual([]);
    expect(again.result.outcome).toBe('done');
  });

  it('delivers the others if an item is damaged, hostile or refused, and is red then', async () => {
    await keepAt('bad-1', 1, { version: 7 });
    await keepAt('bad-2', 2, { operation: 'delete-service-account' });
    await keepAt('bad-3', 3, { parameters: { flow_name: '../..', trail_name: 'x' } });
    await keep('bad-4', { document: { ...sampleEntry.document, sonar_results: 'none' } });
    await keepAt('bad-5', 5, { run: { ...sampleEntry.run, run_id: '7' } });
    await keepAt('refused', 6);
    await keepAt('good', 7);
    const { result, keys } = await replay({
      service: (_request, earlier) => (earlier === 0 ? jsonAnswer(404, { message: 'Flow not found' }) : recorded),
    });
    expect(keys).toEqual(['refused', 'good']);
    expect(result.outcome).toBe('error');
    expect(result.failure?.kind).toBe('user');
    expect(statesOf(result)).toMatchObject([
      { item: '4242/bad-1', state: 'refused', reason: expect.stringContaining('version 7') },
      { item: '4242/bad-2', state: 'refused', reason: expect.stringContaining('delete-service-account') },
      { item: '4242/bad-3', state: 'refused', reason: expect.stringContaining('flow_name must match') },
      { item: '4242/bad-4', state: 'refused', reason: expect.stringContaining('sonar_results') },
      { item: '4242/bad-5', state: 'refused', reason: expect.stringContaining('was downloaded from run 4242') },
      { item: '4242/refused', state: 'refused', reason: expect.stringContaining('Flow not found') },
      { item: '4242/good', state: 'delivered' },
    ]);
  });

  it('says how to correct what the service refused, and asks for new evidence only if an item is not genuine', async () => {
    await keepAt('a', 1);
    await keepAt('b', 2);
    const unauthorized = jsonAnswer(401, { message: 'Authentication is required' }, { [keysAcceptedHeader]: '?1' });
    const refusal = await replay({ service: () => unauthorized, list: () => unauthorized });
    const { remedy = '' } = refusal.result.failure ?? {};
    expect(remedy).toContain('`api-token`');
    expect(remedy).toContain('the items stay as they are');
    expect(remedy).not.toContain('gather');
    await keepAt('c', 3, { version: 7 });
    const both = await replay({ service: () => unauthorized, list: () => unauthorized });
    expect(both.result.failure?.remedy).toMatch(/`api-token`[\s\S]*gather their evidence again/u);
  });

  it('says how to name a folder that it refuses, and to unpack archives', async () => {
    await workspace.write('spools/4242.zip', 'PK');
    const { result } = await replay();
    expect(statesOf(result)).toMatchObject([{ item: '4242.zip', reason: expect.stringContaining('is an archive') }]);
    expect(result.failure?.remedy).toMatch(
      /^Name each folder directly below `spool-path` by the id of the run .* unpack archives there; .*`path: spools\/RUN_ID`\. Then run the replay again/u,
    );
  });

  it('says why it could not check whether an item is on record', async () => {
    await keep('item');
    const down = (): never => {
      throw new TransportError('unreachable', false, 'connect ECONNREFUSED');
    };
    const { result, lines } = await replay({ service: down, list: down });
    expect(statesOf(result)).toMatchObject([{ reason: expect.stringMatching(/not sent: .*ECONNREFUSED/u) }]);
    expect(lines).toContain('attest-sonar: checking whether an earlier attempt was recorded');
  });

  it('names the trail or the artifact of items that are not attestations', async () => {
    const { user_data, git_commit_info } = sampleEntry.document;
    const document = { user_data, git_commit_info };
    const parameters = { flow_name: 'web' };
    await keep('1', { operation: 'begin-trail', parameters, document: { ...document, name: 'pr-7' } });
    await keep('2', { operation: 'attest-artifact', parameters, document: { ...document, filename: 'web.tgz' } });
    const { lines } = await replay({ inputs: { flow: 'other' } });
    expect(lines).toContainEqual(expect.stringContaining('begin-trail web/pr-7,'));
    expect(lines).toContainEqual(expect.stringContaining('attest-artifact web/web.tgz,'));
  });

  it('shows each item in one line of the log, whatever its names contain', async () => {
    const attestation_name = 'sonar\n2 of 2: forged: delivered';
    await keep('item', { document: { ...sampleEntry.document, attestation_name } });
    const { lines } = await replay();
    expect(lines.join('\n')).not.toMatch(/^2 of 2/mu);
  });

  it.each([
    [
      'a fork triggered its run',
      jsonAnswer(200, { ...spoolRunAnswer, head_repository: { full_name: 'mallory/widgets' } }),
      'fork',
    ],
    ['the repository has no such run', jsonAnswer(404, { message: 'Not Found' }), 'does not have'],
    ['the token may not read runs', jsonAnswer(403, { message: 'Resource not accessible' }), 'could not be checked'],
    ['the answer is about another run', jsonAnswer(200, { ...spoolRunAnswer, id: 7 }), 'not the workflow run 4242'],
  ])('sends nothing if %s', async (_what, answer, reason) => {
    await keep('item');
    const { result, keys } = await replay({ github: () => answer });
    expect(keys).toEqual([]);
    expect(result.outcome).toBe('error');
    expect(statesOf(result)).toMatchObject([{ reason: expect.stringContaining(reason) }]);
  });

  it('reads an item again before it is sent, instead of holding all items in memory', async () => {
    await keepAt('first', 1);
    await keepAt('second', 2);
    const manifest = join(workspace.path, 'spools', '4242', 'second', 'manifest.json');
    const { result, keys } = await replay({
      service: () => {
        writeFileSync(manifest, '{}');
        return recorded;
      },
    });
    expect(keys).toEqual(['first']);
    expect(statesOf(result)).toMatchObject([
      { item: '4242/first', state: 'delivered' },
      { item: '4242/second', state: 'refused', reason: expect.stringContaining('is damaged') },
    ]);
  });

  it('asks GitHub once for all items of a run', async () => {
    await keepAt('a', 1);
    await keepAt('b', 2);
    const { requests } = await replay();
    expect(requests.filter(({ url }) => url.hostname === 'api.github.com')).toHaveLength(1);
  });

  it('delivers only the flow that the step names', async () => {
    await keep('item');
    const { result, keys } = await replay({ inputs: { flow: 'shop' } });
    expect(keys).toEqual([]);
    expect(statesOf(result)).toMatchObject([{ reason: 'is for the flow web, not for shop' }]);
  });

  it('waits for the service with the first item only, and stops after three failures in a row', async () => {
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await keepAt(name, index);
    const down = (): never => {
      throw new TransportError('unreachable', false, 'connect ECONNREFUSED');
    };
    const { result, keys } = await replay({ service: down, inputs: { retries: '2' } });
    expect(keys).toEqual(['a', 'a', 'a', 'b', 'c']);
    expect(result.failure?.kind).toBe('external');
    expect(statesOf(result)).toMatchObject([
      ...['a', 'b', 'c'].map(() => ({ state: 'failed', reason: expect.stringContaining('ECONNREFUSED') })),
      ...['d', 'e'].map(() => ({ state: 'failed', reason: expect.stringContaining('not tried') })),
    ]);
  });

  it('does not send the rest with an API key that the service does not accept', async () => {
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await keepAt(name, index);
    const refusal = jsonAnswer(401, { message: 'Authentication is required' }, accepts);
    const { result, keys } = await replay({ service: () => refusal });
    expect(keys).toEqual(['a', 'b', 'c']);
    expect(statesOf(result)).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('not tried') }));
  });

  it('looks for the record first if the service does not honour keys, and never records twice', async () => {
    await keep('item');
    const recorded = { attestation_id: 'a', user_data: { idempotency_key: sampleEntry.idempotency_key } };
    const found = await replay({ list: () => listed({}, recorded) });
    expect(found.keys).toEqual([]);
    expect(statesOf(found.result)).toMatchObject([{ state: 'on record' }]);
    await keepAt('other', 1);
    const absent = await replay({ list: () => listed({}) });
    expect(absent.keys).toEqual(['other']);
    await keepAt('unknown', 2);
    const unknown = await replay({ list: () => jsonAnswer(403, { message: 'no' }) });
    expect(unknown.keys).toEqual([]);
    expect(statesOf(unknown.result)).toContainEqual(expect.objectContaining({ state: 'failed' }));
  });

  it('is done if there is nothing to deliver', async () => {
    await rm(join(workspace.path, 'spools', 'readme.txt'));
    const { result } = await replay();
    expect(result).toMatchObject({ outcome: 'done', count: 0, conclusion: 'There is no kept evidence to deliver.' });
    await mkdir(join(workspace.path, 'spools', '4242', 'compliance-spool-unit'), { recursive: true });
    expect((await replay()).result).toMatchObject({ outcome: 'done', count: 0 });
  });

  it.each(['manifest.json', 'src/main.ts', '4242/coverage/index.html'])(
    'refuses a folder that has other files only: %s',
    async (file) => {
      await rm(join(workspace.path, 'spools', 'readme.txt'));
      await workspace.write(`spools/${file}`, '{}');
      expect(await failureOf(replay())).toMatchObject({
        kind: 'user',
        message: expect.stringMatching(/ has files, but no kept evidence$/u),
        remedy: expect.stringMatching(/^Set `spool-path` to the folder into which an earlier step downloaded/u),
      });
    },
  );

  it('sends nothing in a dry run', async () => {
    await keep('item');
    const { result, keys } = await replay({ inputs: { 'dry-run': 'true' } });
    expect(keys).toEqual([]);
    expect(result.outcome).toBe('skipped');
    expect(statesOf(result)).toMatchObject([{ state: 'not sent' }]);
  });
});
