import { baseUrl, org } from '../../operations/inputs/connection-inputs.ts';
import { flow, trail } from '../../operations/inputs/flow-inputs.ts';
import { matrix } from '../../operations/inputs/step-inputs.ts';
import { type InputSource, inputText } from './read-inputs.ts';

/**
 * The inputs that say, besides the service and the organization, what a step is about and do not change from commit to
 * commit. `fingerprint`, `trail` and `attestation-id` are left out: with them, each commit would get its own comment.
 */
const subjectInputs = [
  'environment',
  'attestation-name',
  'artifact-name',
  'checksums-path',
  'files',
  'policy',
  'service-account',
  'notification-number',
  'junit-path',
  'sonar-report-path',
  'sonar-project-key',
  'sarif-path',
  'sbom-path',
  'attestation-type',
  'data-path',
  'branch',
  'snapshot-1',
  'snapshot-2',
] as const;

/** The variables that distinguish the steps of a job and the machines of a matrix, and are the same in every run. */
const runnerVariables = ['GITHUB_ACTION', 'RUNNER_OS', 'RUNNER_ARCH'] as const;

/** What distinguishes a step from the others of its job, and is the same in every run. All texts are as given. */
export interface StepIdentity {
  readonly operation: string | undefined;
  readonly flow: string | undefined;
  /** Only part of the identity of comments of `assert-trail`. */
  readonly trail: string | undefined;
  /** The other inputs and variables that identify it, as names and values. */
  readonly rest: readonly (readonly [name: string, value: string | undefined])[];
  /** The matrix values of the job, as JSON. */
  readonly matrix: string | undefined;
}

export function readStepIdentity(source: InputSource): StepIdentity {
  return {
    operation: inputText(source, { name: 'operation' }),
    flow: inputText(source, flow),
    trail: inputText(source, trail),
    rest: [
      ...[baseUrl, org, ...subjectInputs.map((name) => ({ name }))].map(
        (input) => [input.name, inputText(source, input)] as const,
      ),
      ...runnerVariables.map((name) => [name, source.environment[name]] as const),
    ],
    matrix: inputText(source, matrix),
  };
}
