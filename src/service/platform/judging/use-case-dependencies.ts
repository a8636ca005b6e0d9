import type { Now } from '../../../runtime/clock.ts';
import type { RandomBytes } from '../../../runtime/random.ts';
import type { FindRunCommit } from '../../github/github-app.ts';
import type { TokenVerifier } from '../../login/workflow-identity.ts';
import type { Quotas } from '../../organization/quota.ts';
import type { JudgingDependencies } from './judging.ts';

/**
 * The dependencies of use cases. A use case declares which of them it needs, takes them and a command, and returns a
 * result. Obstacles that must be expected, such as a missing record, are results, too; only failures are thrown.
 */
export interface UseCaseDependencies extends JudgingDependencies {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly loadTokenVerifier: () => Promise<TokenVerifier>;
  /** Undefined if there is no GitHub App. */
  readonly findRunCommit?: FindRunCommit | undefined;
  /** Undefined if nothing is limited. */
  readonly quotas?: Quotas | undefined;
}
