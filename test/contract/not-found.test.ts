import { describe, expect, it } from '@jest/globals';
import { findMissingResource, type Resource } from '../../src/contract/not-found.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

const awaited = interfaceEndpoints
  .filter(({ operation }) => operation === 'get-artifact' || operation === 'list-snapshots')
  .flatMap(({ errors }) => errors.filter(({ status }) => status === 404).map(({ message }) => message))
  .map((message) => [message.startsWith('Flow') ? 'Flow' : 'Artifact', message] as const);

describe('what a message says is not on record', () => {
  it('has declared messages to test', () => {
    expect(awaited.length).toBeGreaterThanOrEqual(3);
  });

  it.each<readonly [Resource, string]>([
    ...awaited,
    ['Environment', 'Environment or policy not found'],
    ['Service account', 'Service account not found'],
    ['Environment', "Environment named 'prod' does not exist for organization 'acme'"],
    ['Flow', "Flow named 'web' does not exist for organization 'acme'"],
    ['Trail', "Trail with name 'v1' does not exist for Organization 'acme' and Flow 'web'"],
    ['Artifact', "Artifact with fingerprint 'abcde' does not exist in flow 'web' belonging to organization 'acme'"],
    ['Artifact', 'Artifact with fingerprint abcde does not exist in trail "Flow" of flow "web"'],
    ['Policy', "Policy 'scans' does not exist in organization 'acme'"],
    ['Policy', "Policies 'scans', 'tests' do not exist in organization 'acme'"],
    ['Custom attestation type', "Custom attestation type 'lines' does not exist for org 'acme'"],
    ['Action', 'Action not found'],
    ['Snapshot', "Org: 'acme'. Snapshot 'prod#23' resolves to 'prod#23'. len(snapshots) == 3. Indexes are 1-based"],
    ['Snapshot', "Snapshot 'prod' resolves to 'prod#0'"],
    ['Flow', 'Flow not found. You have requested this URI [/api/v2/x] but did you mean /api/v2/y ?'],
  ])('%s, in the words of the service: %s', (resource, message) => {
    expect(findMissingResource(message)).toBe(resource);
  });

  it.each([
    '',
    'Not Found',
    'not found',
    'Route not found',
    'Route GET:/api/v2/flows not found',
    'Page not found',
    'no Route matched with those values',
    '404 Project Not Found',
    '404 Environment Not Found',
    'No message available',
    'Cannot GET /api/v2/artifacts',
    'There is nothing at GET /api/v3/artifacts',
    'Organization not found',
    'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.',
    'The flow is not found',
  ])('nothing, in those of a router, a proxy or another API: %s', (message) => {
    expect(findMissingResource(message)).toBeUndefined();
  });

  // In quadratic time, this would take hours.
  it('takes linear time', () => {
    expect(findMissingResource(`Flow ${' not foun'.repeat(1_000_000)}`)).toBeUndefined();
    expect(findMissingResource(`Org: '${"'. Snapshot '".repeat(1_000_000)}`)).toBeUndefined();
  });
});
