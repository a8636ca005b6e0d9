import type { CustomAttestation } from '../../contract/attestations/custom.ts';
import type { JiraAttestation } from '../../contract/attestations/jira.ts';
import { sumResults } from '../../contract/attestations/junit.ts';
import type { AttestationDocument, AttestationDocuments, KindName } from '../../contract/attestations/kinds.ts';
import {
  mayLackCommits,
  type PullRequest,
  type PullRequestAttestation,
} from '../../contract/attestations/pull-request.ts';
import { countFindings } from '../../contract/attestations/snyk.ts';
import type { SonarAttestation } from '../../contract/attestations/sonar.ts';
import { readLicenses, type SystemAttestation } from '../../contract/attestations/system.ts';
import { conforms } from '../../contract/check.ts';
import { Type } from '../../contract/schema.ts';
import { isMapping } from '../../runtime/untrusted-data.ts';

/** What evidence says in numbers, words and lists, by name. A fact that is not known is absent. */
export type Facts = Readonly<Record<string, number | boolean | string | readonly string[]>>;

type Given = Readonly<Record<string, Facts[string] | undefined>>;

/** The facts of each kind. Methods, so that they can be called with the document of any kind (`findFacts`). */
const factsByKind: { [Kind in KindName]: { find(document: AttestationDocuments[Kind]): Given } } = {
  generic: { find: ({ is_compliant: isCompliant = true }) => ({ is_compliant: isCompliant }) },
  junit: {
    find({ junit_results: results }) {
      const { total, ...counts } = sumResults(results);
      return { tests: total, ...counts };
    },
  },
  pull_request: { find: findApprovals },
  sonar: { find: findConditions },
  snyk: { find: (document) => ({ ...countFindings(document) }) },
  jira: { find: findIssues },
  system: { find: findSystemFacts },
  custom: { find: findCustomFacts },
};

export function findFacts(kind: KindName, document: AttestationDocument): Facts {
  const ofKind: { find(document: AttestationDocument): Given } = factsByKind[kind];
  const known = Object.entries(ofKind.find(document)).filter(
    (entry): entry is [string, Facts[string]] => entry[1] !== undefined,
  );
  return Object.fromEntries(limitLength(known));
}

/** The maximum length of the facts as JSON, in characters: those of all evidence of a subject are read at once. */
const maximumLength = 8 * 1024;

/** Leaves out what does not fit. To conditions, these facts are unknown. */
function limitLength<Fact>(facts: readonly Fact[]): readonly Fact[] {
  let length = 0;
  return facts.filter((fact) => {
    const extended = length + JSON.stringify(fact).length;
    if (extended > maximumLength) return false;
    length = extended;
    return true;
  });
}

/** The status of the quality gate, and the values of its conditions by metric. */
function findConditions({ sonar_results: { qualityGate } }: SonarAttestation): Given {
  const values = qualityGate.conditions.flatMap(({ metric, value }) => {
    const measured = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
    return Number.isFinite(measured) && readableName.test(metric) ? [[metric, measured] as const] : [];
  });
  return { ...Object.fromEntries(values), quality_gate: qualityGate.status };
}

/** The approvals of the pull request that has the fewest. */
function findApprovals({ pull_requests: found }: PullRequestAttestation): Given {
  const fewest = (names: (pullRequest: PullRequest) => readonly string[]): number =>
    found.length === 0 ? 0 : Math.min(...found.map((pullRequest) => new Set(names(pullRequest)).size));
  return {
    pull_requests: found.length,
    approvals: fewest(listApprovers),
    independent_approvals: found.every(hasAllAuthors) ? fewest(listIndependentApprovers) : undefined,
  };
}

function listIndependentApprovers(pullRequest: PullRequest): readonly string[] {
  const authors = [pullRequest.author, ...pullRequest.commits.map(({ author_username: name }) => name)];
  return listApprovers(pullRequest).filter((name) => !authors.includes(name));
}

/** Not if commits are missing, or their authors were left out (`redact-commit-info`): an author could have approved. */
function hasAllAuthors({ commits }: PullRequest): boolean {
  if (mayLackCommits(commits.length)) return false;
  return commits.every(({ author, author_username: name }) => author !== '' || name !== undefined);
}

/** Who approved; a review with another state is none. */
export function listApprovers({ approvers }: Pick<PullRequest, 'approvers'>): readonly string[] {
  return (approvers ?? []).flatMap((approver) => {
    if (typeof approver === 'string') return [approver];
    const { username, state = 'APPROVED' } = approver;
    return state.toUpperCase() === 'APPROVED' ? [username] : [];
  });
}

const maximumIssues = 100;

function findIssues({ jira_results: results }: JiraAttestation): Given {
  const found = results ?? [];
  return {
    issues: found.length,
    missing: found.filter(({ issue_exists: exists }) => !exists).length,
    issue_ids: found.slice(0, maximumIssues).map(({ issue_id: id }) => id),
  };
}

function findSystemFacts(document: SystemAttestation): Given {
  const { type_name: type, control, attestation_data: data } = document;
  if (type === 'decision') return { control, is_compliant: data.is_compliant };
  const licenses = readLicenses(document);
  return {
    format: data.format,
    components: data.document?.package_count ?? undefined,
    licenses: licenses?.licenses,
    not_allowed_licenses: licenses?.not_allowed_count,
    unknown_licenses: licenses?.unknown_count,
  };
}

/** The names of the facts about an override. Conditions cannot read them, and no sender can set them. */
const overriddenBy = 'overridden by';
const overriddenUntil = 'overridden until';
const overriddenAttestation = 'overridden attestation';
const overrideFacts: ReadonlySet<string> = new Set([overriddenBy, overriddenUntil, overriddenAttestation]);

export interface OverrideEnd {
  /** The last day in UTC on which it counts. */
  readonly until: string;
  /** The id of the attestation that counts afterwards, which has no end. */
  readonly original: string;
}

/** The facts of an override. `until` is its last day in UTC; without it, it has no end. */
export function addOverride(
  { id, facts = {} }: { readonly id: string; readonly facts?: Facts | undefined },
  by: string,
  until?: string,
): Facts {
  const ofEvidence = Object.entries(facts).filter(([name]) => !overrideFacts.has(name));
  const original = findOverrideEnd(facts)?.original ?? id;
  const end = until === undefined ? {} : { [overriddenUntil]: until, [overriddenAttestation]: original };
  return { ...Object.fromEntries(ofEvidence), [overriddenBy]: by, ...end };
}

/** The end of an override; undefined if it has none, or if nothing was overridden. */
export function findOverrideEnd(facts: Facts | undefined): OverrideEnd | undefined {
  const { [overriddenUntil]: until, [overriddenAttestation]: original } = facts ?? {};
  return typeof until === 'string' && typeof original === 'string' ? { until, original } : undefined;
}

/** The last day in UTC on which all overrides among evidence count; undefined if none of them ends. */
export function findFirstOverrideEnd(evidence: readonly { readonly facts?: Facts | undefined }[]): string | undefined {
  // Days sort as texts.
  const [first] = evidence.flatMap(({ facts }) => findOverrideEnd(facts)?.until ?? []).sort();
  return first;
}

/** Whether the verdict is that of a person who overrode it. */
export function isOverridden(facts: Facts | undefined): boolean {
  return facts !== undefined && Object.hasOwn(facts, overriddenBy);
}

/** The names that a condition can read. */
const readableName = /^[\w-]{1,200}$/u;

const maximumCustomFacts = 100;

const shortText = Type.String({ maxLength: 200 });

/** What is small enough for a fact. */
const customFact = Type.Union([
  Type.Number(),
  Type.Boolean(),
  shortText,
  Type.Array(shortText, { maxItems: maximumCustomFacts }),
]);

/** The small values of the data by name. */
function findCustomFacts({ attestation_data: data, type_version: version }: CustomAttestation): Given {
  const facts = Object.entries(isMapping(data) ? data : {}).flatMap(([name, given]) => {
    const value = JSON.isRawJSON(given) ? Number(JSON.stringify(given)) : given;
    return readableName.test(name) && conforms(customFact, value) ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(facts.slice(0, maximumCustomFacts)), type_version: version };
}
