import { ServiceError } from '../../client/service-error.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { Failure } from '../../runtime/failure.ts';
import { RunnerFileError } from '../../runtime/runner-file.ts';
import type { Decision } from '../run/gate.ts';
import type { StepResult } from '../run/step-result.ts';
import { safeHref } from './escape.ts';
import { type ResponseLocation, type StoredResponse, writeResponse } from './response-file.ts';
import type { Runner } from './runner.ts';

/** Sets the outputs and writes the response file. Returns the errors of what could not be written. */
export function setOutputs(
  stepResult: StepResult,
  runner: Runner,
  location: ResponseLocation,
): readonly RunnerFileError[] {
  const answer = writeResponse({ response: toResponse(stepResult), written: stepResult.result?.written }, location);
  const unwritten = answer.failure === undefined ? [] : [answer.failure];
  try {
    runner.setOutputs(toOutputs(stepResult, answer));
    return unwritten;
  } catch (error) {
    if (error instanceof RunnerFileError) return [...unwritten, error];
    throw error;
  }
}

function toOutputs(
  { decision, result, checkpoint }: StepResult,
  { path, output }: StoredResponse,
): Readonly<Record<string, string>> {
  const { state, fingerprint, htmlUrl, attestationUrl, count, spoolPath }: Partial<OperationResult> = result ?? {};
  return {
    outcome: decision.outcome,
    compliant: compliantOutput(decision.outcome),
    state: state ?? '',
    response: output,
    'response-path': path,
    fingerprint: fingerprint ?? '',
    'html-url': safeHref(htmlUrl) ?? '',
    'attestation-url': safeHref(attestationUrl) ?? '',
    count: count?.toString() ?? '',
    'spool-path': spoolPath ?? '',
    checkpoint: checkpoint ?? '',
  };
}

function toResponse({ result, thrown }: StepResult): unknown {
  if (result !== undefined && result.lost === undefined) return result.response;
  return { error: toErrorOutput(result === undefined ? thrown : result.lost) };
}

/** Empty if there is no verdict, so that neither `== 'true'` nor `== 'false'` holds by accident. */
function compliantOutput(outcome: Decision['outcome']): string {
  if (outcome === 'compliant') return 'true';
  return outcome === 'non-compliant' || outcome === 'incomplete' ? 'false' : '';
}

function toErrorOutput(thrown: unknown): Readonly<Record<string, unknown>> {
  if (thrown instanceof ServiceError) {
    const { status, serviceMessage, fieldErrors } = thrown.facts;
    const { kind, message: what, remedy } = thrown;
    return { kind, what, remedy, status, message: serviceMessage, errors: fieldErrors };
  }
  if (thrown instanceof Failure) return { kind: thrown.kind, what: thrown.message, remedy: thrown.remedy };
  return { kind: 'defect' };
}
