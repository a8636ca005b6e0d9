import type { ArtifactAssertion } from '../../contract/artifact-assertion.ts';
import { verdictFromReasons } from '../../contract/reason.ts';
import { ExternalError } from '../../runtime/failure.ts';
import type { JudgedAnswer } from '../judged-subjects.ts';
import { readReasons, reasonWords, unexplainedReason } from '../reasons.ts';
import { deriveAssertionReasons } from './assertion-reasons.ts';
import { type Criterion, expectedScope } from './criterion.ts';

/**
 * The verdict in an answer. First checks that the answer is about what was asked, so that the gate does not open by
 * another judgement.
 *
 * @param name what the reasons call the artifact
 * @throws ExternalError if the answer is about something else, or contradicts itself: neither may pass
 */
export function parseAssertion(
  answer: ArtifactAssertion,
  { fingerprint, name }: { readonly fingerprint: string; readonly name: string },
  criterion: Criterion,
): JudgedAnswer {
  const mismatch = findMismatch(answer, fingerprint, criterion);
  if (mismatch !== undefined) throw unusable(`was asked ${mismatch.asked} and answered ${mismatch.answered}`);
  const derived = deriveAssertionReasons(answer, criterion, name);
  const answered = readReasons(answer.reasons);
  if (answer.compliant) {
    const [first] = [...derived, ...answered];
    if (first === undefined) return { verdict: 'compliant', reasons: [] };
    throw unusable(`answered that the artifact is compliant, but also that it is not (${reasonWords(first)})`);
  }
  const found = answered.length > 0 ? answered : derived;
  // Without a reason, nothing says that a later answer may differ.
  const { compliant_info: info, html_url: page } = answer;
  const reasons = found.length > 0 ? found : [unexplainedReason(name, 'non-compliant', info, page)];
  return { verdict: verdictFromReasons(reasons), reasons };
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
