import {
  allEnvironments,
  githubIssuer,
  type LoginRuleDocument,
  pullRequestEvents,
  type RulePermission,
  rulePermissions,
} from '../../contract/login-rule.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import type { Grant } from '../account/access.ts';
import type { CountsFor } from '../account/audience.ts';
import { toRecorderId } from '../requirement/recorder.ts';
import type { WorkflowIdentity } from './workflow-identity.ts';

/** What an admin declares, with defaults. */
export type LoginRuleDeclaration = LoginRuleDocument &
  Required<Pick<LoginRuleDocument, 'description' | 'issuer' | 'private_pull_requests'>>;

/** A rule that admits workflow runs. Times are in Unix seconds. Undefined conditions hold for every run. */
export interface LoginRule extends LoginRuleDeclaration {
  readonly name: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly last_modified_at: number;
}

/** The permissions of a new rule that does not name any. */
const defaultPermissions: RulePermission[] = ['record'];

/** The default of `counts_for_environments`: none for a rule that admits the unreviewed code of pull requests. */
function defaultCountsFor({ events }: Pick<LoginRule, 'events'>): string[] {
  return pullRequestEvents.some((event) => events.includes(event)) ? [] : [allEnvironments];
}

export function withDefaults(document: LoginRuleDocument): LoginRuleDeclaration {
  return {
    description: '',
    issuer: githubIssuer,
    private_pull_requests: false,
    permissions: defaultPermissions,
    counts_for_environments: defaultCountsFor(document),
    ...document,
  };
}

type RuleLimits = Pick<LoginRuleDocument, 'permissions' | 'counts_for_environments'>;

/** The limits of a rule. Rules of earlier versions have neither field, and no limits. */
export function toRuleLimits({
  permissions = [...rulePermissions],
  counts_for_environments = [allEnvironments],
}: RuleLimits): Required<RuleLimits> {
  return { permissions, counts_for_environments };
}

/**
 * What would change if a rule of an earlier version were saved again without saying what it permits and counts for, by the
 * names of the fields; empty for other rules.
 */
export function listDefaultChanges(rule: LoginRule): readonly string[] {
  const { permissions, counts_for_environments: counted } = rule;
  return [
    ...(permissions === undefined ? [`permissions would be ${defaultPermissions.join(', ')}`] : []),
    ...(counted === undefined && defaultCountsFor(rule).length === 0 ? ['it would count for no environment'] : []),
  ];
}

/** What the rules decide about a run. */
export interface LoginDecision {
  /** The names of the rules that admit it. */
  readonly rules: readonly string[];
  /** For each other rule of its repository: the conditions that do not hold, by the names of the fields. */
  readonly mismatches: readonly { readonly rule: string; readonly conditions: readonly string[] }[];
}

export function applyLoginRules(rules: readonly LoginRule[], run: WorkflowIdentity): LoginDecision {
  const judged = rules.map((rule) => ({ rule, conditions: findBrokenConditions(rule, run) }));
  return {
    rules: judged.filter(({ conditions }) => conditions.length === 0).map(({ rule }) => rule.name),
    mismatches: judged
      // The rules of other repositories are not disclosed.
      .filter(({ rule, conditions }) => conditions.length > 0 && isAboutRepository(rule, run))
      .map(({ rule, conditions }) => ({ rule: rule.name, conditions })),
  };
}

/** What a rule gives to the runs that it admits. */
export function toGrant(rule: LoginRule): Grant {
  const { name, role, flows, environments, commits, created_at: createdAt } = rule;
  const { permissions, counts_for_environments: counted } = toRuleLimits(rule);
  const countsFor: CountsFor = counted.includes(allEnvironments) ? undefined : counted;
  return {
    rule: name,
    recorder: toRecorderId(`rule:${name}`, createdAt),
    role,
    permissions,
    ...(commits === 'any' ? { coversAnyCommit: true } : {}),
    ...omitUndefined({ flows, environments, countsFor }),
  };
}

function isAboutRepository(rule: LoginRule, run: WorkflowIdentity): boolean {
  return rule.issuer === run.issuer && (rule.repository_id === run.repository_id || rule.repository === run.repository);
}

/** The conditions of a rule that do not hold for a run, by the names of the fields in the interface. */
function findBrokenConditions(rule: LoginRule, run: WorkflowIdentity): readonly string[] {
  const conditions: Readonly<Record<string, boolean>> = {
    issuer: rule.issuer === run.issuer,
    repository: rule.repository === run.repository,
    // The number as well: the name can be given to another repository.
    repository_id: rule.repository_id === run.repository_id,
    refs: rule.refs.some((pattern) => matchesRef(pattern, run.ref)),
    events: rule.events.includes(run.event_name),
    workflows: isIncluded(rule.workflows, toWorkflowFile(run)),
    job_workflow_ref: isSame(rule.job_workflow_ref, run.job_workflow_ref),
    runner_environment: isSame(rule.runner_environment, run.runner_environment),
    repository_owner_id: isSame(rule.repository_owner_id, run.repository_owner_id),
    job_environments: isIncluded(rule.job_environments, run.environment),
    actors: isIncluded(rule.actors, run.actor),
    private_pull_requests: rule.private_pull_requests || !isPrivatePullRequest(run),
  };
  return Object.entries(conditions).flatMap(([name, holds]) => (holds ? [] : [name]));
}

function isSame(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted === value;
}

function isIncluded(allowed: readonly string[] | undefined, value: string | undefined): boolean {
  return allowed === undefined || (value !== undefined && allowed.includes(value));
}

/** `*` stands for any characters of its segment, and `**` as the last segment for one or more segments. */
function matchesRef(pattern: string, ref: string): boolean {
  const [wanted, segments] = [pattern.split('/'), ref.split('/')];
  const isOpen = wanted.at(-1) === '**';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? segments.length <= fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((part, index) => matchesSegment(part, segments[index] ?? ''));
}

function matchesSegment(pattern: string, segment: string): boolean {
  const [start = '', end] = pattern.split('*', 2);
  if (end === undefined) return pattern === segment;
  return segment.length >= start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
}

/**
 * The file of the workflow that started the run; undefined if it is in another repository. Names of files and refs can
 * contain `@`.
 */
function toWorkflowFile({ workflow_ref: reference, repository }: WorkflowIdentity): string | undefined {
  const prefix = `${repository}/`;
  return reference?.startsWith(prefix) === true ? reference.slice(prefix.length).split('@refs/', 1)[0] : undefined;
}

/** A repository whose visibility is unknown may be private. */
function isPrivatePullRequest({ event_name: event, repository_visibility: visibility }: WorkflowIdentity): boolean {
  return visibility !== 'public' && pullRequestEvents.some((name) => name === event);
}
