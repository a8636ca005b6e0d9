import { ComplianceClient } from '../../client/client.ts';
import { NotSent, type UnsentRequest } from '../../client/dry-run.ts';
import type { Login, TokenSource } from '../../client/login.ts';
import type { Job } from '../../evidence/job.ts';
import type { Upload } from '../../evidence/upload/refuse-secrets.ts';
import type { RetryPolicy } from '../../http/retry-schedule.ts';
import type { CallContext } from '../../http/send-with-retry.ts';
import type { Transport } from '../../http/transport.ts';
import { connectionInputs, defaultRetryForSeconds } from '../../operations/inputs/connection-inputs.ts';
import { commitSha } from '../../operations/inputs/evidence-inputs.ts';
import type { Operation, OperationContext, OperationResult, ResponseFile } from '../../operations/operation.ts';
import { operations } from '../../operations/registry.ts';
import type { Dependencies, EnvironmentVariables } from '../../runtime/dependencies.ts';
import { Failure, type Problem, UserError } from '../../runtime/failure.ts';
import type { Log } from '../../runtime/log.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';
import { type CommonInputs, commonNames, type CommonValues, isPublished } from './common-inputs.ts';
import { dryRunResult } from './dry-run-result.ts';
import type { OnNonCompliant } from './gate.ts';
import type { KnownLog } from './known-checkpoint.ts';
import { findTokenSource, missingTokenProblem, skippedResult } from './missing-api-token.ts';
import { type OperationInputs, readOperationInputs, recordsEvidence } from './operation-inputs.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { type InputSource, unusedInputs, usedFallback } from './read-inputs.ts';
import { readWriteIdentity } from './write-identity.ts';

export interface StepContext extends Dependencies {
  readonly inputs: CommonInputs;
  readonly inputSource: InputSource;
  readonly environment: EnvironmentVariables;
  readonly job: Job;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly temporaryDirectory: string;
  /** The secrets of the step in all their encodings; grows with `addSecret`. */
  readonly secretForms: readonly string[];
  /** Masks a secret that the step gets while it runs. */
  readonly addSecret: (secret: string) => void;
  readonly responseFile: ResponseFile;
  /** Called before an operation that may wait for a verdict, and awaited before this run ends. */
  readonly beforeWaiting?: () => Promise<void>;
}

export interface OperationRun {
  readonly result: OperationResult;
  readonly onNonCompliant: OnNonCompliant;
  /** Reads the checkpoint of the log; absent if nothing was recorded or judged. */
  readonly readCheckpoint?: () => Promise<string | undefined>;
}

/**
 * Reads the operation's inputs, then runs it.
 *
 * @throws UserError with everything wrong with the inputs, before anything is sent; and whatever the operation
 * throws
 */
export async function runOperation(context: StepContext): Promise<OperationRun> {
  const { inputs, inputSource, job, log } = context;
  const { common, publication } = inputs;
  const source = inputs.isTokenMissing ? findTokenSource(job, context.environment) : undefined;
  const missing = source === undefined ? missingTokenProblems(inputs, job) : [];
  if (inputs.operation === undefined) {
    // Only the common inputs can be checked, and whether the action has the others.
    const misspelt = await checkNames(unusedInputs(inputSource, commonNames), undefined, log);
    throw mistakes([...misspelt, ...inputs.problems, ...missing]);
  }
  const operation = await operations[inputs.operation]();
  const own = readOperationInputs(operation, publication, inputSource);
  logSources(own, log);
  const misspelt = await checkNames(own.unused, operation, log);
  const commit = await commitProblems(operation, inputs, job);
  const expected = await readKnownLog(operation, context);
  const problems = [...misspelt, ...inputs.problems, ...missing, ...own.problems, ...commit, ...expected.problems];
  if (problems.length > 0) throw mistakes(problems);

  warnOfUnencryptedUrl(common.baseUrl, log);
  if (inputs.isTokenMissing && source === undefined) {
    return { result: skippedResult(operation.name, job), onNonCompliant: 'warn' };
  }
  const login = source === undefined ? undefined : await createLogin(source, context);
  const pending = own.waits ? context.beforeWaiting?.() : undefined;
  try {
    return await runOrSkip(operation, own.values, { ...context, ...expected }, login);
  } finally {
    // The pending status must not be set after the final one.
    await pending;
  }
}

/** Runs the operation. Skips it with `on-missing-token: skip` if the run is not meant to have a key. */
async function runOrSkip(
  operation: Operation,
  values: Parameters<Operation['run']>[0],
  context: StepContext & Pick<KnownLog, 'known'>,
  login: Login | undefined,
): Promise<OperationRun> {
  const { common } = context.inputs;
  try {
    const ownContext = operationContext(common, context, login);
    const result = await operation.run(values, ownContext);
    const run = { result, onNonCompliant: common.onNonCompliant ?? operation.gate };
    if (context.known !== undefined) {
      const { requireContinuation } = await import('./known-checkpoint.ts');
      const checked = await requireContinuation(result, context.known, { ...ownContext, ...context });
      return { ...run, result: checked.result, readCheckpoint: () => Promise.resolve(checked.checkpoint) };
    }
    if (!isInLog(operation, run)) return run;
    return { ...run, readCheckpoint: () => readCheckpoint(ownContext.client, common.org, context) };
  } catch (thrown) {
    if (thrown instanceof NotSent) return dryRun(operation, thrown.request, context);
    const refusal = common.onMissingToken === 'skip' ? findRefusal(thrown) : undefined;
    if (refusal === undefined) throw thrown;
    return { result: skippedResult(operation.name, context.job, refusal), onNonCompliant: 'warn' };
  }
}

/** Whether the step recorded something, or is a gate, so that a checkpoint of the log shows what it rests on. */
function isInLog({ endpoint, gate }: Operation, { result, onNonCompliant }: OperationRun): boolean {
  const isAnswered = result.outcome !== 'error' && result.spoolPath === undefined && result.lost === undefined;
  const records = endpoint?.repetition.effect !== 'safe' && result.isPreview !== true;
  return isAnswered && (records || gate === 'fail' || onNonCompliant !== 'ignore');
}

/** A missing key is not a problem if `on-missing-token` is `skip`. */
function missingTokenProblems({ common, isTokenMissing }: CommonInputs, job: Job): readonly Problem[] {
  return isTokenMissing && common.onMissingToken !== 'skip' ? [missingTokenProblem(job)] : [];
}

/** Prepares a login with an identity token of the job. The code is loaded only then. */
async function createLogin(source: TokenSource, { inputs, clock, addSecret }: StepContext): Promise<Login> {
  const { baseUrl, org, authMethod: authenticationMethod } = inputs.common;
  const { Login } = await import('../../client/login.ts');
  addSecret(source.token);
  return new Login({ source, baseUrl, org, authenticationMethod, clock, addSecret });
}

/** Why the run is not meant to have a key; undefined for any other failure. Does not load the code of the login. */
function findRefusal(thrown: unknown): string | undefined {
  return thrown instanceof Failure && 'isKeyless' in thrown && thrown.isKeyless === true ? thrown.message : undefined;
}

/** Reads the file of `known-checkpoint`. The code is loaded only if it is given. */
async function readKnownLog({ name, gate }: Operation, { inputs, job }: StepContext): Promise<KnownLog> {
  const { knownCheckpoint: path, onNonCompliant = gate, org } = inputs.common;
  if (path === undefined) return { problems: [] };
  const { readKnownCheckpoint } = await import('./known-checkpoint.ts');
  return readKnownCheckpoint(path, { operation: name, onNonCompliant, workspace: findWorkspace(job), org });
}

/** Checks a `commit-sha` that is used for publishing only; an operation with this input checks it itself. */
async function commitProblems(
  { inputs }: Operation,
  { publication }: CommonInputs,
  job: Job,
): Promise<readonly Problem[]> {
  const isOwn = Object.values(inputs).some(({ input }) => input.name === commitSha.name);
  if (publication.commitSha === undefined || isOwn || !isPublished(publication)) return [];
  const { judgedCommit } = await import('../../evidence/commit/judged-commit.ts');
  try {
    judgedCommit(job, publication.commitSha);
    return [];
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown.problems;
    throw thrown;
  }
}

/**
 * The result of a dry run. If the step itself asks for it, an operation that records evidence only warns, unless the
 * step also says `fail`. A variable of the job may be set by somebody else, so it must not open a gate.
 */
function dryRun(operation: Operation, request: UnsentRequest, { inputs, inputSource }: StepContext): OperationRun {
  const variable = usedFallback(inputSource, connectionInputs.dryRun.input);
  const isEvidence = recordsEvidence(operation);
  const byDefault = isEvidence && variable === undefined ? 'warn' : operation.gate;
  const chosen = inputs.common.onNonCompliant ?? byDefault;
  // Evidence that is not on record must be noticed.
  const onNonCompliant = isEvidence && chosen === 'ignore' ? 'warn' : chosen;
  return { result: dryRunResult(request, variable), onNonCompliant };
}

function mistakes(problems: readonly Problem[]): UserError {
  const [first, ...others] = problems;
  if (first === undefined) throw new RangeError('an error needs at least one problem');
  return new UserError([first, ...others]);
}

/** Logs the variables that inputs were read from, and warns of those that were ignored. Never logs a value. */
function logSources({ fromVariables, ignoredVariables }: OperationInputs, log: Log): void {
  const used = fromVariables.map(({ name, variable }) => `\`${name}\` from ${variable}`);
  if (used.length > 0) log.info(`Read from the environment: ${[...new Set(used)].join(', ')}.`);
  if (ignoredVariables.length === 0) return;
  const names = [...new Set(ignoredVariables)];
  log.warning(
    `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not read: only the connection inputs, \`org\` and \`flow\` have environment fallbacks. Set the input under \`with:\`.`,
  );
}

/**
 * Warns of inputs that are not used. The code is loaded only if there are any.
 *
 * @returns those that are probably misspelt
 */
async function checkNames(
  unused: readonly string[],
  operation: Operation | undefined,
  log: Log,
): Promise<readonly Problem[]> {
  if (unused.length === 0) return [];
  const { checkUnusedInputs } = await import('./unused-inputs.ts');
  const { problems, warnings } = await checkUnusedInputs(unused, operation);
  for (const warning of warnings) log.warning(warning);
  return problems;
}

function warnOfUnencryptedUrl(baseUrl: URL, log: Log): void {
  if (isUnencryptedUrl(baseUrl)) {
    log.warning(
      `\`base-url\` starts with http://, so the API key is sent to ${baseUrl.host} unencrypted; use https://.`,
    );
  }
}

/** `retry-for` wins over `retries`. */
function toRetryPolicy({ timeoutSeconds, retries, retryForSeconds }: CommonValues): RetryPolicy {
  const policy = { requestTimeout: timeoutSeconds * 1000, retries: retries ?? 0 };
  if (retries !== undefined && retryForSeconds === undefined) return policy;
  return { ...policy, retryFor: (retryForSeconds ?? defaultRetryForSeconds) * 1000 };
}

/** @throws UserError if the job names no workspace and the working folder was removed */
function findWorkspace({ workspace }: Job): string {
  try {
    return workspace ?? process.cwd();
  } catch (thrown) {
    throw new UserError({
      what: 'the working folder of the step was removed, and GITHUB_WORKSPACE does not name another',
      remedy: 'Run the step in a folder that exists, or set GITHUB_WORKSPACE to the folder of the checkout.',
      cause: thrown,
    });
  }
}

function operationContext(common: CommonValues, context: StepContext, login: Login | undefined): OperationContext {
  const call: CallContext = {
    clock: context.clock,
    random: context.random,
    log: context.log,
    transport: context.transport,
    signal: context.signal,
    retryPolicy: toRetryPolicy(common),
  };
  const connection = {
    baseUrl: common.baseUrl,
    // A login replaces it in each request.
    apiToken: common.apiToken ?? '',
    authenticationMethod: common.authMethod,
    filePartStyle: common.fileParts,
    dryRun: common.dryRun,
    identity: readWriteIdentity(context.job, context.inputSource),
    async checkUpload(upload: Upload): Promise<void> {
      const { refuseSecrets } = await import('../../evidence/upload/refuse-secrets.ts');
      await refuseSecrets(upload, context.secretForms, context.signal);
    },
  };
  return {
    client: new ComplianceClient(
      connection,
      login === undefined ? call : { ...call, transport: login.authorize(call.transport) },
    ),
    call,
    job: context.job,
    environment: context.environment,
    workspace: findWorkspace(context.job),
    org: common.org,
    temporaryDirectory: context.temporaryDirectory,
    addSecret: context.addSecret,
    responseFile: context.responseFile,
  };
}
