import { describe, expect, it } from '@jest/globals';
import { ServiceError, type ServiceErrorFacts } from '../../src/client/service-error.ts';

const facts: ServiceErrorFacts = {
  ...{ operation: 'list-snapshots', method: 'GET', path: '/snapshots/acme/stage', status: 404, attempts: 1 },
  ...{ serviceMessage: 'Flow not found', fieldErrors: {}, bodyDescription: undefined },
};
const named = "Environment named 'stage' does not exist for organization 'acme'";
const messageOf = (change: Partial<ServiceErrorFacts>): string => new ServiceError({ ...facts, ...change }).message;

describe('the error of the service', () => {
  it('begins with what names the missing thing', () => {
    expect(messageOf({ fieldErrors: { 'path.env_name': named } })).toBe(
      `list-snapshots: GET /snapshots/acme/stage returned 404: ${named} (Flow not found)`,
    );
  });

  it('has all other fields below it, each with its lines together', () => {
    const fieldErrors = { other: 'one\ntwo', 'path.env_name': named, third: 'is wrong' };
    expect(messageOf({ fieldErrors })).toBe(
      `list-snapshots: GET /snapshots/acme/stage returned 404: ${named} (Flow not found)\n  other: one\n    two\n  third: is wrong`,
    );
  });

  it.each([
    [{ fieldErrors: { 'path.env_name': 'is wrong' } }, '404: Flow not found\n  path.env_name: is wrong'],
    [{ status: 400, fieldErrors: { field: named } }, `400: Flow not found\n  field: ${named}`],
    [{ serviceMessage: undefined, fieldErrors: { field: named } }, `404 with no body\n  field: ${named}`],
  ])('begins with the message if none does: %j', (change, words) => {
    expect(messageOf(change)).toBe(`list-snapshots: GET /snapshots/acme/stage returned ${words}`);
  });
});

it('says that the method of a refused key may be wrong', () => {
  expect(new ServiceError({ ...facts, status: 401 }).remedy).toContain('`auth-method`');
});

describe('the remedy for something that does not exist', () => {
  const environmentOrPolicy = 'Environment or policy not found';

  it.each<readonly [string, Partial<ServiceErrorFacts>]>([
    ['`create-flow`, `create-environment` and `create-policy`', { serviceMessage: environmentOrPolicy }],
    [
      'Create the policy',
      {
        serviceMessage: environmentOrPolicy,
        fieldErrors: { policy_names: "Policies 'p', 'q' do not exist in organization 'acme'" },
      },
    ],
    ['`attest-artifact`', { serviceMessage: 'Artifact with fingerprint 0c8e does not exist in trail "main"' }],
    ['`attestation-type`', { serviceMessage: "Custom attestation type 'lines' does not exist for org 'acme'" }],
    ['`notification-number`', { serviceMessage: 'Action not found' }],
    ['Check `org`, `flow`', {}],
    ['Check `org`, `flow`', { serviceMessage: "Attestation 'scan' does not exist in trail 'main'" }],
    ['Check `base-url`', { serviceMessage: 'There is nothing at GET /api/api/v2/flows/acme' }],
    ['Check `base-url`', { serviceMessage: undefined, bodyDescription: 'an HTML page of 20 bytes' }],
  ])('says %s', (words, change) => {
    expect(new ServiceError({ ...facts, ...change }).remedy).toContain(words);
  });
});
