import type { KnownMatches } from '../domain/policy/work.ts';
import type { EvidenceSubject } from './environments.ts';

/**
 * Judging, as long as it is done within the adapter. It goes with the use cases of environments, which load what a
 * judgement needs from the repositories, and decide in `domain/`.
 */
export interface EvidenceChanges {
  /**
   * Judges the environments anew that run what new evidence is about.
   *
   * @throws MatchesMissing
   */
  announce(subject: EvidenceSubject, at: number, matches: KnownMatches): Promise<void>;
}
