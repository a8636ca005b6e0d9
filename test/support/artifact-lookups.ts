import type { Artifact } from '../../src/contract/artifact.ts';
import { toArtifactState, type Verdict } from '../../src/contract/compliance.ts';
import { anArtifact } from './artifacts.ts';
import { type PerformedOperation, performOperation, type ScriptedAnswer } from './perform-operation.ts';

/** An artifact that a step looks up, and the service's answer. */
export interface AnsweredArtifact {
  readonly fingerprint: string;
  readonly answer: ScriptedAnswer;
}

/** A fingerprint that ends in this number; the first digits differ, too. */
export function numberedFingerprint(number: number): string {
  const digits = number.toString(16).padStart(4, '0');
  return `${digits}${'f'.repeat(56)}${digits}`;
}

/** An artifact that the service has, in the state of this verdict. */
export function foundArtifact(number: number, verdict: Verdict, other: Partial<Artifact> = {}): AnsweredArtifact {
  const fingerprint = numberedFingerprint(number);
  const state = toArtifactState(verdict);
  return {
    fingerprint,
    answer: { status: 200, body: anArtifact({ fingerprint, filename: `${number}.tgz`, state, ...other }) },
  };
}

/** An artifact that nobody reported. */
export function unknownArtifact(number: number): AnsweredArtifact {
  const fingerprint = numberedFingerprint(number);
  const message = `Artifact with fingerprint '${fingerprint}' does not exist in flow 'web' belonging to organization 'acme'`;
  return { fingerprint, answer: { status: 404, body: { message } } };
}

/** An artifact that could not be looked up. */
export function failedLookup(
  number: number,
  answer: ScriptedAnswer = { status: 503, body: { message: 'Back soon' } },
): AnsweredArtifact {
  return { fingerprint: numberedFingerprint(number), answer };
}

/** Runs get-artifact for these artifacts. */
export function lookUp(
  artifacts: readonly AnsweredArtifact[],
  inputs: Readonly<Record<string, string>> = {},
): Promise<PerformedOperation> {
  const answers = new Map(artifacts.map(({ fingerprint, answer }) => [fingerprint, answer]));
  const fingerprint = [...answers.keys()].join('\n');
  return performOperation('get-artifact', { flow: 'web', retries: '0', fingerprint, ...inputs }, ({ path }) => {
    const [, asked = ''] = /\/fingerprint\/([0-9a-f]+)/u.exec(path) ?? [];
    return answers.get(asked) ?? { status: 500, body: { message: `nothing is known of ${path}` } };
  });
}
