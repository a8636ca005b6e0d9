import { getArtifact as endpoint } from '../../contract/artifact.ts';
import { abbreviatedFingerprint, attestationId as attestationIdSchema, bareFingerprint } from '../../contract/names.ts';
import { checkIdentity, identifyArtifacts, toArtifactNames } from '../identify-artifacts.ts';
import { image } from '../inputs/artifact-inputs.ts';
import { artifactFiles } from '../inputs/evidence-inputs.ts';
import { flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required, withDefault } from '../inputs/input.ts';
import { lines, schemaText } from '../inputs/input-types.ts';
import { wait } from '../inputs/step-inputs.ts';
import { judgeSubjects } from '../judged-subjects.ts';
import { defineOperation } from '../operation.ts';
import { createArtifactResult } from './artifact-result.ts';
import { lookUpArtifact } from './lookup.ts';

const inputs = {
  flow: required(flow),
  /** The fingerprints of artifacts, full or abbreviated, one per line; the values have no `sha256:`. */
  fingerprints: optional(
    lines(
      schemaText(
        'fingerprint',
        abbreviatedFingerprint,
        'a SHA-256 in hex digits: all 64, or at least the first 5',
        'Copy the digits of the SHA-256, with or without `sha256:` in front of them, or set `files` to compute it.',
        bareFingerprint,
      ),
    ),
  ),
  files: optional(artifactFiles),
  image: optional(image),
  trail: optional(trail),
  attestationId: optional(
    schemaText(
      'attestation-id',
      attestationIdSchema,
      'the id of an artifact attestation: groups of 8, 4, 4, 4 and 8 lowercase hex digits',
      'Copy the id from the service.',
    ),
  ),
  waitSeconds: withDefault(wait, 0),
} as const;

/** Operation 10: looks up artifacts by fingerprint, and judges them by their state. */
export const getArtifact = defineOperation({
  name: 'get-artifact',
  endpoint,
  gate: 'fail',
  inputs,
  unsupported: [
    {
      name: 'environment',
      what: 'is not an input of get-artifact, which judges an artifact by its own state only',
      remedy:
        'Use `assert-artifact`, which judges by the policies of `environment`; a policy with `trail-compliance` or `attestations` makes the evidence of the artifact count there.',
    },
  ],
  check: checkIdentity,
  async run(values, context) {
    const { flow: flowName, trail: trailName, attestationId: id } = values;
    const artifacts = await identifyArtifacts(values, context);
    const judgement = await judgeSubjects(
      {
        queries: artifacts.map((artifact) => ({ ...artifact, flow: flowName, trail: trailName, attestationId: id })),
        judge: (query, client) => lookUpArtifact(query, client, context),
        toNames: (query, answer) => toArtifactNames(query, answer?.artifact),
        waitSeconds: values.waitSeconds,
        logTitle: 'Look up artifacts',
      },
      context,
    );
    return createArtifactResult(judgement, flowName);
  },
});
