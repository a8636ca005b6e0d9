import { describeError, TroubleError } from '../runtime/failure.ts';

/** A file or folder by which the runner and the step talk cannot be used. */
export class RunnerFileError extends TroubleError {
  override readonly name = 'RunnerFileError';
}

/** A file or folder by which the runner and the step talk: where it is named, and what it is for. */
export interface RunnerFile {
  readonly variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY' | 'RUNNER_TEMP';
  /** `the outputs`. */
  readonly holds: string;
}

/**
 * Works with a file of the runner.
 *
 * @throws RunnerFileError where that fails, with what was to be written and where the runner names the place
 */
export function withRunnerFile<Result>(file: RunnerFile, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw runnerFileTrouble(file, thrown);
  }
}

/** The words for a file of the runner that could not be used. */
export function runnerFileTrouble({ variable, holds }: RunnerFile, thrown: unknown): RunnerFileError {
  return new RunnerFileError(
    {
      what: `${holds} could not be written where ${variable} says: ${describeError(thrown)}`,
      remedy: `See that the runner's disk has room and that the user of the job may write there; let no step change ${variable}, and mount its folder into a container of your own.`,
    },
    { cause: thrown },
  );
}
