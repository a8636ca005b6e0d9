import type { ArtifactAssertion, AssertedPolicy, AssertionScope } from '../../contract/artifact-assertion.ts';
import { verdictFromArtifactState, worstVerdict, type Verdict } from '../../contract/compliance.ts';
import { ExternalError } from '../../runtime/failure.ts';
import { textAt } from '../../runtime/untrusted-data.ts';

/** The criteria that an artifact is judged by. */
export interface Criterion {
  readonly flow: string | undefined;
  readonly environment: string | undefined;
  readonly policies: readonly string[] | undefined;
}

/** One reason why an artifact is not compliant. */
export interface Shortcoming {
  /** The policy or the flow that requires it: `policy strict`. */
  readonly source: string;
  /** What is wrong, without a full stop: `sonar: it has no sonar attestation sonar`. */
  readonly words: string;
  /** Incomplete if something is only missing, so that a later report can mend it. */
  readonly verdict: Verdict;
}

/** The verdict on an artifact, with what is missing. */
export interface ParsedAssertion {
  readonly verdict: Verdict;
  /** Empty for a compliant artifact. */
  readonly shortcomings: readonly Shortcoming[];
}

/** The criteria that an answer must confirm. */
export function expectedScope({ environment, policies }: Criterion): AssertionScope {
  if (environment !== undefined) return 'environment';
  return policies === undefined ? 'flow' : 'policy';
}

/**
 * The verdict in an answer. First checks that the answer is about what was asked, so that the gate does not open by
 * another judgement.
 *
 * @throws ExternalError if the answer is about something else, or contradicts itself: neither may pass
 */
export function parseAssertion(answer: ArtifactAssertion, fingerprint: string, criterion: Criterion): ParsedAssertion {
  const mismatch = findMismatch(answer, fingerprint, criterion);
  if (mismatch !== undefined) throw unusable(`was asked ${mismatch.asked} and answered ${mismatch.answered}`);
  const shortcomings = expectedScope(criterion) === 'flow' ? flowShortcomings(answer) : policyShortcomings(answer);
  if (answer.compliant) {
    const [first] = shortcomings;
    if (first === undefined) return { verdict: 'compliant', shortcomings: [] };
    throw unusable(
      `answered that the artifact is compliant, but also that it is not (${first.source}: ${first.words})`,
    );
  }
  if (criterion.environment !== undefined && answer.policy_evaluations?.length === 0) {
    const words = 'has no policies, so there is no verdict; attach a policy to it to have artifacts judged';
    return { verdict: 'incomplete', shortcomings: [{ source: 'environment', words, verdict: 'incomplete' }] };
  }
  // Without a reason, nothing says that a later answer may differ.
  return { verdict: worstVerdict(shortcomings.map(({ verdict }) => verdict)) ?? 'non-compliant', shortcomings };
}

function unusable(fault: string): ExternalError {
  return new ExternalError({
    what: `assert-artifact: the service ${fault}`,
    remedy: "Report this to the service's operators; the artifact was not judged.",
  });
}

/** What was asked about, and what was answered about instead. */
interface Mismatch {
  readonly asked: string;
  readonly answered: string;
}

function createMismatch(what: string, asked: string, answered: string | undefined): Mismatch {
  return {
    asked: `about ${what} ${asked}`,
    answered: answered === undefined ? `without the ${what}` : `about ${what} ${JSON.stringify(answered)}`,
  };
}

function findMismatch(answer: ArtifactAssertion, fingerprint: string, criterion: Criterion): Mismatch | undefined {
  const scope = expectedScope(criterion);
  const { environment } = criterion;
  if (answer.scope !== scope) return createMismatch('scope', scope, answer.scope);
  if (answer.fingerprint !== undefined && answer.fingerprint !== fingerprint) {
    return createMismatch('fingerprint', fingerprint, answer.fingerprint);
  }
  if (environment !== undefined && answer.environment !== environment) {
    return createMismatch('environment', environment, answer.environment);
  }
  // What keeps the gate closed needs no further proof.
  return answer.compliant ? findUnjudged(answer, criterion) : undefined;
}

/** The requested criteria that an answer "compliant" does not confirm. */
function findUnjudged(
  answer: ArtifactAssertion,
  { flow, environment, policies = [] }: Criterion,
): Mismatch | undefined {
  const evaluated = new Set(answer.policy_evaluations?.map(({ policy_name: name }) => name));
  const unjudged = policies.find((name) => !evaluated.has(name));
  if (unjudged !== undefined) return createMismatch('policy', unjudged, undefined);
  if (environment !== undefined && evaluated.size === 0) {
    return createMismatch('policies of environment', environment, undefined);
  }
  const isNamed = flow === undefined || answer.flows?.some((known) => known.flow === flow) === true;
  return isNamed ? undefined : createMismatch('flow', flow, undefined);
}

function flowShortcomings({ flows = [] }: ArtifactAssertion): readonly Shortcoming[] {
  return flows.flatMap(({ flow, state, state_info: info, compliance_status: status }) => {
    const source = `flow ${flow}`;
    const found = status.attestations_statuses.flatMap((attestation): readonly Shortcoming[] => {
      const { attestation_name: name, attestation_type: type = '*', is_compliant: isCompliant } = attestation;
      if (attestation.status === 'MISSING') {
        const words = `${name} is missing${type === '*' ? '' : ` (an attestation of the type ${type})`}`;
        return attestation.unexpected === true ? [] : [{ source, words, verdict: 'incomplete' }];
      }
      return isCompliant === false ? [{ source, words: `${name} is not compliant`, verdict: 'non-compliant' }] : [];
    });
    const verdict = state === undefined ? undefined : verdictFromArtifactState(state);
    if (verdict === undefined || verdict === 'compliant') return found;
    // The state knows whether evidence failed or only proves nothing yet.
    if (found.length === 0) return [{ source, words: info ?? `the artifact is ${state ?? ''}`, verdict }];
    return found.map((one) => (one.verdict === 'non-compliant' ? { ...one, verdict } : one));
  });
}

function policyShortcomings(answer: ArtifactAssertion): readonly Shortcoming[] {
  const flowVerdict = worstVerdict(flowShortcomings(answer).map(({ verdict }) => verdict)) ?? 'non-compliant';
  return (answer.policy_evaluations ?? []).flatMap((policy) => {
    const source = `policy ${policy.policy_name}`;
    const found = (policy.rule_evaluations ?? []).flatMap((rule) => ruleShortcomings(rule, source, flowVerdict));
    if (found.length > 0 || policy.status === 'COMPLIANT') return found;
    return [{ source, words: policy.status_info ?? `it is ${policy.status}`, verdict: 'non-compliant' as const }];
  });
}

type Rule = NonNullable<AssertedPolicy['rule_evaluations']>[number];

function ruleShortcomings(rule: Rule, source: string, flowVerdict: Verdict): readonly Shortcoming[] {
  if (rule.ignored || rule.satisfied) return [];
  const { name = '*', type = '*' } = rule.rule?.definition ?? {};
  const label = name === '*' ? `any ${type === '*' ? '' : `${type} `}attestation` : name;
  const resolutions = rule.resolutions ?? [];
  if (resolutions.length === 0) return [{ source, words: `${label} is not satisfied`, verdict: 'non-compliant' }];
  return resolutions.map((resolution) => ({
    source,
    words: `${label}: ${textAt(resolution.context, 'reason') ?? describeResolution(resolution.type)}`,
    verdict: resolutionVerdict(resolution.type, flowVerdict),
  }));
}

/** Whether a later report can mend it. A trail that is not compliant may only lack evidence. */
function resolutionVerdict(type: string, flowVerdict: Verdict): Verdict {
  if (type === 'missing_attestation') return 'incomplete';
  return type === 'non_compliant_in_trail' ? flowVerdict : 'non-compliant';
}

const descriptions: Readonly<Record<string, string>> = {
  missing_attestation: 'the attestation is missing',
  non_compliant_attestation: 'the attestation is not compliant',
  non_compliant_in_trail: 'the artifact is not compliant in its trail',
  legacy_flow: 'the artifact comes from a flow without such attestations',
};

function describeResolution(type: string): string {
  return Object.hasOwn(descriptions, type)
    ? (descriptions[type] ?? type)
    : `the service calls it ${JSON.stringify(type)}`;
}
