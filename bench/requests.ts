import { idempotencyDataKey } from '../src/contract/idempotency.ts';
import { webhookReport } from '../trial/sonar-report.ts';
import type { Fixture } from './fixture.ts';

/**
 * An idempotency key as the action makes it. The load generator counts up its run id, so that each request has its own
 * key.
 */
export const sampleKey = { runId: '17000000000', rest: `-${'k'.repeat(43)}` } as const;

type Subject = Pick<Fixture, 'org' | 'flow' | 'key' | 'commit'>;

/** The number of trails that attestations are spread over. */
const trails = 1000;

/** Requests of operation 7 with `sampleKey` and no file, for one trail after another, as they go over the wire. */
export function attestRequests(subject: Subject): readonly string[] {
  const key = sampleKey.runId + sampleKey.rest;
  return Array.from({ length: trails }, (_, trail) => attestRequest(subject, `load-${trail}`, key));
}

/**
 * A request of operation 7 without a file, as it goes over the wire.
 *
 * @param key the idempotency key; absent if the request has none
 */
export function attestRequest(subject: Subject, trail: string, key?: string): string {
  const boundary = 'bench-boundary';
  const body = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="data_json"',
    '',
    JSON.stringify(attestationDocument(subject, key)),
    `--${boundary}--`,
    '',
  ].join('\r\n');
  return [
    `POST /api/v2/attestations/${subject.org}/${subject.flow}/trail/${trail}/sonar HTTP/1.1`,
    ...commonHead(subject),
    ...(key === undefined ? [] : [`Idempotency-Key: "${key}"`]),
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** A request without a body, as it goes over the wire. */
export function getRequest(subject: Pick<Subject, 'key'>, path: string): string {
  return [`GET /api/v2${path} HTTP/1.1`, ...commonHead(subject), '', ''].join('\r\n');
}

/** A request of operation 10, as it goes over the wire. */
export function getArtifactRequest(subject: Pick<Subject, 'org' | 'flow' | 'key'>, fingerprint: string): string {
  return getRequest(subject, `/artifacts/${subject.org}/${subject.flow}/fingerprint/${fingerprint}`);
}

function commonHead({ key }: Pick<Subject, 'key'>): readonly string[] {
  return ['Host: 127.0.0.1', `Authorization: Bearer ${key}`, 'Accept: application/json'];
}

/** The document of operation 7, with its idempotency key if it has one. */
export function attestationDocument({ commit }: Pick<Subject, 'commit'>, key?: string): unknown {
  return {
    attestation_name: 'sonar',
    git_commit_info: {
      sha1: commit,
      message: 'feat: begin',
      author: 'Ann Dev <ann@example.com>',
      timestamp: 1_795_000_000,
      branch: 'main',
      url: `https://github.com/example/web/commit/${commit}`,
    },
    sonar_results: webhookReport(commit, 'OK', '87.5'),
    user_data: key === undefined ? {} : { [idempotencyDataKey]: key },
  };
}
