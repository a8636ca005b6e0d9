import { getArtifact as endpoint } from '../contract/artifact.ts';
import { fingerprintOf } from '../evidence/fingerprint/fingerprint.ts';
import { resolveArtifactPaths } from '../evidence/files/artifact-paths.ts';
import { Failure, type Problem } from '../runtime/failure.ts';
import { judgeArtifact, type Asked, type Looked } from './artifact-answer.ts';
import { artifactResult } from './artifact-result.ts';
import { files } from './inputs/content.ts';
import { optional, required } from './inputs/input.ts';
import { attestationId, fingerprints, flow, trail } from './inputs/subject.ts';
import { defineOperation, type OperationContext } from './operation.ts';

/** Operation 10: looks artifacts up by their fingerprints, and judges their states. */
export const getArtifact = defineOperation({
  name: 'get-artifact',
  endpoint,
  gate: 'fail',
  inputs: {
    flow: required(flow),
    fingerprints: optional(fingerprints),
    files: optional(files),
    trail: optional(trail),
    attestationId: optional(attestationId),
  },
  check: ({ fingerprints: given, files: patterns }) => exactlyOne(given !== undefined, patterns !== undefined),
  async run(inputs, context) {
    const wanted = await wantedArtifacts(inputs.fingerprints, inputs.files, context);
    const looked = await context.call.log.group('Look artifacts up', async () => {
      const answers: Looked[] = [];
      for (const { fingerprint, name } of wanted) {
        const asked = { fingerprint, flow: inputs.flow, trail: inputs.trail, attestationId: inputs.attestationId };
        answers.push(await lookUp(asked, name, context));
      }
      return answers;
    });
    return artifactResult(looked, inputs.flow);
  },
});

function exactlyOne(hasFingerprint: boolean, hasFiles: boolean): readonly Problem[] {
  if (hasFingerprint !== hasFiles) return [];
  return [
    {
      input: 'fingerprint',
      what: `\`fingerprint\` and \`files\`: exactly one of the two must be given, and ${hasFiles ? 'both' : 'neither'} are`,
      remedy: 'Give `fingerprint`, or give the artifact itself in `files` and its fingerprint is computed.',
    },
  ];
}

/** A fingerprint to ask for, with the name of the file or directory it was computed of. */
interface Wanted {
  readonly fingerprint: string;
  readonly name: string | undefined;
}

async function wantedArtifacts(
  given: readonly string[] | undefined,
  patterns: readonly string[] | undefined,
  { workspace, call: { log } }: OperationContext,
): Promise<readonly Wanted[]> {
  if (given !== undefined) return [...new Set(given)].map((fingerprint) => ({ fingerprint, name: undefined }));
  return log.group('Compute fingerprints', async () => {
    const wanted: Wanted[] = [];
    for (const { path, name } of await resolveArtifactPaths({ patterns: patterns ?? [], workspace })) {
      const fingerprint = await fingerprintOf(path);
      log.info(`${name}: ${fingerprint}`);
      wanted.push({ fingerprint, name });
    }
    return wanted;
  });
}

async function lookUp(
  asked: Asked,
  name: string | undefined,
  { client, org, call }: OperationContext,
): Promise<Looked> {
  try {
    const { body: artifact } = await client.call(endpoint, {
      parameters: { org, flow_name: asked.flow, fingerprint: asked.fingerprint },
      query: {
        ...(asked.trail === undefined ? {} : { trail: asked.trail }),
        ...(asked.attestationId === undefined ? {} : { attestation_id: asked.attestationId }),
      },
    });
    const verdict = judgeArtifact(artifact, asked);
    call.log.info(`${name ?? asked.fingerprint}: ${artifact.state ?? ''}`);
    return { asked, name, artifact, verdict };
  } catch (error) {
    // An artifact that cannot be judged must not hide what is known of the others.
    if (error instanceof Failure) return { asked, name, failure: error };
    throw error;
  }
}
