import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { CountsFor } from '../account/audience.ts';
import type { AttestationSummary, CountedAttestation } from '../attestation/attestation.ts';
import type { Recorded } from '../login/recorded.ts';
import type { AttributedRecord, Recorder } from '../requirement/recorder.ts';
import type { AppliedTemplate } from '../template/template.ts';

/** One report of an artifact; immutable once recorded. The same artifact may be reported again. */
export interface ReportedArtifact extends Pick<AttributedRecord, 'countsFrom'> {
  readonly org: string;
  readonly flow: string;
  readonly id: string;
  readonly createdAt: number;
  readonly reportedBy: string;
  readonly countsFor?: CountsFor;
  /** Absent for those of earlier versions and of users. */
  readonly recorders?: readonly Recorder[] | undefined;
  readonly report: Recorded<ArtifactReport>;
}

/** A period in which an artifact runs in an environment. */
export interface Appearance {
  readonly environment: string;
  /** The number of the first snapshot that contains it, and the time of that snapshot. */
  readonly started: number;
  readonly startedAt: number;
  /** The number of the last snapshot that contains it so far. */
  readonly last: number;
  /** When it stopped running; undefined while it runs. */
  readonly exitedAt: number | undefined;
}

/** An artifact with everything that belongs to it, read in one transaction. */
export interface ArtifactDetails {
  readonly applied: AppliedTemplate;
  readonly artifact: ReportedArtifact;
  /** The attestations that count for it (`currentEvidence`), in the order of recording. */
  readonly evidence: readonly CountedAttestation[];
  /** The latest attestations that apply to it, including superseded ones, newest first; truncated if there are many. */
  readonly history: readonly AttestationSummary[];
  /** Where it runs, then where it ran, each newest first; truncated if there are many. */
  readonly appearances: readonly Appearance[];
  /** When it first started in each environment, in Unix seconds. */
  readonly firstStarts: ReadonlyMap<string, number>;
}
