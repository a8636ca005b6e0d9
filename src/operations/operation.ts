import type { ComplianceClient } from '../client/client.ts';
import type { Verdict } from '../contract/compliance.ts';
import type { Endpoint, EndpointOperation } from '../contract/endpoint.ts';
import type { Job } from '../evidence/job.ts';
import type { CallContext } from '../http/send-with-retry.ts';
import type { EnvironmentVariables } from '../runtime/dependencies.ts';
import type { Failure, FailureText, Problem } from '../runtime/failure.ts';
import type { RunnerFileError } from '../runtime/runner-file.ts';
import type { Uses, ValuesOf } from './inputs/input.ts';
import type { Report } from './report.ts';

/** Everything an operation needs besides its own inputs. */
export interface OperationContext {
  readonly client: ComplianceClient;
  /** Clock, randomness, log and transport. */
  readonly call: CallContext;
  readonly job: Job;
  /** The environment variables of the process, which git gets too. */
  readonly environment: EnvironmentVariables;
  /** Paths in inputs are relative to this directory. */
  readonly workspace: string;
  /** The organization, which every operation names. */
  readonly org: string;
  /** For intermediate files; the runner deletes it after the job. */
  readonly temporaryDirectory: string;
  /** Masks a secret that the operation gets while it runs. */
  readonly addSecret: (secret: string) => void;
  /** Receives long lists page by page, because they may not fit into memory. */
  readonly responseFile: ResponseFile;
}

/**
 * Fetches the pages of a list: each call returns the next page, and undefined after the last one. It is not an async
 * generator because a generator keeps its last page alive during the next request; the page then survives V8's young
 * generation, and the heap grows.
 */
export type Pager<Entry> = () => Promise<readonly Entry[] | undefined>;

/** The file with the service's answer (output `response-path`). */
export interface ResponseFile {
  /**
   * Writes the entries of all pages as one JSON array, page by page.
   *
   * A full disk does not stop the paging, because the verdict needs all pages; it is reported with the verdict.
   *
   * @throws what the pager throws; the file is then incomplete, and the step's error replaces it
   */
  writeList(nextPage: Pager<unknown>): Promise<WrittenResponse>;
}

/** An answer that is already written to the file. */
export interface WrittenResponse {
  /** Empty if it could not be written. */
  readonly path: string;
  /** Why it could not be written. */
  readonly failure?: RunnerFileError;
}

/**
 * How an operation ended: with a verdict; done, if it has no verdict; skipped, if it sent nothing; kept, if the service
 * could not be reached and the evidence was written into a spool; or with a failure that still leaves something to
 * report.
 */
export type OperationOutcome =
  | { readonly outcome: Verdict; readonly failure?: never }
  | { readonly outcome: 'done' | 'skipped' | 'kept'; readonly failure?: never }
  | { readonly outcome: 'error'; readonly failure: Failure };

export type OperationResult = OperationOutcome & {
  /**
   * One or two sentences that a reviewer understands without the log. With a failure, what is known nevertheless; may
   * quote the failure's message.
   */
  readonly conclusion: string;
  /** The service's or Sonar's own word for the state; undefined if there is none. */
  readonly state?: string | undefined;
  /** Whether nothing was recorded, because the step asked for a preview. */
  readonly isPreview?: boolean;
  /** The service's answer; ignored if `written` is set. */
  readonly response: unknown;
  /** Where the answer was written; absent if it is in `response`. */
  readonly written?: WrittenResponse;
  /** How many entries the list has; undefined if the answer is not a list. */
  readonly count?: number | undefined;
  readonly fingerprint?: string | undefined;
  readonly htmlUrl?: string | undefined;
  /** The page of the attestation that was recorded; undefined if it is not known. */
  readonly attestationUrl?: string | undefined;
  /** The folder with evidence that could not be delivered; undefined if there is none. */
  readonly spoolPath?: string | undefined;
  /**
   * Why evidence was neither delivered nor kept. It fails the step, whatever the verdict does to it, and is shown beside
   * the verdict.
   */
  readonly lost?: Failure | undefined;
  /** The SHAs of the commits that the verdict is for, as the service or Sonar names them; absent if they name none. */
  readonly commits?: readonly string[] | undefined;
  readonly report: Report;
};

/** A field of the interface that a user may try as an input, and that is deliberately not supported. */
export interface UnsupportedInput extends FailureText {
  readonly name: string;
}

/**
 * An operation, as a step runs it. `check` and `run` are methods, which TypeScript compares
 * bivariantly, so that operations with different inputs fit in one registry. The step passes the values of exactly the
 * declared inputs.
 */
export interface Operation<Used extends Uses = Uses> {
  readonly name: EndpointOperation | 'audit-branch' | 'replay' | 'report-environment';
  /** Absent if the operation calls the endpoints of other operations. */
  readonly endpoint?: Endpoint;
  /** The inputs it uses, besides those that every operation has. */
  readonly inputs: Used;
  /** Inputs that are an error, with the reason. */
  readonly unsupported?: readonly UnsupportedInput[];
  /** The default of `on-non-compliant`. */
  readonly gate: 'fail' | 'ignore';
  /**
   * Checks inputs against each other; the problems are reported together with those of single inputs. It ends as soon
   * as it reads an input that has a problem of its own.
   */
  check?(values: ValuesOf<Used>): readonly Problem[];
  /**
   * Gathers the evidence, sends it, and judges the answer.
   *
   * @throws Failure if there is nothing to report
   */
  run(values: ValuesOf<Used>, context: OperationContext): Promise<OperationResult>;
}

/** Declares an operation; infers the exact types of its inputs. */
export function defineOperation<const Used extends Uses>(operation: Operation<Used>): Operation<Used> {
  return operation;
}
