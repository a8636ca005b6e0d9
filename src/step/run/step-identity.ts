import { baseUrl, org } from '../../operations/inputs/connection.ts';
import { files } from '../../operations/inputs/content.ts';
import { environment, policy } from '../../operations/inputs/environment.ts';
import { notificationNumber, serviceAccount } from '../../operations/inputs/organization.ts';
import { matrix } from '../../operations/inputs/publication.ts';
import { snapshot1, snapshot2 } from '../../operations/inputs/snapshots.ts';
import { sonarReportPath } from '../../operations/inputs/sonar.ts';
import { attestationName, flow } from '../../operations/inputs/subject.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { inputText, type InputName } from './read-inputs.ts';

/**
 * The inputs that say what a step is about and stay the same from commit to commit. Those that change with the commit
 * (`fingerprint`, `trail`, `attestation-id`) are left out: each commit would get a comment of its own.
 */
const subjectInputs: readonly InputName[] = [
  baseUrl,
  org,
  environment,
  attestationName,
  files,
  policy,
  serviceAccount,
  notificationNumber,
  sonarReportPath,
  snapshot1,
  snapshot2,
];

/** The variables by which GitHub tells steps of a job and machines of a matrix apart, alike in every run. */
const placeVariables = ['GITHUB_ACTION', 'RUNNER_OS', 'RUNNER_ARCH'] as const;

/** What tells a step from all others of its workflow and job, and is the same in every run. Texts as they were given. */
export interface StepIdentity {
  readonly operation: string | undefined;
  readonly flow: string | undefined;
  /** What else the step is about, and the place where it runs: names and their values. */
  readonly rest: readonly (readonly [name: string, value: string | undefined])[];
  /** The job's values of the matrix, as JSON. */
  readonly matrix: string | undefined;
}

/** Reads what tells a step from others. */
export function readStepIdentity(variables: EnvironmentVariables): StepIdentity {
  return {
    operation: inputText(variables, { name: 'operation' }),
    flow: inputText(variables, flow),
    rest: [
      ...subjectInputs.map((input) => [input.name, inputText(variables, input)] as const),
      ...placeVariables.map((name) => [name, variables[name]] as const),
    ],
    matrix: inputText(variables, matrix),
  };
}
