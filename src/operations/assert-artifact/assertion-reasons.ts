import type { ArtifactAssertion, AssertedPolicy } from '../../contract/artifact-assertion.ts';
import { verdictFromArtifactState } from '../../contract/compliance.ts';
import { type Reason, reasonStates, sortReasons, toReasonState } from '../../contract/reason.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import { readAttestationStatus, toEvidenceReasons } from '../listed-evidence.ts';
import { unexplainedReason } from '../reasons.ts';
import { type Criterion, expectedScope } from './criterion.ts';

/**
 * Why an artifact does not comply, from the flows and policies of an answer; empty if they say nothing against it.
 * Reasons that only something missing or inconclusive causes are not `failed`: a later report can mend them.
 *
 * @param name what the reasons call the artifact
 */
export function deriveAssertionReasons(
  answer: ArtifactAssertion,
  criterion: Criterion,
  name: string,
): readonly Reason[] {
  const found = expectedScope(criterion) === 'flow' ? flowReasons(answer, name) : policyReasons(answer, name);
  return sortReasons(found);
}

function flowReasons({ flows = [] }: ArtifactAssertion, name: string): readonly Reason[] {
  return flows.flatMap(({ flow, state = '', state_info: info, html_url: page, compliance_status: status }) => {
    const rule = `flow ${flow}`;
    const listed = status.attestations_statuses.map((entry) => readAttestationStatus(entry));
    // Evidence without a verdict of its own is left to the state of the artifact.
    const found = listed
      .filter((evidence) => evidence.state !== 'unknown')
      .flatMap((evidence) => toEvidenceReasons(evidence))
      .map((reason): Reason => ({ ...reason, rule }));
    const verdict = verdictFromArtifactState(state);
    if (verdict === undefined || verdict === 'compliant') return found;
    // The state knows whether evidence failed or only proves nothing yet.
    const own = toReasonState(verdict);
    if (found.length > 0) return found.map((one) => (one.state === 'failed' ? { ...one, state: own } : one));
    return [{ ...unexplainedReason(name, verdict, info, page), rule }];
  });
}

function policyReasons(answer: ArtifactAssertion, name: string): readonly Reason[] {
  const { policy_evaluations: policies, environment } = answer;
  if (environment !== undefined && policies?.length === 0) {
    const limit = 'attach a policy to have artifacts judged';
    return [{ state: 'incomplete', about: environment, value: 'has no policies', limit }];
  }
  const states = flowReasons(answer, name).map(({ state }) => state);
  const flowState = reasonStates.find((state) => states.includes(state)) ?? 'failed';
  return (policies ?? []).flatMap((policy): readonly Reason[] => {
    const rule = `policy ${policy.policy_name}`;
    const found = (policy.rule_evaluations ?? []).flatMap((evaluation) => ruleReasons(evaluation, rule, flowState));
    if (found.length > 0 || policy.status === 'COMPLIANT') return found;
    return [{ state: 'failed', about: name, rule, value: policy.status_info ?? `the verdict is ${policy.status}` }];
  });
}

type RuleEvaluation = NonNullable<AssertedPolicy['rule_evaluations']>[number];

function ruleReasons(evaluation: RuleEvaluation, rule: string, flowState: Reason['state']): readonly Reason[] {
  if (evaluation.ignored || evaluation.satisfied) return [];
  const { name = '*', type = '*' } = evaluation.rule?.definition ?? {};
  const about = name === '*' ? `any ${type === '*' ? '' : `${type} `}attestation` : name;
  const resolutions = evaluation.resolutions ?? [];
  if (resolutions.length === 0) return [{ state: 'failed', about, rule, value: 'not satisfied' }];
  return resolutions.map((resolution) => ({
    state: resolutionState(resolution.type, flowState),
    about,
    rule,
    value: textAt(resolution.context, 'reason') ?? describeResolution(resolution.type),
  }));
}

/** A trail that is not compliant may only lack evidence. */
function resolutionState(type: string, flowState: Reason['state']): Reason['state'] {
  if (type === 'missing_attestation') return 'missing';
  return type === 'non_compliant_in_trail' ? flowState : 'failed';
}

const descriptions: Readonly<Record<string, string>> = {
  missing_attestation: 'not recorded',
  non_compliant_attestation: 'not compliant',
  non_compliant_in_trail: 'the artifact is not compliant in its trail',
  legacy_flow: 'the artifact comes from a flow without such attestations',
};

function describeResolution(type: string): string {
  return Object.hasOwn(descriptions, type)
    ? (descriptions[type] ?? type)
    : `the service calls it ${JSON.stringify(type)}`;
}
