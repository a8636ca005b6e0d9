import { commitSha, githubToken } from '../../operations/inputs/commit.ts';
import { apiToken, connectionInputs } from '../../operations/inputs/connection.ts';
import { onNonCompliant, summary } from '../../operations/inputs/gate.ts';
import { optional, required, withDefault, type ValuesOf } from '../../operations/inputs/input.ts';
import { onMissingToken } from '../../operations/inputs/missing-token.ts';
import { oneOf } from '../../operations/inputs/parse.ts';
import { commitStatus, matrix, pullRequestComment } from '../../operations/inputs/publication.ts';
import { runnableNames, type RunnableName } from '../../operations/registry.ts';
import type { Problem } from '../../runtime/failure.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { inputText, readInputs, textsOf, type InputName } from './read-inputs.ts';

/** The inputs that hold keys and tokens. */
export const secretInputs = ['api-token', 'sonar-token', 'github-token'] as const;

const operationName = oneOf('operation', runnableNames);

/** The inputs of every operation. */
const commonInputs = {
  ...connectionInputs,
  onNonCompliant: optional(onNonCompliant),
  onMissingToken: withDefault(onMissingToken, 'fail'),
  summary: optional(summary),
  pullRequestComment: optional(pullRequestComment),
  commitStatus: optional(commitStatus),
} as const;

/** The inputs that publishing uses, whatever the operation: GitHub's token comes with a default from action.yml. */
const publicationInputs = { githubToken: optional(githubToken), commitSha: optional(commitSha) } as const;

/** The inputs that every step reads, whatever its operation. */
export const commonDeclared: readonly InputName[] = [
  operationName,
  githubToken,
  matrix,
  ...Object.values(commonInputs).map(({ input }) => input),
];

/**
 * The names of the inputs that every operation takes. GitHub's token and the matrix are among them because action.yml gives
 * them to every step; who uses them reads them.
 */
export const commonNames = commonDeclared.map(({ name }) => name);

/** The values of the inputs of every operation. */
export type CommonValues = ValuesOf<typeof commonInputs>;

/**
 * What decides where a step's end is shown beside its run: what was given and is well-formed. A malformed value is reported
 * with the other inputs; the end of that step is shown where the well-formed ones say.
 */
export type PublicationSettings = Partial<
  Pick<CommonValues, 'pullRequestComment' | 'commitStatus' | 'dryRun'> & ValuesOf<typeof publicationInputs>
>;

/** The inputs that all steps have in common, read once. */
export interface StepInputs {
  /** Undefined where none is given, or an unknown one; the problems say so. */
  readonly operation: RunnableName | undefined;
  /** Complete where there are no problems, but for a missing key. */
  readonly common: CommonValues;
  /** Everything that is wrong with them. */
  readonly problems: readonly Problem[];
  /** Whether there is no `api-token`. */
  readonly isTokenMissing: boolean;
  /** Whether a job summary is wanted. A malformed `summary` is reported there, too. */
  readonly summary: boolean;
  readonly publication: PublicationSettings;
}

/** Reads the inputs that all steps have in common. What is wrong is in the result, because it has to be reported by them. */
export function readStepInputs(environment: EnvironmentVariables): StepInputs {
  const chosen = readInputs(environment, { operation: required(operationName) });
  const common = readInputs(environment, commonInputs);
  const { pullRequestComment, commitStatus, dryRun, summary }: Partial<CommonValues> = common.values;
  return {
    operation: chosen.problems.length === 0 ? chosen.values.operation : undefined,
    common: common.values,
    problems: [...chosen.problems, ...common.problems],
    isTokenMissing: inputText(environment, apiToken) === undefined,
    summary: summary ?? true,
    publication: { pullRequestComment, commitStatus, dryRun, ...readInputs(environment, publicationInputs).values },
  };
}

/** All keys and tokens that were given, used or not. */
export function secretTexts(environment: EnvironmentVariables): readonly string[] {
  return secretInputs.flatMap((name) => textsOf(environment, name));
}

/** Whether the end of the step is to be shown at all. */
export function isPublished({ pullRequestComment, commitStatus }: PublicationSettings): boolean {
  return pullRequestComment === true || commitStatus !== undefined;
}
