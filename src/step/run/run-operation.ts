import { isReadableOnTheWay } from '../../http/plain-http.ts';
import { ComplianceClient } from '../../client/client.ts';
import { NotSent } from '../../client/not-sent.ts';
import type { Job } from '../../evidence/job.ts';
import type { Transport } from '../../http/exchange.ts';
import type { CallContext } from '../../http/persistent.ts';
import { apiToken, connectionInputs } from '../../operations/inputs/connection.ts';
import { commitSha, githubToken } from '../../operations/inputs/commit.ts';
import { onNonCompliant, summary, wait } from '../../operations/inputs/gate.ts';
import { optional, required, withDefault, type ValuesOf } from '../../operations/inputs/input.ts';
import { onMissingToken } from '../../operations/inputs/missing-token.ts';
import { oneOf } from '../../operations/inputs/parse.ts';
import { matrix } from '../../operations/inputs/publication.ts';
import type { Operation, OperationContext, OperationResult, ResponseFile } from '../../operations/operation.ts';
import { operations, runnableNames, type RunnableName } from '../../operations/registry.ts';
import { UserError, type Problem } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import type { EnvironmentVariables, Dependencies } from '../../runtime/dependencies.ts';
import type { OnNonCompliant } from './gate.ts';
import {
  ignoredVariable,
  inputText,
  readInputs,
  unusedInputs,
  usedFallback,
  type InputName,
  type ReadInputs,
} from './read-inputs.ts';
import { missingToken, skippedResult } from './missing-api-token.ts';
import { isPublished, publicationSwitches } from './step-inputs.ts';
import { unsentResult } from './dry-run-result.ts';

/** What a step works with. */
export interface StepContext extends Dependencies {
  readonly environment: EnvironmentVariables;
  readonly job: Job;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly temporaryDirectory: string;
  readonly responseFile: ResponseFile;
  /** Called before an operation that may wait for a verdict; it is done before the operation's end is told. */
  readonly beforeWaiting?: () => Promise<void>;
}

/** What came of a step's operation, and what its verdict does. */
export interface Performed {
  readonly result: OperationResult;
  readonly onNonCompliant: OnNonCompliant;
}

const operationName = oneOf('operation', runnableNames);

/** The inputs of every operation. */
const commonInputs = {
  ...connectionInputs,
  onNonCompliant: optional(onNonCompliant),
  onMissingToken: withDefault(onMissingToken, 'fail'),
  summary: optional(summary),
  ...publicationSwitches,
} as const;

/** The inputs that every step reads, whatever its operation. */
const commonDeclared: readonly InputName[] = [
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

/**
 * Reads the inputs, all of them, and then runs the operation.
 *
 * @throws UserError with everything that is wrong with the inputs, before anything is sent; and whatever the operation
 * throws
 */
export async function perform(context: StepContext): Promise<Performed> {
  const { environment, log } = context;
  const chosen = readInputs(environment, { operation: required(operationName) });
  const common = readCommon(context);
  // Without a known operation, only what is common can be checked.
  if (chosen.problems.length > 0) throw mistakes([...chosen.problems, ...common.problems]);
  const operation = await loadOperation(chosen.values.operation);
  const own = readInputs(environment, operation.inputs);
  const declared = [
    ...commonDeclared,
    ...Object.values(operation.inputs).map(({ input }) => input),
    ...(isPublished(common.values) ? [commitSha] : []),
  ];
  tellSources(declared, environment, log);
  const between = own.problems.length === 0 ? (operation.check?.(own.values) ?? []) : [];
  const problems = [
    ...common.problems,
    ...own.problems,
    ...between,
    ...withdrawnInputs(operation, environment),
    ...(await commitProblems(operation, common.values, context)),
  ];
  if (problems.length > 0) throw mistakes(problems);

  warnOfInputs(operation, common.values, context);
  if (common.tokenMissing) return { result: skippedResult(operation.name, context.job), onNonCompliant: 'warn' };
  const told = mayWait(operation, environment) ? context.beforeWaiting?.() : undefined;
  try {
    const result = await run(operation, own.values, operationContext(common.values, context));
    return { result, onNonCompliant: common.values.onNonCompliant ?? operation.gate };
  } finally {
    // What is told at the end must not be overtaken by this.
    await told;
  }
}

/** Whether the operation takes `wait`, and was told to. */
function mayWait({ inputs }: Operation, environment: EnvironmentVariables): boolean {
  const takesWait = Object.values(inputs).some(({ input }) => input.name === wait.name);
  return takesWait && readInputs(environment, { wait: withDefault(wait, 0) }).values.wait > 0;
}

/** The inputs of every operation. A missing key is no problem where its author wants the step skipped then. */
function readCommon({ environment, job }: StepContext): ReadInputs<typeof commonInputs> & { tokenMissing: boolean } {
  const { values, problems } = readInputs(environment, commonInputs);
  const tokenMissing = inputText(environment, apiToken) === undefined;
  if (!tokenMissing) return { values, problems, tokenMissing };
  const skips = values.onMissingToken === 'skip';
  return {
    values,
    problems: problems.flatMap((problem) => {
      if (problem.input !== apiToken.name) return [problem];
      return skips ? [] : [missingToken(job)];
    }),
    tokenMissing,
  };
}

/** What is wrong with a commit that is given for the commit status only; an operation that takes one says it itself. */
async function commitProblems(
  { inputs }: Operation,
  common: Common,
  { environment, job }: StepContext,
): Promise<readonly Problem[]> {
  const given = inputText(environment, commitSha);
  const isOwn = Object.values(inputs).some(({ input }) => input.name === commitSha.name);
  if (given === undefined || isOwn || !isPublished(common)) return [];
  const { judgedCommit } = await import('../../evidence/commit/judged-commit.ts');
  try {
    judgedCommit(job, given);
    return [];
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown.problems;
    throw thrown;
  }
}

function loadOperation(name: RunnableName): Promise<Operation> {
  return operations[name]();
}

async function run(
  operation: Operation,
  values: Parameters<Operation['run']>[0],
  context: OperationContext,
): Promise<OperationResult> {
  try {
    return await operation.run(values, context);
  } catch (thrown) {
    if (thrown instanceof NotSent) return unsentResult(thrown.request);
    throw thrown;
  }
}

function withdrawnInputs({ withdrawn = [] }: Operation, environment: EnvironmentVariables): readonly Problem[] {
  return withdrawn
    .filter((input) => inputText(environment, input) !== undefined)
    .map(({ name, what, remedy }) => ({ input: name, what: `\`${name}\` ${what}`, remedy }));
}

function mistakes(problems: readonly Problem[]): UserError {
  const [first, ...others] = problems;
  if (first === undefined) throw new RangeError('no problem, no error');
  return new UserError([first, ...others]);
}

/** Names the variables that inputs were taken from, and those that look like it and were not. Never a value. */
function tellSources(inputs: readonly InputName[], environment: EnvironmentVariables, log: Log): void {
  const used = inputs.flatMap((input) => {
    const variable = usedFallback(environment, input);
    return variable === undefined ? [] : [`\`${input.name}\` from ${variable}`];
  });
  if (used.length > 0) log.info(`Taken from the environment: ${[...new Set(used)].join(', ')}.`);
  const ignored = inputs.flatMap((input) => ignoredVariable(environment, input) ?? []);
  if (ignored.length === 0) return;
  const names = [...new Set(ignored)];
  log.warning(
    `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not read: only the inputs of the connection, \`org\` and \`flow\` have environment fallbacks. Give the input under \`with:\`.`,
  );
}

type Common = ValuesOf<typeof commonInputs>;

function warnOfInputs(operation: Operation, common: Common, { environment, log }: StepContext): void {
  const used = [
    ...commonNames,
    ...Object.values(operation.inputs).map(({ input }) => input.name),
    ...(isPublished(common) ? [commitSha.name] : []),
  ];
  for (const name of unusedInputs(environment, used)) {
    log.warning(`\`${name}\` is not used by ${operation.name}; remove it from \`with:\`.`);
  }
  if (isReadableOnTheWay(common.baseUrl)) {
    log.warning(
      `\`base-url\` starts with http://, so the API key can be read on its way to ${common.baseUrl.host}; use https://.`,
    );
  }
}

function operationContext(common: Common, context: StepContext): OperationContext {
  const call: CallContext = {
    clock: context.clock,
    random: context.random,
    log: context.log,
    transport: context.transport,
    signal: context.signal,
    persistence: { requestTimeout: common.timeoutSeconds * 1000, retries: common.retries },
  };
  const connection = {
    baseUrl: common.baseUrl,
    apiToken: common.apiToken,
    authenticationMethod: common.authMethod,
    filePartStyle: common.fileParts,
    dryRun: common.dryRun,
  };
  return {
    client: new ComplianceClient(connection, call),
    call,
    job: context.job,
    environment: context.environment,
    workspace: context.job.workspace ?? process.cwd(),
    org: common.org,
    temporaryDirectory: context.temporaryDirectory,
    responseFile: context.responseFile,
  };
}
