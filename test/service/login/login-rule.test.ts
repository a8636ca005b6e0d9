import { describe, expect, it } from '@jest/globals';
import { conforms } from '../../../src/contract/check.ts';
import { loginRuleDocument } from '../../../src/contract/login-rule.ts';
import { applyLoginRules, type LoginRule } from '../../../src/service/login/login-rule.ts';
import {
  findContradictions,
  readIdentity,
  toProven,
  type WorkflowIdentity,
} from '../../../src/service/login/workflow-identity.ts';
import { pushClaims } from '../../../tools/identity-provider.ts';

const rule = (change: Partial<LoginRule> = {}): LoginRule => ({
  ...{ name: 'deploy', description: '', issuer: 'https://issuer.example.com' },
  ...{ repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'] },
  ...{ private_pull_requests: false, role: 'member', created_at: 1, created_by: 'ann', last_modified_at: 1 },
  ...change,
});

function run(claims: Readonly<Record<string, unknown>> = {}): WorkflowIdentity {
  const read = readIdentity({ ...pushClaims, iss: 'https://issuer.example.com', exp: 300, ...claims });
  if ('fault' in read) throw new Error(read.fault);
  return read.identity;
}

/** The conditions that do not hold; empty if the rule admits the run. */
function broken(change: Partial<LoginRule>, claims: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const { rules, mismatches } = applyLoginRules([rule(change)], run(claims));
  return rules.length > 0 ? [] : (mismatches[0]?.conditions ?? ['another repository']);
}

describe('a login rule', () => {
  it('admits the runs that it describes', () => {
    expect(applyLoginRules([rule()], run())).toEqual({ rules: ['deploy'], mismatches: [] });
  });

  it.each<[string, Partial<LoginRule>, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['a renamed repository', {}, { repository: 'acme/shop' }, ['repository']],
    ['a recreated repository', {}, { repository_id: '124' }, ['repository_id']],
    ['a repository with another owner', {}, { repository: 'eve/web', repository_id: '9' }, ['another repository']],
    ['another issuer', { issuer: 'https://other.example.com' }, {}, ['another repository']],
    ['another branch', {}, { ref: 'refs/heads/main2' }, ['refs']],
    ['a tag with the name of the branch', {}, { ref: 'refs/tags/main' }, ['refs']],
    ['pull_request_target', {}, { event_name: 'pull_request_target' }, ['events']],
    ['a job without the environment', { job_environments: ['production'] }, {}, ['job_environments']],
    ['another actor', { actors: ['ann'] }, {}, ['actors']],
    ['another workflow', { workflows: ['.github/workflows/deploy.yml'] }, {}, ['workflows']],
    [
      'another commit of a reusable workflow',
      { job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/main' },
      { job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/mine' },
      ['job_workflow_ref'],
    ],
    [
      'a reusable workflow whose ref only begins like the one that is named',
      { job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/main' },
      { job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/main2' },
      ['job_workflow_ref'],
    ],
    ['a job of unknown workflow', { job_workflow_ref: 'a/b/.github/workflows/c.yml@v1' }, {}, ['job_workflow_ref']],
    [
      'a self-hosted runner',
      { runner_environment: 'github-hosted' },
      { runner_environment: 'self-hosted' },
      ['runner_environment'],
    ],
    ['a runner of unknown kind', { runner_environment: 'github-hosted' }, {}, ['runner_environment']],
    ['a repository with another owner of the same name', { repository_owner_id: '8' }, {}, ['repository_owner_id']],
    [
      'a workflow of another repository',
      { workflows: ['.github/workflows/ci.yml'] },
      { workflow_ref: 'eve/web/.github/workflows/ci.yml@refs/heads/main' },
      ['workflows'],
    ],
    [
      'a workflow whose file name only begins like the one that is listed',
      { workflows: ['.github/workflows/ci.yml'] },
      { workflow_ref: 'acme/web/.github/workflows/ci.yml@2.yml@refs/heads/main' },
      ['workflows'],
    ],
    [
      'pull requests of a private repository',
      { events: ['pull_request'], refs: ['refs/pull/*/merge'] },
      { event_name: 'pull_request', ref: 'refs/pull/7/merge' },
      ['private_pull_requests'],
    ],
    [
      'pull requests of a repository of unknown visibility',
      { events: ['pull_request'], refs: ['refs/**'] },
      { event_name: 'pull_request', repository_visibility: undefined },
      ['private_pull_requests'],
    ],
    ['everything at once', { actors: ['ann'] }, { ref: 'refs/x', event_name: 'x' }, ['refs', 'events', 'actors']],
  ])('does not admit %s', (_case, change, claims, conditions) => {
    expect(broken(change, claims)).toEqual(conditions);
  });

  it('admits what it names', () => {
    const pull = { event_name: 'pull_request', ref: 'refs/pull/7/merge' };
    const conditions = { events: ['pull_request'], refs: ['refs/pull/*/merge'] };
    expect(broken(conditions, { ...pull, repository_visibility: 'public' })).toEqual([]);
    expect(broken({ ...conditions, private_pull_requests: true }, pull)).toEqual([]);
    expect(broken({ job_environments: ['production'] }, { environment: 'production' })).toEqual([]);
    expect(broken({ workflows: ['.github/workflows/ci.yml'], actors: ['octocat'] })).toEqual([]);
    const job = 'acme/ci/.github/workflows/deploy.yml@refs/heads/main';
    const claims = { job_workflow_ref: job, runner_environment: 'github-hosted' };
    const named = { job_workflow_ref: job, runner_environment: 'github-hosted', repository_owner_id: '7' };
    expect(broken(named, claims)).toEqual([]);
  });

  it.each([
    ['refs/heads/*', 'refs/heads/main', true],
    ['refs/heads/*', 'refs/heads/feature/x', false],
    ['refs/heads/**', 'refs/heads/feature/x', true],
    ['refs/heads/**', 'refs/heads', false],
    ['refs/heads/**', 'refs/tags/v1', false],
    ['refs/tags/v*', 'refs/tags/v1.2', true],
    ['refs/tags/v*-rc', 'refs/tags/v-rc', true],
    ['refs/tags/v*v', 'refs/tags/v', false],
    ['refs/heads/m.in', 'refs/heads/main', false],
    ['refs/heads/main', 'refs/heads/main\n', false],
  ])('with the ref %j says of %j: %j', (pattern, ref, admits) => {
    expect(broken({ refs: [pattern] }, { ref }).length === 0).toBe(admits);
  });

  it('admits runs beside other rules', () => {
    const rules = [
      rule(),
      rule({ name: 'report', role: 'snapshotter' }),
      rule({ name: 'tags', refs: ['refs/tags/*'] }),
    ];
    expect(applyLoginRules(rules, run())).toEqual({
      rules: ['deploy', 'report'],
      mismatches: [{ rule: 'tags', conditions: ['refs'] }],
    });
  });

  it('cannot be declared with wildcards for owners and events, without refs, or for admins', () => {
    const document = {
      ...{ repository: 'acme/web', repository_id: '123', refs: ['refs/heads/main'], events: ['push'], role: 'member' },
    };
    expect(conforms(loginRuleDocument, document)).toBe(true);
    const faults: readonly Readonly<Record<string, unknown>>[] = [
      { repository: '*/web' },
      { repository: 'acme/*' },
      { repository: 'acme' },
      { repository_id: '*' },
      { repository_id: undefined },
      { refs: [] },
      { refs: ['*'] },
      { refs: ['main'] },
      { refs: ['refs/a*b*c'] },
      { refs: ['refs/**/main'] },
      { refs: ['refs/'] },
      { refs: undefined },
      { events: [] },
      { events: ['*'] },
      { events: undefined },
      { role: 'admin' },
      { issuer: 'https://user@issuer.example.com' },
      { issuer: 'ftp://issuer.example.com' },
    ];
    for (const fault of faults)
      expect([fault, conforms(loginRuleDocument, { ...document, ...fault })]).toEqual([fault, false]);
    for (const ref of ['refs/**', 'refs/heads/**', 'refs/pull/*/merge', 'refs/heads/release-*']) {
      expect(conforms(loginRuleDocument, { ...document, refs: [ref] })).toBe(true);
    }
  });
});

describe('what a run proved', () => {
  it('has the merge commit of a pull request under its own name', () => {
    const sha = 'b'.repeat(40);
    expect(toProven(run({ sha }))).toMatchObject({ sha, run_id: '4711', subject: pushClaims.sub });
    const pull = toProven(run({ sha, event_name: 'pull_request', ref: 'refs/pull/7/merge' }));
    expect(pull).toMatchObject({ merge_commit: sha });
    expect(pull).not.toHaveProperty('sha');
    expect(toProven(run({ sha, event_name: 'pull_request_target' }))).toMatchObject({ sha });
  });

  const github = { repository: 'Acme/web', run_id: '4711', run_attempt: '1', event_name: 'push', workflow: 'CI' };
  const repo_info = { name: 'acme/web', url: 'https://github.com/acme/web', id: '123' };

  it('agrees with evidence that says the same, less, or something else entirely', () => {
    for (const said of [
      { user_data: { github }, repo_info },
      {},
      { user_data: { github: 'x' } },
      { user_data: { github: { run_id: 4711, actor: null, workflow: '' } } },
      { repo_info: { ...repo_info, url: 'git@github.com:acme/web.git' } },
      { user_data: null },
    ]) {
      expect(findContradictions(toProven(run()), said)).toEqual([]);
    }
  });

  it.each([
    ['user_data.github.repository', { user_data: { github: { ...github, repository: 'eve/web' } } }],
    ['user_data.github.run_id', { user_data: { github: { ...github, run_id: '1' } } }],
    ['user_data.github.run_id', { user_data: { github: { ...github, run_id: 1 } } }],
    ['user_data.github.run_id', { user_data: { github: { ...github, run_id: ['1'] } } }],
    ['user_data.github.repository', { user_data: { github: { ...github, repository: { name: 'eve/web' } } } }],
    ['repo_info.url', { repo_info: { ...repo_info, url: 'git@github.com:eve/web.git' } }],
    ['user_data.github.actor', { user_data: { github: { ...github, actor: 'ann' } } }],
    ['repo_info.name', { repo_info: { ...repo_info, name: 'eve/web' } }],
    ['repo_info.id', { repo_info: { ...repo_info, id: '9' } }],
    ['repo_info.url', { repo_info: { ...repo_info, url: 'https://github.com/eve/web.git' } }],
  ])('contradicts another %s', (field, said) => {
    expect(findContradictions(toProven(run()), said).map(([name]) => name)).toEqual([field]);
  });

  it('is about a repository on the server of the issuer, if that is known', () => {
    const contradicted = (iss: string, url: string): boolean =>
      findContradictions(toProven(run({ iss })), { repo_info: { ...repo_info, url } }).length > 0;
    const servers = [
      ['https://token.actions.githubusercontent.com', 'github.com'],
      ['https://token.actions.githubusercontent.com/acme-inc', 'github.com'],
      ['https://token.actions.acme.ghe.com', 'acme.ghe.com'],
      ['https://ghes.example.com/_services/token', 'ghes.example.com'],
      ['https://www.ghes.example.com/_services/token', 'www.ghes.example.com'],
      ['https://ssh.example.com:8443/_services/token', 'ssh.example.com'],
    ] as const;
    for (const [issuer, host] of servers) {
      for (const one of [host, 'git.example.org', `eve.${host}`]) {
        for (const url of [`https://${one}/acme/web`, `git@${one}:acme/web.git`, `ssh://git@${one}:22/acme/web/`]) {
          expect([issuer, url, contradicted(issuer, url)]).toEqual([issuer, url, one !== host]);
        }
      }
      // It names no server.
      expect(contradicted(issuer, 'acme/web')).toBe(false);
    }
    expect(contradicted('https://issuer.example.com', 'https://git.example.org/acme/web')).toBe(false);
    expect(contradicted('https://issuer.example.com', 'https://git.example.org/eve/web')).toBe(true);
  });

  it('of a replay is only about the repository', () => {
    const replay = { ...toProven(run()), is_replay: true };
    expect(findContradictions(replay, { user_data: { github: { ...github, run_id: '1' } }, repo_info })).toEqual([]);
    expect(findContradictions(replay, { user_data: { github: { repository: 'eve/web' } } })).toHaveLength(1);
  });
});
