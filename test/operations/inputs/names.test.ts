import { describe, expect, it } from '@jest/globals';
import { environmentKinds } from '../../../src/contract/environment.ts';
import {
  comment,
  environment,
  environmentType,
  includedEnvironments,
  policies,
  policy,
} from '../../../src/operations/inputs/environment-inputs.ts';
import { connectionInputs } from '../../../src/operations/inputs/connection-inputs.ts';
import { attestationName, description, flow, trail } from '../../../src/operations/inputs/flow-inputs.ts';
import { notificationNumber, serviceAccount } from '../../../src/operations/inputs/organization-inputs.ts';
import { expectInput } from '../../support/input-cases.ts';

describe('inputs that name something in an organization', () => {
  it('have the names that a workflow author types', () => {
    const inputs = [environment, environmentType, includedEnvironments, policy, policies, comment];
    expect([...inputs, notificationNumber, serviceAccount].map(({ name }) => name)).toEqual([
      'environment',
      'environment-type',
      'included-environments',
      'policy',
      'policy',
      'comment',
      'notification-number',
      'service-account',
    ]);
  });

  it.each([
    [environment, /must be the name of an environment/u],
    [policy, /must be the name of a policy/u],
  ] as const)('take one name (%#)', (input, rule) => {
    expectInput(input, {
      good: [['prod-eu.1_a', 'prod-eu.1_a']],
      bad: [
        ['a b', rule],
        ['pr/12', rule],
        ['-prod', rule],
        ['prod~1', rule],
        ['a\nb', rule],
      ],
    });
  });

  it('take a name of 255 characters, and no longer one', () => {
    const longest = 'a'.repeat(255);
    for (const input of [environment, policy, flow, trail, connectionInputs.org.input]) {
      expectInput(input, {
        good: [[longest, longest]],
        bad: [[`${longest}a`, /, at most 255 characters long$/u]],
      });
    }
    expectInput(attestationName, {
      good: [[`${longest}.${longest}`, `${longest}.${longest}`]],
      bad: [[`${longest}.${longest}a`, /, at most 511 characters long$/u]],
    });
    expectInput(policies, { good: [], bad: [[`prod\n${longest}a`, /, at most 255 characters long$/u]] });
  });

  it('take texts of 65536 characters, and no longer ones, which an error does not repeat', () => {
    const longest = '\u{1f680}'.repeat(65_536);
    for (const input of [comment, description]) {
      expect(input.parse(longest)).toEqual({ value: longest });
      expect(input.parse(`${longest}a`)).toEqual({
        problem: 'must be at most 65536 characters long',
        remedy: 'Shorten it.',
        part: `${'\u{1f680}'.repeat(20)}…`,
      });
    }
  });

  it.each([
    [includedEnvironments, /names of environments/u],
    [policies, /names of policies/u],
  ] as const)('take several names, one per line (%#)', (input, rule) => {
    expectInput(input, {
      good: [
        ['prod', ['prod']],
        ['prod\r\n  staging \n', ['prod', 'staging']],
      ],
      bad: [
        ['prod, staging', rule],
        ['prod\n-', rule],
        ['prod\n\nstaging', /line 2 of 3 is empty/u],
      ],
    });
  });

  it('take the kinds of environments, spelled as the service does', () => {
    expectInput(environmentType, {
      good: environmentKinds.map((kind) => [kind, kind] as const),
      bad: [
        ['k8s', /must be `K8S`, .* or `logical`/u],
        ['kubernetes', /must be `K8S`/u],
      ],
    });
  });

  it('take the number of a notification', () => {
    expectInput(notificationNumber, {
      good: [
        ['1', '1'],
        ['123456789', '123456789'],
      ],
      bad: [
        ['0', /number of a notification/u],
        ['01', /number of a notification/u],
        ['#7', /number of a notification/u],
      ],
    });
  });

  it('take the name of a service account of 64 characters, and of no more', () => {
    const longest = 'a'.repeat(64);
    expectInput(serviceAccount, {
      good: [
        ['deployer-1', 'deployer-1'],
        [longest, longest],
      ],
      bad: [
        [`${longest}a`, /1 to 64 letters, digits and `-`/u],
        ['the_deployer', /1 to 64/u],
      ],
    });
  });
});
