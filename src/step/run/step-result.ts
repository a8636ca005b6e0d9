import type { OperationResult } from '../../operations/operation.ts';
import type { Decision } from './gate.ts';

/** What a step has to tell at its end. */
export interface StepResult {
  readonly decision: Decision;
  /** Present where an operation came to its end. */
  readonly result?: OperationResult;
  /** Present where something was thrown. */
  readonly thrown?: unknown;
  readonly runUrl: string | undefined;
  readonly summary: boolean;
}
