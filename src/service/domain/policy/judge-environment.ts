import type { ArtifactState } from '../../../contract/compliance.ts';
import type { AttestationSummary } from '../records.ts';
import { evidenceName } from '../binding.ts';
import { holds, type Condition, type ConditionSubject } from './condition.ts';
import { parseCondition } from './parse-condition.ts';
import type { AttestationRule, PolicyRules, Requirement } from './rules.ts';

/** A policy that is attached to an environment. */
export interface AttachedPolicy {
  readonly name: string;
  readonly version: number;
  readonly rules: PolicyRules;
}

/** An artifact as one flow knows it. */
export interface ArtifactInFlow {
  readonly flow: string;
  readonly state: ArtifactState;
  /** Why it is in that state, as a sentence. */
  readonly info: string;
  /** What counts for it: the latest of each name. */
  readonly evidence: readonly Pick<AttestationSummary, 'name' | 'type' | 'verdict'>[];
}

/** An artifact as policies look at it. */
export interface JudgedArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** As every flow that knows it sees it; empty for an artifact without provenance. */
  readonly flows: readonly ArtifactInFlow[];
}

/** What an artifact does not have, and an attached policy requires. */
export interface PolicyBreach {
  readonly policy: string;
  readonly name: string;
  readonly fingerprint: string;
  /** In words, without a full stop. */
  readonly reason: string;
}

/** What the policies of an environment say about what runs there. */
export interface EnvironmentJudgement {
  /** Null for an environment without policies: there is nothing to comply with. */
  readonly compliant: boolean | null;
  /** The policies, and the versions of them, that were looked at. */
  readonly policies: readonly { readonly name: string; readonly version: number }[];
  readonly breaches: readonly PolicyBreach[];
  /** The fingerprints that comply only because an exception applies to them. */
  readonly allowed: readonly string[];
}

/** The judgement of an environment that nothing is required of. */
export const unjudged: EnvironmentJudgement = { compliant: null, policies: [], breaches: [], allowed: [] };

/**
 * Judges what runs in an environment by its policies (the public documentation of such a service, Policy). Every artifact
 * must satisfy every rule:
 *
 * - `provenance`: some flow knows the artifact.
 * - `trail-compliance`: it is COMPLIANT in every flow that knows it, and at least one does.
 * - `attestations`: at least one attestation of the type and name is reported in the flows that know it, and all of those
 *   are compliant. With `if`, only the flows that the condition holds for count.
 *
 * An exception takes an artifact out of a requirement, with `trail-compliance` in the flows that it holds for.
 */
export function judgeEnvironment(
  policies: readonly AttachedPolicy[],
  artifacts: readonly JudgedArtifact[],
): EnvironmentJudgement {
  if (policies.length === 0) return unjudged;
  const findings = policies.flatMap(({ name: policy, rules }) => {
    const checks = checksOf(rules);
    return artifacts.flatMap((artifact) => checks.map((check) => ({ policy, artifact, finding: check(artifact) })));
  });
  const breaches = findings.flatMap(({ policy, artifact: { name, fingerprint }, finding }) =>
    finding.outcome === 'broken' ? [{ policy, name, fingerprint, reason: finding.reason }] : [],
  );
  const broken = new Set(breaches.map(({ fingerprint }) => fingerprint));
  const excepted = findings.flatMap(({ artifact, finding }) =>
    finding.outcome === 'excepted' && !broken.has(artifact.fingerprint) ? [artifact.fingerprint] : [],
  );
  return {
    compliant: breaches.length === 0,
    policies: policies.map(({ name, version }) => ({ name, version })),
    breaches,
    allowed: [...new Set(excepted)].sort(),
  };
}

type Finding =
  | { readonly outcome: 'kept' }
  /** It would be broken without an exception. */
  | { readonly outcome: 'excepted' }
  | { readonly outcome: 'broken'; readonly reason: string };

type RuleCheck = (artifact: JudgedArtifact) => Finding;

const kept: Finding = { outcome: 'kept' };
const excepted: Finding = { outcome: 'excepted' };
const broken = (reason: string): Finding => ({ outcome: 'broken', reason });

/** The rules, with their conditions read once for all artifacts. */
function checksOf({ artifacts: { provenance, attestations = [], ...others } = {} }: PolicyRules): readonly RuleCheck[] {
  const trailCompliance = others['trail-compliance'];
  return [
    ...(provenance?.required === true ? [provenanceCheck(provenance)] : []),
    ...(trailCompliance?.required === true ? [trailComplianceCheck(trailCompliance)] : []),
    ...attestations.map(attestationCheck),
  ];
}

function provenanceCheck({ exceptions = [] }: Requirement): RuleCheck {
  const conditions = exceptions.map((exception) => parseCondition(exception.if));
  return (artifact) => {
    if (artifact.flows.length > 0) return kept;
    return applies(conditions, subjectOf(artifact)) ? excepted : broken('no flow knows it');
  };
}

function trailComplianceCheck({ exceptions = [] }: Requirement): RuleCheck {
  const conditions = exceptions.map((exception) => parseCondition(exception.if));
  return (artifact) => {
    if (artifact.flows.length === 0) {
      return applies(conditions, subjectOf(artifact))
        ? excepted
        : broken('no flow knows it, so no trail can be compliant');
    }
    const failing = artifact.flows.filter(({ state }) => state !== 'COMPLIANT');
    const [first] = failing.filter((known) => !applies(conditions, subjectOf(artifact, known)));
    if (first === undefined) return failing.length === 0 ? kept : excepted;
    return broken(`it is ${first.state} in the flow ${first.flow}: ${first.info.replace(/\.$/, '')}`);
  };
}

function attestationCheck({
  type,
  name = '*',
  if: text,
  must_be_compliant: strict = true,
}: AttestationRule): RuleCheck {
  const condition = text === undefined ? undefined : parseCondition(text);
  const asked = (subject: ConditionSubject): boolean => condition === undefined || holds(condition, subject);
  const what = `${type === '*' ? 'attestation' : `${type} attestation`}${name === '*' ? '' : ` ${name}`}`;
  return (artifact) => {
    const flows = artifact.flows.filter((known) => asked(subjectOf(artifact, known)));
    const isAsked = artifact.flows.length === 0 ? asked(subjectOf(artifact)) : flows.length > 0;
    if (!isAsked) return kept;
    const found = flows
      .flatMap(({ evidence }) => evidence)
      .filter((piece) => (type === '*' || piece.type === type) && (name === '*' || evidenceName(piece.name) === name));
    if (found.length === 0) return broken(`it has no ${what}`);
    const failing = found.find(({ verdict }) => verdict !== 'compliant');
    if (!strict || failing === undefined) return kept;
    return broken(`its ${failing.type} attestation ${failing.name} is ${failing.verdict}`);
  };
}

function applies(conditions: readonly Condition[], subject: ConditionSubject): boolean {
  return conditions.some((condition) => holds(condition, subject));
}

/** Flows have no tags in this service: the interface has none in a flow (interface, Flow). */
function subjectOf({ name, fingerprint }: JudgedArtifact, known?: ArtifactInFlow): ConditionSubject {
  const flow = known === undefined ? undefined : { name: known.flow, tags: {} };
  return { artifact: { name, fingerprint }, flow };
}
