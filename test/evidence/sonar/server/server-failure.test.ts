import { describe, expect, it } from '@jest/globals';
import {
  createNoResponseError,
  type SonarCall,
  toStatusFailure,
} from '../../../../src/evidence/sonar/server/server-failure.ts';
import { TransportError } from '../../../../src/http/transport.ts';

const asked: SonarCall = {
  url: new URL('https://sonar.example.com/sonarqube/api/ce/task?id=A'),
  address: { url: new URL('https://sonar.example.com/sonarqube'), namedBy: 'input', warnings: [] },
  permission: 'Browse',
  token: 'other',
};

describe('a request to Sonar without a response', () => {
  it.each([
    ['timeout', 'HTTPS_PROXY'],
    ['untrusted', 'NODE_EXTRA_CA_CERTS to its PEM file in the `env` of the job'],
    ['interrupted', 'proxy or load balancer that cuts connections'],
    ['malformed', 'the right protocol and port'],
  ] as const)('because of the problem %s has the remedy for it', (problem, remedy) => {
    const failure = createNoResponseError(asked, new TransportError(problem, true, 'self-signed certificate'));
    expect(failure.kind).toBe('external');
    expect(failure.message).toBe(
      'no answer from Sonar to GET https://sonar.example.com/sonarqube/api/ce/task?id=A: self-signed certificate',
    );
    expect(failure.remedy).toContain(remedy);
  });
});

describe('an error status of Sonar', () => {
  it.each([
    [400, 'user', '`sonar-host-url`'],
    [408, 'external', 'Try again later'],
    [429, 'external', 'limits the number of requests'],
    [500, 'external', 'administrators'],
    [503, 'external', 'administrators'],
  ])('%i is a %s', (status, kind, remedy) => {
    const failure = toStatusFailure(asked, status, 'words', true);
    expect(failure.kind).toBe(kind);
    expect(failure.remedy).toContain(remedy);
  });
});

describe('a 404 that does not have the format of Sonar', () => {
  const refuse = (address: string, namedBy: 'input' | 'report' = 'input') => {
    const url = new URL(address);
    return toStatusFailure(
      { ...asked, address: { url, namedBy, warnings: [] } },
      404,
      'an HTML page of 9 bytes',
      false,
    );
  };

  it.each([
    ['https://sonar.example.com/wrong', 'input', 'Correct the context path /wrong in `sonar-host-url`'],
    ['https://sonar.example.com', 'report', 'The address comes from the scan: set `sonar-host-url`'],
  ] as const)('at %s, named by the %s, has the remedy for it', (address, namedBy, remedy) => {
    expect(refuse(address, namedBy).remedy).toContain(remedy);
  });
});

describe('a missing permission', () => {
  it('is named, with a note that "Browse" is not enough for the background task', () => {
    const execute = { ...asked, permission: 'Execute Analysis' } as const;
    expect(toStatusFailure(execute, 403, 'Insufficient privileges', true).remedy).toBe(
      'Give the owner of `sonar-token` the permission "Execute Analysis" on the project ("Browse" alone is not enough).',
    );
    expect(toStatusFailure({ ...execute, token: 'none' }, 403, 'words', true).remedy).toContain('"Execute Analysis"');
    expect(toStatusFailure(asked, 403, 'Insufficient privileges', true).remedy).not.toContain('not enough');
  });
});
