import { getArtifact as endpoint } from '../../contract/artifact.ts';
import type { Problem } from '../../runtime/failure.ts';
import type { Asked } from './parse-verdict.ts';
import { artifactQuestion, type Wanted } from './lookup.ts';
import { artifactResult } from './artifact-result.ts';
import { artifactFiles } from '../inputs/evidence-inputs.ts';
import { environment } from '../inputs/environment-inputs.ts';
import { wait } from '../inputs/step-inputs.ts';
import { optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { attestationId, fingerprints, flow, trail } from '../inputs/flow-inputs.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { pollUntilFinal } from '../polling.ts';

const inputs = {
  flow: required(flow),
  fingerprints: optional(fingerprints),
  files: optional(artifactFiles),
  trail: optional(trail),
  attestationId: optional(attestationId),
  environment: optional(environment),
  waitSeconds: withDefault(wait, 0),
} as const;

/** Operation 10: looks artifacts up by their fingerprints, and judges their states, and whether they may run somewhere. */
export const getArtifact = defineOperation({
  name: 'get-artifact',
  endpoint,
  gate: 'fail',
  inputs,
  check: ({ fingerprints: given, files: patterns }) => exactlyOne(given !== undefined, patterns !== undefined),
  async run(values, context) {
    const wanted = await wantedArtifacts(values, context);
    const question = artifactQuestion(wanted, values.environment, context);
    const { answer, waiting } = await context.call.log.group('Look artifacts up', () =>
      pollUntilFinal(question, values.waitSeconds, context),
    );
    return artifactResult({ ...answer, flow: values.flow, waiting });
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

async function wantedArtifacts(
  values: ValuesOf<typeof inputs>,
  { workspace, call: { log, signal } }: OperationContext,
): Promise<readonly Wanted[]> {
  const { flow: flowName, trail: trailName, attestationId: id } = values;
  const askFor = (fingerprint: string): Asked => ({ fingerprint, flow: flowName, trail: trailName, attestationId: id });
  if (values.fingerprints !== undefined) {
    return [...new Set(values.fingerprints)].map((fingerprint) => ({ asked: askFor(fingerprint), name: undefined }));
  }
  return log.group('Compute fingerprints', async () => {
    // Node's crypto alone takes longer to load than the question takes: only who needs it shall wait for it.
    const { artifactFingerprints } = await import('../../evidence/fingerprint/fingerprint.ts');
    const wanted: Wanted[] = [];
    for await (const { name, fingerprint } of artifactFingerprints({
      patterns: values.files ?? [],
      workspace,
      signal,
    })) {
      log.info(`${name}: ${fingerprint}`);
      wanted.push({ asked: askFor(fingerprint), name });
    }
    return wanted;
  });
}
