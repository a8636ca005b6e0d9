import { type Problem, UserError } from '../../runtime/failure.ts';
import type { ImageReference } from '../inputs/artifact-inputs.ts';
import type { OperationContext } from '../operation.ts';
import { resolveImageFingerprint } from '../resolve-image.ts';

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
): Promise<readonly [BuiltArtifact, ...BuiltArtifact[]]> {
  const [first, ...others] = await listArtifacts(inputs, context);
  if (first === undefined) throw new TypeError('no input names an artifact');
  if (others.length > 0 && inputs.artifactName !== undefined) {
    throw new UserError({
      input: 'artifact-name',
      what: `\`artifact-name\` names one artifact of the template, but there are ${others.length + 1} artifacts`,
      remedy: 'Report each artifact of the template in a step of its own, or remove `artifact-name`.',
    });
  }
  return [first, ...others];
}

async function listArtifacts(
  { fingerprint, filename, artifactName, files, checksumsPath, image }: ArtifactInputs,
  context: OperationContext,
): Promise<readonly BuiltArtifact[]> {
  if (image !== undefined) {
    return [{ filename: image.name, fingerprint: await resolveImageFingerprint(image, context) }];
  }
  const {
    workspace,
    call: { log, signal },
  } = context;
  if (fingerprint !== undefined) return [{ filename: filename ?? artifactName ?? '', fingerprint }];
  return log.group('Collect the artifacts', async () => {
    const artifacts: BuiltArtifact[] = [];
    const add = ({ name, fingerprint: digest }: { readonly name: string; readonly fingerprint: string }): void => {
      log.info(`${name}: ${digest}`);
      artifacts.push({ filename: name, fingerprint: digest });
    };
    if (checksumsPath !== undefined) {
      const { readChecksums } = await import('../../evidence/fingerprint/checksums.ts');
      for (const artifact of await readChecksums(checksumsPath, workspace)) add(artifact);
    } else {
      const { artifactFingerprints } = await import(
        /* webpackChunkName: 'fingerprint' */ '../../evidence/fingerprint/fingerprint.ts'
      );
      for await (const artifact of artifactFingerprints({ patterns: files ?? [], workspace, signal })) add(artifact);
    }
    return artifacts;
  });
}
