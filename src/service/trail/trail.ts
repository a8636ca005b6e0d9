import type { GitCommitInfo } from '../../contract/commit.ts';
import type { TrailReport } from '../../contract/trail.ts';
import type { Recorded } from '../login/recorded.ts';

export interface TrailReference {
  readonly org: string;
  readonly flow: string;
  readonly name: string;
}

/** A trail: a unit of work in a flow, usually one commit. Created when it is begun, or by the first report to it. */
export interface Trail extends TrailReference {
  readonly createdAt: number;
  /** When it was last begun or updated. */
  readonly lastModifiedAt: number;
  /**
   * The merged reports that began and updated the trail, with what the token of the latest sender proved. If the report
   * of an artifact or an attestation began it, the commit and the run of that report (`trail-report.ts`).
   */
  readonly report: Recorded<TrailReport>;
}

/** An update of a trail after it was created. */
export interface TrailUpdate {
  readonly at: number;
  readonly commit: Pick<GitCommitInfo, 'sha1' | 'url'> | undefined;
}
