import { describe, expect, it } from '@jest/globals';
import { roles } from '../../../src/contract/role.ts';
import {
  actorName,
  explainRefusal,
  type Grant,
  mayAccess,
  mayOpen,
  type Permission,
  toAttribution,
  toCountsFor,
} from '../../../src/service/account/access.ts';

const limited = (flow: string, countsFor: readonly string[]): Grant => ({ role: 'member', flows: [flow], countsFor });

describe('access', () => {
  it.each([
    [[], 'record', undefined],
    [[{ role: 'reader' }], 'record', 'the role reader; this needs the role admin or member'],
    [
      [{ role: 'snapshotter' }, { role: 'reader' }],
      'administer',
      'the role snapshotter and reader; this needs the role admin',
    ],
    [[{ role: 'member', flows: ['web'] }], 'record', 'permits this only for some flows and environments'],
    [
      [{ role: 'member', rule: 'pulls', permissions: ['record'] }],
      'define',
      'of the login rule pulls, which lacks the permission define; an admin can add it',
    ],
    [
      [{ role: 'member', rule: 'pulls', countsFor: ['staging'] }],
      'report',
      'of the login rule pulls, which permits this only for the environments that it names',
    ],
    [[{ role: 'member', flows: ['web'] }], 'administer', 'the role member; this needs the role admin'],
  ] as const)('explains why %j do not permit to %s', (grants, permission, words) => {
    const explained = explainRefusal(grants, permission);
    if (words === undefined) expect(explained).toBeUndefined();
    else expect(explained).toContain(words);
    expect(explained ?? '').not.toContain('web');
  });

  it.each<[string, readonly Grant[], readonly string[] | undefined]>([
    ['all environments, for a user', [{ role: 'member' }], undefined],
    [
      'what any of its rules names',
      [limited('web', ['b']), limited('web', ['a', 'b']), limited('web', [])],
      ['a', 'b'],
    ],
    ['all environments, if one of its rules does', [limited('web', []), { role: 'member', flows: ['web'] }], undefined],
    ['what the rules of this flow name', [limited('web', ['a']), { role: 'member', flows: ['api'] }], ['a']],
    ['what the rules name that permit to record', [limited('web', ['a']), { role: 'reader' }], ['a']],
    [
      'what the rules name that have the permission',
      [limited('web', ['a']), { role: 'member', permissions: ['define'] }],
      ['a'],
    ],
  ])('lets what is recorded count for %s', (_case, grants, environments) => {
    expect(toCountsFor({ grants }, 'web')).toEqual(environments);
  });

  it('lets an override count for what the rules name that permit to define', () => {
    const recording: Grant = { role: 'member', permissions: ['record'] };
    const grants: readonly Grant[] = [recording, { ...limited('web', ['a']), permissions: ['define'] }];
    expect(toCountsFor({ grants }, 'web', 'define')).toEqual(['a']);
    expect(toCountsFor({ grants }, 'web')).toBeUndefined();
  });

  it('records for the rules that permit it, and for no other rule of the run', () => {
    const grants = ['web', 'api'].map((flow): Grant => ({ ...limited(flow, []), recorder: `rule-of-${flow}` }));
    const caller = { org: 'acme', ownerKind: 'service account', owner: 'ci', grants, isLimitedToOrg: true } as const;
    expect(toAttribution(caller, 'web').recorders).toEqual([{ id: 'rule-of-web' }]);
  });

  it('permits to report the environments that a rule names or counts for', () => {
    const limits = { environments: ['production', 'staging'], countsFor: ['staging', 'preview'] };
    const caller = { org: 'acme', grants: [{ role: 'member' as const, ...limits }] };
    const mayReport = (name: string): boolean => mayAccess(caller, 'acme', 'report', { environments: [name] });
    expect(['production', 'staging', 'preview'].map(mayReport)).toEqual([true, true, false]);
  });

  it('is denied in other organizations, for every role and permission', () => {
    for (const role of roles) {
      for (const permission of [
        'read',
        'record',
        'define',
        'report',
        'read service accounts',
        'administer',
      ] satisfies Permission[]) {
        expect(mayAccess({ org: 'acme', grants: [{ role }] }, 'other', permission)).toBe(false);
        expect(mayAccess({ org: 'acme', grants: [{ role }] }, 'ACME', permission)).toBe(false);
      }
    }
  });

  it.each([
    [{}, ['flow', 'other flow', 'environment', 'both', 'organization']],
    [{ flows: ['web'] }, ['flow']],
    [{ environments: ['production'] }, ['environment']],
    [{ flows: ['web'], environments: ['production'] }, ['flow', 'environment', 'both']],
    [{ flows: ['web'], environments: [] }, ['flow']],
    [{ flows: [] }, []],
  ])('limited to %j opens only: %j', (limits, opened) => {
    const targets = {
      flow: { flows: ['web'] },
      'other flow': { flows: ['web', 'api'] },
      environment: { environments: ['production'] },
      both: { flows: ['web'], environments: ['production'] },
      organization: {},
    };
    const caller = { org: 'acme', grants: [{ role: 'member' as const, ...limits }] };
    const found = Object.entries(targets).filter(([, target]) => mayAccess(caller, 'acme', 'record', target));
    expect(found.map(([name]) => name)).toEqual(opened);
  });

  it('of a personal key extends to all organizations of its user, and of any other key to its own only', () => {
    for (const ownerKind of ['user', 'service account'] as const) {
      for (const isLimitedToOrg of [true, false]) {
        const key = { org: 'acme', ownerKind, isLimitedToOrg };
        expect(mayOpen(key, 'acme')).toBe(true);
        expect(mayOpen(key, 'other')).toBe(ownerKind === 'user' && !isLimitedToOrg);
      }
    }
  });

  it('is recorded so that a user and a service account with the same name differ', () => {
    expect(actorName({ ownerKind: 'user', owner: 'ci' })).toBe('ci');
    expect(actorName({ ownerKind: 'service account', owner: 'ci' })).toBe('service-account:ci');
  });
});
