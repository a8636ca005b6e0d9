import { webhookReport } from '../trial/sonar-report.ts';
import type { Scene } from './scene.ts';

type Subject = Pick<Scene, 'org' | 'flow' | 'key' | 'commit' | 'fingerprint'>;

/** The trails that attestations are spread over. */
const trails = 1000;

/** Operation 7, without a file, for one trail after another; as they go over the wire. */
export function attestRequests(subject: Subject): readonly string[] {
  const boundary = 'bench-boundary';
  const body = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="data_json"',
    '',
    JSON.stringify(attestation(subject)),
    `--${boundary}--`,
    '',
  ].join('\r\n');
  return Array.from({ length: trails }, (_, trail) =>
    [
      `POST /api/v2/attestations/${subject.org}/${subject.flow}/trail/load-${trail}/sonar HTTP/1.1`,
      ...commonHead(subject),
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** Operation 10, as it goes over the wire. */
export function getArtifactRequest(subject: Subject): string {
  const path = `/api/v2/artifacts/${subject.org}/${subject.flow}/fingerprint/${subject.fingerprint}`;
  return [`GET ${path} HTTP/1.1`, ...commonHead(subject), '', ''].join('\r\n');
}

function commonHead({ key }: Subject): readonly string[] {
  return ['Host: 127.0.0.1', `Authorization: Bearer ${key}`, 'Accept: application/json'];
}

function attestation({ commit }: Subject): unknown {
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
    user_data: {},
  };
}
