import type { Problem } from '../runtime/failure.ts';
import type { ImageReference } from './inputs/artifact-inputs.ts';
import type { JudgedAnswer, JudgedSubject, SubjectNames } from './judged-subjects.ts';
import type { OperationContext } from './operation.ts';
import { abbreviate } from './report.ts';
import { resolveImageFingerprint } from './resolve-image.ts';

export interface IdentifiedArtifact {
  /** All digits, or the first ones. */
  readonly fingerprint: string;
  /** The image, or what the fingerprint was computed from: a file or directory; undefined if the fingerprint was given. */
  readonly name: string | undefined;
}

/** The inputs that name artifacts: exactly one of them is given. */
export interface IdentifyingInputs {
  readonly fingerprints: readonly string[] | undefined;
  readonly files: readonly string[] | undefined;
  readonly image: ImageReference | undefined;
}

/** Checks that exactly one of the inputs is given. */
export function checkIdentity({ fingerprints, files, image }: IdentifyingInputs): readonly Problem[] {
  const given = [fingerprints, files, image].filter((value) => value !== undefined).length;
  if (given === 1) return [];
  return [
    {
      input: 'fingerprint',
      what: `Exactly one of \`fingerprint\`, \`files\` and \`image\` must be given, but ${given === 0 ? 'none is' : `${given} are`}`,
      remedy: 'Set `fingerprint`, or `files` to compute it from the artifact itself, or `image` for an image.',
    },
  ];
}

/**
 * The artifacts with the fingerprints of the inputs, once each; the files of the inputs, whose fingerprints it computes;
 * or the image.
 *
 * @throws Failure if `files` matches nothing, or the image is not found
 */
export async function identifyArtifacts(
  { fingerprints, files, image }: IdentifyingInputs,
  context: OperationContext,
): Promise<readonly IdentifiedArtifact[]> {
  if (image !== undefined) return [{ name: image.name, fingerprint: await resolveImageFingerprint(image, context) }];
  if (fingerprints !== undefined) {
    return [...new Set(fingerprints)].map((fingerprint) => ({ fingerprint, name: undefined }));
  }
  const {
    workspace,
    call: { log, signal },
  } = context;
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
