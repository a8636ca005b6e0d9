import type { Problem } from '../runtime/failure.ts';
import type { JudgedAnswer, JudgedSubject, SubjectNames } from './judged-subjects.ts';
import type { OperationContext } from './operation.ts';
import { abbreviate } from './report.ts';

/** An artifact that is to be judged. */
export interface IdentifiedArtifact {
  /** All digits, or the first ones. */
  readonly fingerprint: string;
  /** The file or directory that the fingerprint was computed from; undefined if the fingerprint was given. */
  readonly name: string | undefined;
}

/** The inputs that name the artifacts to judge: exactly one of them is given. */
export interface IdentifyingInputs {
  readonly fingerprints: readonly string[] | undefined;
  readonly files: readonly string[] | undefined;
}

/** Checks that exactly one of the inputs is given. */
export function checkIdentity({ fingerprints, files }: IdentifyingInputs): readonly Problem[] {
  if ((fingerprints === undefined) !== (files === undefined)) return [];
  return [
    {
      input: 'fingerprint',
      what: `Exactly one of \`fingerprint\` and \`files\` must be given, but ${files === undefined ? 'neither' : 'both'} are`,
      remedy: 'Set `fingerprint`, or set `files` to compute the fingerprint from the artifact itself.',
    },
  ];
}

/**
 * The artifacts with the fingerprints of the inputs, once each; or the files of the inputs, whose fingerprints it
 * computes.
 *
 * @throws UserError if `files` matches nothing
 */
export async function identifyArtifacts(
  { fingerprints, files }: IdentifyingInputs,
  { workspace, call: { log, signal } }: OperationContext,
): Promise<readonly IdentifiedArtifact[]> {
  if (fingerprints !== undefined) {
    return [...new Set(fingerprints)].map((fingerprint) => ({ fingerprint, name: undefined }));
  }
  return log.group('Compute fingerprints', async () => {
    // Loading Node's crypto takes longer than the request, so only steps that need it load it.
    const { artifactFingerprints } = await import(
      /* webpackChunkName: 'fingerprint' */ '../evidence/fingerprint/fingerprint.ts'
    );
    const artifacts: IdentifiedArtifact[] = [];
    for await (const artifact of artifactFingerprints({ patterns: files ?? [], workspace, signal })) {
      log.info(`${artifact.name}: ${artifact.fingerprint}`);
      artifacts.push(artifact);
    }
    return artifacts;
  });
}

/**
 * The names of an artifact.
 *
 * @param answered what the service calls it; undefined if there is no answer
 */
export function toArtifactNames(
  { name: file, fingerprint }: IdentifiedArtifact,
  answered?: { readonly fingerprint: string; readonly filename?: string },
): SubjectNames {
  const digits = answered?.fingerprint ?? fingerprint;
  const short = abbreviate(digits);
  const name = file ?? answered?.filename;
  return { title: `Artifact ${name === undefined ? '' : `${name} `}${short}`, name: name ?? short, digits, file };
}

/** An artifact in the output `response` if there are several, or if the service does not know it. */
export function toResponseEntry<Answer extends JudgedAnswer>(
  { digits, file, settled: { value, failure } }: JudgedSubject<Answer>,
  answered: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    fingerprint: digits,
    ...(file === undefined ? {} : { file }),
    ...(failure === undefined ? { verdict: value.verdict } : { error: failure.message }),
    ...(value?.isUnknown === true ? { reasons: value.reasons } : answered),
  };
}
