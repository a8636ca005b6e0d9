import type { ComplianceClient } from '../client/client.ts';
import type { Verdict } from '../contract/compliance.ts';
import type { Endpoint, OperationName } from '../contract/endpoint.ts';
import type { Job } from '../evidence/job.ts';
import type { CallContext } from '../http/persistent.ts';
import type { Failure, FailureText, Problem } from '../runtime/failure.ts';
import type { RunnerFileError } from '../runtime/runner-file.ts';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import type { Uses, ValuesOf } from './inputs/input.ts';
import type { Report } from './report.ts';

/** What an operation works with, beside its own inputs. */
export interface OperationContext {
  readonly client: ComplianceClient;
  /** Clock, randomness, log and transport, for evidence that is fetched. */
  readonly call: CallContext;
  readonly job: Job;
  /** The variables of the process, for programs that evidence is read from (git). */
  readonly environment: EnvironmentVariables;
  /** The directory that paths are relative to. */
  readonly workspace: string;
  /** The organization, which every operation names. */
  readonly org: string;
  /** A directory that is gone after the job, for files that are made on the way. */
  readonly temporaryDirectory: string;
  /** Takes answers that come in pieces and can be larger than memory should hold. */
  readonly responseFile: ResponseFile;
}

/**
 * A walk through a list: each call gives the next page, and undefined where there is none. It is a function and no async
 * generator, because that keeps the page it gave last while it asks for the next, which then outlives V8's quick
 * collections and makes its heap grow.
 */
export type Pager<Entry> = () => Promise<readonly Entry[] | undefined>;

/** The file that holds a step's answer. */
export interface ResponseFile {
  /**
   * Writes the items of all pages as one JSON array, each page as it comes.
   *
   * A full disk does not end the walk, because the verdict needs all pages: that failure is told beside the verdict.
   *
   * @throws whatever the pages throw; the file then holds no whole answer, and the step's error takes its place
   */
  writeList(walk: Pager<unknown>): Promise<WrittenResponse>;
}

/** An answer that is in its file already. */
export interface WrittenResponse {
  /** Empty if it could not be written. */
  readonly path: string;
  /** Why it could not be written. */
  readonly failure?: RunnerFileError;
}

/**
 * How an operation ended: with a verdict, done without one, skipped because nothing was to be sent, or with a failure that
 * it could still report around.
 */
export type OperationOutcome =
  | { readonly outcome: Verdict; readonly failure?: never }
  | { readonly outcome: 'done' | 'skipped'; readonly failure?: never }
  | { readonly outcome: 'error'; readonly failure: Failure };

/** What came of an operation. */
export type OperationResult = OperationOutcome & {
  /**
   * A sentence or two that a reviewer understands without opening the log. Beside a failure it says what is known all the
   * same, and may name the failure's message in its place.
   */
  readonly conclusion: string;
  /** The service's, or Sonar's, own word for the state; undefined where there is none. */
  readonly state?: string | undefined;
  /** The service's answer; not looked at where it is `written` already. */
  readonly response: unknown;
  /** Where the answer was written as it came; absent where it is in `response`. */
  readonly written?: WrittenResponse;
  /** How many entries a list holds; undefined where the answer is none. */
  readonly count?: number | undefined;
  readonly fingerprint?: string | undefined;
  readonly htmlUrl?: string | undefined;
  /** The SHAs of the commits that what was judged is of, as the service or Sonar names them; absent where they name none. */
  readonly commits?: readonly string[] | undefined;
  readonly report: Report;
};

/** An input that someone who knows the interface may try, and that no operation has. */
export interface UnsupportedInput extends FailureText {
  readonly name: string;
}

/**
 * An operation of the interface, as a step runs it. Its functions are declared as methods so that operations with
 * different inputs fit in one registry; the step gives each the values of exactly the inputs it declares.
 */
export interface Operation<Used extends Uses = Uses> {
  readonly name: OperationName;
  readonly endpoint: Endpoint;
  /** The inputs it uses, beside those of every operation. */
  readonly inputs: Used;
  /** Inputs that it does not have, by the interface's decision; giving one is a mistake. */
  readonly unsupported?: readonly UnsupportedInput[];
  /** What a verdict that is not compliant does unless `on-non-compliant` says otherwise. */
  readonly gate: 'fail' | 'ignore';
  /** Rules between inputs; each problem is reported together with those of the single inputs. */
  check?(values: ValuesOf<Used>): readonly Problem[];
  /**
   * Gathers the evidence, sends it, and judges the answer.
   *
   * @throws Failure where there is nothing to report
   */
  run(values: ValuesOf<Used>, context: OperationContext): Promise<OperationResult>;
}

/** Declares an operation and keeps the exact types of its inputs. */
export function defineOperation<const Used extends Uses>(operation: Operation<Used>): Operation<Used> {
  return operation;
}
