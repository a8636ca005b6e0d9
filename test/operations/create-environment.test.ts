import { describe, expect, it } from '@jest/globals';
import { environmentKinds } from '../../src/contract/environment.ts';
import { always, type PerformedOperation, performOperation, reportFacts } from '../support/perform-operation.ts';
import { userErrorOf } from '../support/user-error.ts';

function create(inputs: Readonly<Record<string, string>>): Promise<PerformedOperation> {
  return performOperation('create-environment', inputs, always(201, 'OK'));
}

describe('create-environment', () => {
  it.each(environmentKinds)('creates an environment of the kind %s', async (kind) => {
    const { result, requests, sent } = await create({ environment: 'prod', 'environment-type': kind });
    expect(sent).toEqual(['PUT /environments/acme']);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ name: 'prod', type: kind });
    expect(result).toMatchObject({
      outcome: 'done',
      response: 'OK',
      conclusion: `Environment prod of type ${kind} was created or updated in organization acme.`,
    });
  });

  it('sends the given values, each name once', async () => {
    const { result, requests } = await create({
      environment: 'all',
      'environment-type': 'logical',
      description: 'Everything',
      'included-environments': 'prod\nstaging\nprod',
      policy: 'provenance\n scans\nscans\n',
    });
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
    const { result, requests, log } = await create(inputs);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ name: 'prod', type: 'K8S', require_provenance: required });
    expect(reportFacts(result)).toMatchObject({ 'Requires provenance': required ? 'yes' : 'no' });
    const warning =
      'create-environment with `require_provenance` is deprecated. Attach a policy with `artifacts.provenance.required: true` instead.';
    expect(log.warnings).toEqual(required ? [warning] : []);
    expect(log.notices).toEqual([]);
  });

  it('refuses members for an environment that has none', async () => {
    const mistake = await userErrorOf(() =>
      create({ environment: 'prod', 'environment-type': 'K8S', 'included-environments': 'staging' }),
    );
    expect(mistake.problems).toEqual([expect.objectContaining({ input: 'included-environments' })]);
  });

  it.each(['include-scaling', 'include_scaling'])('refuses the deprecated %s, which has no effect', async (name) => {
    const mistake = await userErrorOf(() => create({ environment: 'prod', 'environment-type': 'K8S', [name]: 'true' }));
    expect(mistake.problems).toEqual([
      {
        input: name,
        what: expect.stringMatching(new RegExp(`^\`${name}\` is deprecated by the service`, 'u')),
        remedy: expect.stringContaining('Remove it'),
      },
    ]);
  });

  it('reports a deprecated input together with other problems', async () => {
    const mistake = await userErrorOf(() => create({ environment: 'a b', 'include-scaling': 'true' }));
    expect(mistake.problems.map(({ input }) => input).sort()).toEqual([
      'environment',
      'environment-type',
      'include-scaling',
    ]);
  });
});
