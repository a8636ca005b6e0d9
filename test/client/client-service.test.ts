import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from '../../src/client/client.ts';
import type { EndpointCall } from '../../src/client/endpoint-call.ts';
import type { FilePart } from '../../src/client/request-body.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { reportArtifact } from '../../src/contract/artifact-report.ts';
import { attestSonar, type SonarAttestation } from '../../src/contract/attestations/sonar.ts';
import { createFlow } from '../../src/contract/flow.ts';
import { maximumFileBytes } from '../../src/contract/limits.ts';
import { listSnapshots } from '../../src/contract/snapshot.ts';
import { openTestClient, type TestClient } from '../support/client.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.stop();
});

const opened = closeAfterEach();

function clientOf(connection: Partial<Connection> = {}): TestClient['client'] {
  // Random keys, because the calls here are not of one step.
  const settings = {
    connection: { apiToken: service.apiKey, ...connection },
    retryPolicy: { retries: 0 },
    random: Math.random,
  };
  return opened(openTestClient(service.baseUrl, settings)).client;
}

const org = 'acme';
const commit = 'c'.repeat(40);

async function makeFlow(name: string, template: string[] = ['artifact', 'sonar']): Promise<void> {
  await clientOf().call(createFlow, { parameters: { org }, document: { name, description: 'A flow', template } });
}

function attestation(status: string): SonarAttestation {
  return {
    attestation_name: 'sonar',
    git_commit_info: {
      sha1: commit,
      author: 'Ann Dev <ann@example.com>',
      branch: 'main',
      message: 'feat: größer\n\nbody',
      timestamp: 1_767_323_045,
    },
    sonar_results: { project: { key: 'acme_web', name: 'web' }, qualityGate: { status, conditions: [] } },
    user_data: { build: 7 },
  };
}

async function attest(flow: string, trail: string, status: string, file?: FilePart): Promise<number> {
  const answered = await clientOf().call(attestSonar, {
    parameters: { org, flow_name: flow, trail_name: trail },
    document: attestation(status),
    ...(file === undefined ? {} : { file }),
  });
  return answered.status;
}

async function makeArtifact(flow: string, trail: string, fingerprint: string): Promise<void> {
  await clientOf().call(reportArtifact, {
    parameters: { org, flow_name: flow },
    document: {
      fingerprint,
      filename: 'web.tgz',
      git_commit: commit,
      build_url: 'https://ci.example.com/1',
      commit_url: 'https://github.com/acme/web/commit/c',
      trail_name: trail,
    },
  });
}

/** A file of so many bytes, made as it is read. */
function fileOf(size: number, filename = 'lcov.info'): FilePart {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  return {
    filename,
    size,
    open: () =>
      Readable.from(
        (function* () {
          for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
        })(),
        { objectMode: false },
      ),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('the client with the service', () => {
  it('creates a flow with a basic key as well', async () => {
    const document = { name: 'basic', description: '', template: [] };
    const call = { parameters: { org }, document };
    await expect(clientOf({ authenticationMethod: 'basic' }).call(createFlow, call)).resolves.toMatchObject({
      status: 201,
    });
  });

  it('attests a Sonar scan without a file and with one, under either name of its part', async () => {
    await makeFlow('attested');
    await expect(attest('attested', 'v1', 'OK')).resolves.toBe(201);
    for (const filePartStyle of ['indexed', 'plain'] as const) {
      await expect(
        clientOf({ filePartStyle }).call(attestSonar, {
          parameters: { org, flow_name: 'attested', trail_name: 'v1~rc.1' },
          document: attestation('OK'),
          file: fileOf(1000, 'größe "1".info'),
        }),
      ).resolves.toMatchObject({ status: 201 });
    }
  });

  it('uploads exactly 10 MiB', async () => {
    await makeFlow('large');
    await expect(attest('large', 'v1', 'OK', fileOf(maximumFileBytes))).resolves.toBe(201);
  });

  it('rejects one byte more before it is sent', async () => {
    await makeFlow('larger');
    await expect(attest('larger', 'v1', 'OK', fileOf(maximumFileBytes + 1))).rejects.toMatchObject({
      kind: 'user',
      message: expect.stringContaining('is 10485761 bytes, but at most 10485760 are accepted'),
    });
  });
});

describe('evidence of several attempts of a run', () => {
  const callOf = (flow: string, status: string): EndpointCall<typeof attestSonar> => ({
    parameters: { org, flow_name: flow, trail_name: 'v1' },
    document: attestation(status),
  });
  const clientOfAttempt = (attempt: number): TestClient['client'] => {
    const run = { repository: 'acme/web', runId: '7', attempt: String(attempt) };
    return clientOf({ identity: { ...run, job: 'build', matrix: undefined, step: '__run' } });
  };
  const attestIn = async (flow: string, statuses: readonly string[]): Promise<readonly string[]> => {
    const sources: string[] = [];
    for (const [index, status] of statuses.entries()) {
      sources.push((await clientOfAttempt(index + 1).call(attestSonar, callOf(flow, status))).source);
    }
    return sources;
  };
  const stateIn = async (flow: string): Promise<unknown> => {
    const parameters = { org, flow_name: flow, fingerprint: digest(flow) };
    return (await clientOf().call(getArtifact, { parameters })).body.state;
  };

  it('ends with what the last one found, even if an earlier one found the same', async () => {
    await makeFlow('attempts');
    await makeArtifact('attempts', 'v1', digest('attempts'));
    const sources = await attestIn('attempts', ['ERROR', 'ERROR', 'OK', 'ERROR', 'ERROR']);
    expect(sources).toEqual(['answer', 'replay', 'answer', 'answer', 'replay']);
    await expect(stateIn('attempts')).resolves.toBe('NON-COMPLIANT');
  });

  it('is not recorded again if it was kept before something newer was recorded', async () => {
    await makeFlow('kept');
    await makeArtifact('kept', 'v1', digest('kept'));
    const { key } = await clientOfAttempt(1).prepare(attestSonar, callOf('kept', 'OK'));
    await attestIn('kept', ['OK', 'ERROR']);
    const kept = { ...callOf('kept', 'OK'), ...(key === undefined ? {} : { key }), since: 0 };
    await expect(clientOf().call(attestSonar, kept)).resolves.toMatchObject({ source: 'replay' });
    await expect(stateIn('kept')).resolves.toBe('NON-COMPLIANT');
  });
});

describe('the error of the client', () => {
  it('says that the flow does not exist', async () => {
    await expect(attest('nowhere', 'v1', 'OK')).rejects.toMatchObject({
      kind: 'user',
      facts: { status: 404, serviceMessage: 'Flow not found' },
      message:
        "attest-sonar: POST /attestations/acme/nowhere/trail/v1/sonar returned 404: Flow named 'nowhere' does not exist for organization 'acme' (Flow not found)",
      remedy: 'Create the flow first, with `create-flow`, or correct the name in `flow`.',
    });
  });

  it('names the environment that does not exist before it says that the flow does not exist', async () => {
    await expect(clientOf().call(listSnapshots, { parameters: { org, env_name: 'nowhere' } })).rejects.toThrow(
      "returned 404: Environment named 'nowhere' does not exist for organization 'acme' (Flow not found)",
    );
  });

  it('points to `api-token` if the key is unknown', async () => {
    const parameters = { org, flow_name: 'web', fingerprint: 'abcde' };
    await expect(clientOf({ apiToken: 'nobody_knows' }).call(getArtifact, { parameters })).rejects.toMatchObject({
      facts: { status: 401, serviceMessage: expect.stringMatching(/./u) },
      remedy: expect.stringContaining('`api-token`'),
    });
  });

  it('points to `org` if the key belongs to another organization', async () => {
    const apiToken = await service.createOrganization('other');
    const parameters = { org, flow_name: 'web', fingerprint: 'abcde' };
    await expect(clientOf({ apiToken }).call(getArtifact, { parameters })).rejects.toMatchObject({
      facts: { status: 403, serviceMessage: expect.stringMatching(/./u) },
      remedy: expect.stringContaining('`org`'),
    });
  });

  it('points to the role if it may not do this', async () => {
    const apiToken = await service.createKey('reader');
    const document = { name: 'readers', description: '', template: [] };
    await expect(clientOf({ apiToken }).call(createFlow, { parameters: { org }, document })).rejects.toMatchObject({
      facts: { status: 403 },
      remedy: expect.stringMatching(/role.*login rule/u),
    });
  });
});
