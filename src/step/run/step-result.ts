import type { OperationResult } from '../../operations/operation.ts';
import type { Decision } from './gate.ts';

export interface StepResult {
  readonly decision: Decision;
  readonly result?: OperationResult;
  /** Present if something was thrown. */
  readonly thrown?: unknown;
  /** The page of the workflow run. */
  readonly runUrl: string | undefined;
  /** The checkpoint of the log that includes what was recorded or judged. */
  readonly checkpoint?: string | undefined;
  /** Whether to write a job summary. */
  readonly summary: boolean;
}
