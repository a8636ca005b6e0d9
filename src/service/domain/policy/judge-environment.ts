import type { CompiledPolicy, RuleResult } from './compile-policy.ts';
import type { JudgedArtifact } from './judged-artifact.ts';
import { MatchesMissing, Work, WorkExceeded, type PatternUse } from './work.ts';

/** A policy that is attached to an environment. */
export interface AttachedPolicy {
  readonly name: string;
  readonly version: number;
  readonly compiled: CompiledPolicy;
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
  /** The first of them, `maximumBreaches` at most. */
  readonly breaches: readonly PolicyBreach[];
  /** How many breaches there are beyond the first. */
  readonly furtherBreaches?: number | undefined;
  /** Why the policies could not be applied, in words, without a full stop; the environment is not compliant then. */
  readonly unjudgeable?: string | undefined;
  /** The fingerprints that comply only because an exception applies to them. */
  readonly allowed: readonly string[];
}

/** The judgement of an environment that nothing is required of. */
export const unjudged: EnvironmentJudgement = { compliant: null, policies: [], breaches: [], allowed: [] };

/** How many breaches are kept with a judgement, because every snapshot holds its own. */
export const maximumBreaches = 1000;

/** In characters; the reason of an artifact's state names its evidence. */
const maximumReasonLength = 500;

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
 *
 * What cannot be judged within `judgementLimits` is not compliant.
 *
 * @param readArtifacts reads what runs; that is work as well
 * @throws MatchesMissing if so many patterns have to be matched that it must be done in portions before
 */
export function judgeEnvironment(
  policies: readonly AttachedPolicy[],
  readArtifacts: (work: Work) => readonly JudgedArtifact[],
  work = new Work(),
): EnvironmentJudgement {
  const known = judgeWithoutArtifacts(policies);
  if (known !== undefined) return known;
  let artifacts: readonly JudgedArtifact[] = [];
  try {
    artifacts = readArtifacts(work);
    return { policies: toVersions(policies), ...applyPolicies(policies, artifacts, work) };
  } catch (error) {
    if (error instanceof MatchesMissing) throw new MatchesMissing(patternUses(policies, artifacts));
    if (!(error instanceof WorkExceeded)) throw error;
    return toUnjudgeable(policies, `judging it was stopped: ${error.message}, the limit of one judgement`);
  }
}

/** The judgement, if it does not depend on what runs: then that need not be read. */
export function judgeWithoutArtifacts(policies: readonly AttachedPolicy[]): EnvironmentJudgement | undefined {
  if (policies.length === 0) return unjudged;
  const [fault] = policies.flatMap(({ name, compiled }) =>
    compiled.fault === undefined ? [] : [`the policy ${name} cannot be applied: ${compiled.fault}`],
  );
  return fault === undefined ? undefined : toUnjudgeable(policies, fault);
}

function toUnjudgeable(policies: readonly AttachedPolicy[], reason: string): EnvironmentJudgement {
  return { compliant: false, policies: toVersions(policies), breaches: [], unjudgeable: reason, allowed: [] };
}

function toVersions(policies: readonly AttachedPolicy[]): EnvironmentJudgement['policies'] {
  return policies.map(({ name, version }) => ({ name, version }));
}

function* patternUses(policies: readonly AttachedPolicy[], artifacts: readonly JudgedArtifact[]): Iterable<PatternUse> {
  for (const { compiled } of policies) for (const artifact of artifacts) yield* compiled.patternUses(artifact);
}

/** Applies every check to every artifact. */
function applyPolicies(
  policies: readonly AttachedPolicy[],
  artifacts: readonly JudgedArtifact[],
  work: Work,
): Omit<EnvironmentJudgement, 'policies'> {
  const breaches: PolicyBreach[] = [];
  let further = 0;
  const broken = new Set<string>();
  const excepted = new Set<string>();
  const take = (policy: string, { name, fingerprint }: JudgedArtifact, result: RuleResult): void => {
    if (result.outcome === 'excepted') excepted.add(fingerprint);
    if (result.outcome !== 'broken') return;
    broken.add(fingerprint);
    if (breaches.length < maximumBreaches)
      breaches.push({ policy, name, fingerprint, reason: result.reason.slice(0, maximumReasonLength) });
    else further += 1;
  };
  for (const { name: policy, compiled } of policies) {
    const { checks } = compiled;
    for (const artifact of artifacts) {
      work.spend(checks.length);
      for (const check of checks) take(policy, artifact, check(artifact, work));
    }
  }
  return {
    compliant: broken.size === 0,
    breaches,
    ...(further === 0 ? {} : { furtherBreaches: further }),
    allowed: [...excepted].filter((fingerprint) => !broken.has(fingerprint)).sort(),
  };
}
