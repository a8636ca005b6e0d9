import { describe, expect, it } from '@jest/globals';
import { isNotFound, isTransientFailure, missingResource, withNote } from '../../src/client/failure-kinds.ts';
import { ServiceError } from '../../src/client/service-error.ts';
import { TransportError, type TransportProblem } from '../../src/http/transport.ts';
import { ExternalError, UserError } from '../../src/runtime/failure.ts';

function answered(status: number, serviceMessage: string | undefined = 'So it said'): ServiceError {
  return new ServiceError({
    operation: 'get-artifact',
    method: 'GET',
    path: '/artifacts/acme/web/fingerprint/abcde',
    status,
    serviceMessage,
    fieldErrors: {},
    bodyDescription: 'an HTML page of 12 bytes',
    attempts: 1,
  });
}

function unanswered(problem: TransportProblem): ExternalError {
  const cause = new TransportError(problem, true, 'it broke');
  return new ExternalError({ what: 'no answer', remedy: 'Try again.', cause });
}

describe('whether a failure is transient', () => {
  it.each([
    [302, false],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [409, true],
    [413, false],
    [429, true],
    [500, true],
    [501, false],
    [502, true],
    [503, true],
  ])('an answer %d: %p', (status, transient) => {
    expect(isTransientFailure(answered(status))).toBe(transient);
  });

  it.each([
    ['unreachable', true],
    ['interrupted', true],
    ['timeout', true],
    ['untrusted', false],
    ['malformed', false],
  ] as const)('no answer, %s: %p', (problem, transient) => {
    expect(isTransientFailure(unanswered(problem))).toBe(transient);
  });

  it.each([
    ['ENOTFOUND', false],
    ['EAI_AGAIN', true],
    ['ECONNREFUSED', true],
  ])('no connection, %s, after one attempt or several: %p', (code, transient) => {
    const once = new TransportError('unreachable', false, code, { cause: Object.assign(new Error(code), { code }) });
    const often = new TransportError('unreachable', false, `${code} (after 4 attempts)`, { cause: once });
    for (const cause of [once, often]) {
      const failure = new ExternalError({ what: 'no answer', remedy: 'Try again.', cause });
      expect(isTransientFailure(failure)).toBe(transient);
    }
  });

  it('not an invalid answer or a mistake in the workflow', () => {
    expect(isTransientFailure(new ExternalError({ what: 'an unknown state', remedy: 'Look.' }))).toBe(false);
    expect(isTransientFailure(new UserError({ what: 'no such input', remedy: 'Look.' }))).toBe(false);
  });
});

describe('whether something does not exist', () => {
  it('is decided by the service’s message', () => {
    expect(isNotFound(answered(404, 'Flow not found'))).toBe(true);
    expect(isNotFound(answered(404, 'Not Found'))).toBe(false);
    expect(isNotFound(answered(400, 'Flow not found'))).toBe(false);
    expect(isNotFound(unanswered('timeout'))).toBe(false);
    expect(missingResource(answered(404, "Artifact with fingerprint 'a' does not exist in flow 'web'"))).toBe(
      'Artifact',
    );
    expect(missingResource(unanswered('timeout'))).toBeUndefined();
  });

  it('names create-flow if it is the flow, but not if the interface calls an environment so', () => {
    const refused = answered(404, "Flow named 'web' does not exist for organization 'acme'");
    expect(refused.remedy).toContain('`create-flow`');
    const fieldErrors = { 'path.env_name': "Environment named 'stage' does not exist for organization 'acme'" };
    const environment = new ServiceError({ ...answered(404, 'Flow not found').facts, fieldErrors });
    expect(environment.remedy).toBe('Create the environment first, with `create-environment`, or correct its name.');
    // Without a field, it may be either.
    const { remedy } = answered(404, 'Flow not found');
    for (const operation of ['create-flow', 'create-environment']) expect(remedy).toContain(`\`${operation}\``);
    expect(answered(404, 'Trail not found').remedy).not.toContain('Create');
  });

  it.each([
    ["Policy 'prod' does not exist in organization 'acme'", '`create-policy`'],
    ["Org: 'acme'. Snapshot 'prod#9' resolves to 'prod#9'. len(snapshots) == 1", '`list-snapshots`'],
    ['Service account not found', '`list-service-accounts`'],
    ['Artifact with fingerprint 0c8e does not exist in trail "main"', '`attest-artifact`'],
    ["Custom attestation type 'lines' does not exist for org 'acme'", '`attestation-type`'],
    ['Action not found', '`notification-number`'],
    ["Attestation 'scan' does not exist in trail 'main'", 'Check `org`, `flow`'],
    ['Environment or policy not found', '`create-environment` and `create-policy`'],
    ['There is nothing at POST /acme/flows/web/api/v2/flows/acme', 'Check `base-url`'],
  ])('has a remedy for what is missing: %s', (message, remedy) => {
    expect(answered(404, message).remedy).toContain(remedy);
  });

  it('is not said by the page of another server', () => {
    const page = new ServiceError({ ...answered(404).facts, serviceMessage: undefined });
    expect(isNotFound(page)).toBe(false);
  });
});

describe('a failure with a note', () => {
  it('stays the service’s refusal, with its facts and kind', () => {
    const noted = withNote(answered(404), 'Waited 5 s.');
    expect(noted).toBeInstanceOf(ServiceError);
    expect(noted).toMatchObject({ kind: 'user', facts: { status: 404, serviceMessage: 'So it said' } });
    expect(noted.message).toBe(`${answered(404).message}\nWaited 5 s.`);
  });

  it('stays an external error, with its remedy and cause', () => {
    const noted = withNote(unanswered('timeout'), 'Waited 5 s.');
    expect(noted).toMatchObject({ kind: 'external', message: 'no answer\nWaited 5 s.', remedy: 'Try again.' });
    expect(isTransientFailure(noted)).toBe(false);
  });
});
