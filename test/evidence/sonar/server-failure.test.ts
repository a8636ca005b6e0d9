import { describe, expect, it } from '@jest/globals';
import { noAnswer, refusal, type Asked } from '../../../src/evidence/sonar/server-failure.ts';
import { TransportError } from '../../../src/http/exchange.ts';

const asked: Asked = {
  url: new URL('https://sonar.example.com/sonarqube/api/ce/task?id=A'),
  address: { url: new URL('https://sonar.example.com/sonarqube'), namedBy: 'input', warnings: [] },
  permission: 'Browse',
  hasToken: true,
};

describe('a question to Sonar without an answer', () => {
  it.each([
    ['unreachable', 'HTTPS_PROXY'],
    ['timeout', 'HTTPS_PROXY'],
    ['untrusted', 'NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job'],
    ['interrupted', 'proxy or load balancer that cuts connections'],
    ['malformed', 'the right protocol and port'],
  ] as const)('because of the problem %s has the remedy for it', (problem, remedy) => {
    const failure = noAnswer(asked, new TransportError(problem, true, 'self-signed certificate'));
    expect(failure.kind).toBe('trouble');
    expect(failure.message).toBe(
      'no answer from Sonar to GET https://sonar.example.com/sonarqube/api/ce/task?id=A: self-signed certificate',
    );
    expect(failure.remedy).toContain(remedy);
  });
});

describe('an error status of Sonar', () => {
  it.each([
    [400, 'mistake', '`sonar-host-url`'],
    [401, 'mistake', '`sonar-token`'],
    [403, 'mistake', '"Browse"'],
    [404, 'mistake', '`sonar-host-url`'],
    [408, 'trouble', 'Try again later'],
    [429, 'trouble', 'limits how often'],
    [500, 'trouble', 'administrators'],
    [503, 'trouble', 'administrators'],
  ])('%i is a %s', (status, kind, remedy) => {
    const failure = refusal(asked, status, 'words', true);
    expect(failure.kind).toBe(kind);
    expect(failure.remedy).toContain(remedy);
  });
});
