import { describe, expect, it } from '@jest/globals';
import { environmentKinds } from '../../src/contract/environment.ts';
import { userErrorOf } from '../support/user-error.ts';
import { always, reportFacts, performOperation } from '../support/perform-operation.ts';

const ok = always(201, 'OK');

describe('create-environment', () => {
  it.each(environmentKinds)('creates an environment of the kind %s', async (kind) => {
    const { result, requests, sent } = await performOperation(
      'create-environment',
      { environment: 'prod', 'environment-type': kind },
      ok,
    );
    expect(sent).toEqual(['PUT /environments/acme']);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ name: 'prod', type: kind });
    expect(result).toMatchObject({
      outcome: 'done',
      response: 'OK',
      conclusion: `Environment prod of type ${kind} was created or updated in organization acme.`,
    });
  });

  it('sends the given values, each name once', async () => {
    const { result, requests } = await performOperation(
      'create-environment',
      {
        environment: 'all',
        'environment-type': 'logical',
        description: 'Everything',
        'included-environments': 'prod\nstaging\nprod',
        policy: 'provenance\n scans\nscans\n',
      },
      ok,
    );
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      name: 'all',
      type: 'logical',
      description: 'Everything',
      included_environments: ['prod', 'staging'],
      policies: ['provenance', 'scans'],
    });
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Environment: 'all',
      Type: 'logical',
      Description: 'Everything',
      'Included environments': 'prod, staging',
      Policies: 'provenance, scans',
    });
  });

  it.each([true, false])('sends `require-provenance: %s`, and warns that it is deprecated', async (required) => {
    const inputs = { environment: 'prod', 'environment-type': 'K8S', 'require-provenance': String(required) };
    const { result, requests, log } = await performOperation('create-environment', inputs, ok);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ name: 'prod', type: 'K8S', require_provenance: required });
    expect(reportFacts(result)).toMatchObject({ 'Requires provenance': required ? 'yes' : 'no' });
    const warning =
      'create-environment with `require_provenance` is deprecated. Attach a policy with `artifacts.provenance.required: true` instead.';
    expect(log.warnings).toEqual(required ? [warning] : []);
    expect(log.notices).toEqual([]);
  });

  it('refuses members for an environment that has none', async () => {
    const mistake = await userErrorOf(() =>
      performOperation(
        'create-environment',
        { environment: 'prod', 'environment-type': 'K8S', 'included-environments': 'staging' },
        ok,
      ),
    );
    expect(mistake.problems).toEqual([expect.objectContaining({ input: 'included-environments' })]);
  });

  it.each([
    ['include-scaling', /Remove it/u],
    ['include_scaling', /Remove it/u],
  ])('refuses the deprecated %s, which has no effect', async (name, remedy) => {
    const mistake = await userErrorOf(() =>
      performOperation('create-environment', { environment: 'prod', 'environment-type': 'K8S', [name]: 'true' }, ok),
    );
    expect(mistake.problems).toEqual([
      {
        input: name,
        what: expect.stringMatching(new RegExp(`^\`${name}\` is deprecated by the service`, 'u')),
        remedy: expect.stringMatching(remedy),
      },
    ]);
  });

  it('reports a deprecated input together with other problems', async () => {
    const mistake = await userErrorOf(() =>
      performOperation('create-environment', { environment: 'a b', 'include-scaling': 'true' }, ok),
    );
    expect(mistake.problems.map(({ input }) => input).sort()).toEqual([
      'environment',
      'environment-type',
      'include-scaling',
    ]);
  });
});
