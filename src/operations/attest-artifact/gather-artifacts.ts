import { type Problem, UserError } from '../../runtime/failure.ts';
import { type IdentifiedArtifact, identifyArtifacts } from '../identify-artifacts.ts';
import type { ImageReference } from '../inputs/artifact-inputs.ts';
import type { OperationContext } from '../operation.ts';

export interface BuiltArtifact {
  /** Its file name, its path in the workspace, or the name of the image. */
  readonly filename: string;
  readonly fingerprint: string;
}

/** The inputs that say which artifacts to report; exactly one of the first four is given. */
export interface ArtifactInputs {
  readonly fingerprint: string | undefined;
  readonly files: readonly string[] | undefined;
  readonly checksumsPath: string | undefined;
  readonly image: ImageReference | undefined;
  readonly filename: string | undefined;
  readonly artifactName: string | undefined;
}

export function checkArtifactInputs(inputs: ArtifactInputs): readonly Problem[] {
  const { fingerprint, files, checksumsPath, image, filename, artifactName } = inputs;
  const given = [fingerprint, files, checksumsPath, image].filter((value) => value !== undefined).length;
  if (given !== 1) {
    return [
      {
        input: 'fingerprint',
        what: `Exactly one of \`fingerprint\`, \`files\`, \`checksums-path\` and \`image\` must be given, but ${given === 0 ? 'none is' : `${given} are`}`,
        remedy: 'Set the one that names what the job built; use a step for each kind.',
      },
    ];
  }
  if (fingerprint === undefined && filename !== undefined) {
    return [
      {
        input: 'filename',
        what: '`filename` is only for `fingerprint`; files, checksums and images have their own names',
        remedy: 'Remove `filename`.',
      },
    ];
  }
  if (fingerprint === undefined || filename !== undefined || artifactName !== undefined) return [];
  return [
    {
      input: 'filename',
      what: 'The artifact with the fingerprint has no name',
      remedy: 'Set `filename` to the name of its file or image.',
    },
  ];
}

/**
 * The artifacts that the inputs name, each once.
 *
 * @throws UserError if they name none, or several although `artifact-name` names one
 */
export async function gatherArtifacts(
  inputs: ArtifactInputs,
  context: OperationContext,
): Promise<readonly BuiltArtifact[]> {
  const artifacts = await listArtifacts(inputs, context);
  if (artifacts.length > 1 && inputs.artifactName !== undefined) {
    throw new UserError({
      input: 'artifact-name',
      what: `\`artifact-name\` names one artifact of the template, but there are ${artifacts.length} artifacts`,
      remedy: 'Report each artifact of the template in a step of its own, or remove `artifact-name`.',
    });
  }
  return artifacts.map(({ name = inputs.filename ?? inputs.artifactName ?? '', fingerprint }) => ({
    filename: name,
    fingerprint,
  }));
}

function listArtifacts(
  { fingerprint, files, checksumsPath, image }: ArtifactInputs,
  context: OperationContext,
): Promise<readonly IdentifiedArtifact[]> {
  if (checksumsPath === undefined) {
    return identifyArtifacts(
      { fingerprints: fingerprint === undefined ? undefined : [fingerprint], files, image },
      context,
    );
  }
  const { log } = context.call;
  return log.group('Collect the artifacts', async () => {
    const { readChecksums } = await import('../../evidence/fingerprint/checksums.ts');
    const artifacts = await readChecksums(checksumsPath, context.workspace);
    for (const artifact of artifacts) log.info(`${artifact.name}: ${artifact.fingerprint}`);
    return artifacts;
  });
}
