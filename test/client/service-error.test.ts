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

describe('the remedy', () => {
  it.each<readonly [string, Partial<ServiceErrorFacts>]>([
    [
      'Create the policy',
      {
        serviceMessage: 'Environment or policy not found',
        fieldErrors: { policy_names: "Policies 'p', 'q' do not exist in organization 'acme'" },
      },
    ],
    ['Check `base-url`', { serviceMessage: undefined, bodyDescription: 'an HTML page of 20 bytes' }],
    ['`auth-method`', { status: 401 }],
  ])('says %s', (words, change) => {
    expect(new ServiceError({ ...facts, ...change }).remedy).toContain(words);
  });
});
