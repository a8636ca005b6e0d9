import type { ComplianceClient } from '../../client/client.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { diffEnvironments, type SnapshotEntry } from '../../contract/snapshot.ts';
import { fetchLatestSnapshot, isCurrent, latestSnapshotVerdict } from '../latest-snapshot.ts';

/** The latest snapshot of an environment, and the fingerprints of all that it shows. */
export interface EnvironmentView {
  readonly environment: string;
  /** Undefined where nothing was ever reported. */
  readonly snapshot: SnapshotEntry | undefined;
  readonly shown: ReadonlySet<string>;
}

/** What an environment says of an artifact. */
export interface Standing {
  /** Whether it runs there; undefined where no current snapshot says so. */
  readonly runs: boolean | undefined;
  /** Undefined where it does not run there: then the environment says nothing against it. */
  readonly verdict: Verdict | undefined;
  /** A sentence. */
  readonly words: string;
}

/**
 * Looks at what runs in an environment now. No operation of the interface lists the artifacts of a snapshot, but the
 * difference between the snapshot and itself (operation 11) does: all that it shows is in both. Named by its number it is
 * the very snapshot whose verdict the list (operation 12) gives, whatever is reported meanwhile; and unlike `running` of an
 * artifact it exists for logical environments, too.
 */
export async function fetchEnvironment(
  client: ComplianceClient,
  org: string,
  environment: string,
): Promise<EnvironmentView> {
  const snapshot = await fetchLatestSnapshot(client, org, environment);
  if (snapshot === undefined || !isCurrent(snapshot)) return { environment, snapshot, shown: new Set() };
  const itself = `${environment}#${snapshot.index}`;
  const { body } = await client.call(diffEnvironments, {
    parameters: { org },
    query: { snappish1: itself, snappish2: itself },
  });
  const parts = [body['not-changed'], body.changed, body.snappish1, body.snappish2];
  const shown = parts.flatMap(({ artifacts }) => artifacts.map(({ fingerprint }) => fingerprint));
  return { environment, snapshot, shown: new Set(shown) };
}

/**
 * Judges whether the environment has something against the artifact. The interface has no verdict of one artifact in a
 * snapshot, so the strictest that can be said is taken: where a snapshot is not compliant, nothing that it shows is.
 */
export function judgeStanding({ environment, snapshot, shown }: EnvironmentView, artifact: Artifact): Standing {
  const verdict = latestSnapshotVerdict(snapshot);
  if (snapshot === undefined) {
    return {
      runs: false,
      verdict: undefined,
      words: `It does not run in environment ${environment}: nothing was reported there yet.`,
    };
  }
  const name = `#${snapshot.index}`;
  if (!isCurrent(snapshot)) {
    const words = `It is unknown whether it runs in environment ${environment}: the latest snapshot ${name} is not current.`;
    return { runs: undefined, verdict, words };
  }
  if (!shown.has(artifact.fingerprint) && !reportsRunning(artifact, environment, snapshot.index)) {
    const words = `It does not run in environment ${environment} (snapshot ${name}).`;
    return { runs: false, verdict: undefined, words };
  }
  return {
    runs: true,
    verdict,
    words: `It runs in environment ${environment}, whose latest snapshot ${name} ${snapshotClauses[verdict]}.`,
  };
}

/** Whether the artifact's own answer says that it runs in this very snapshot. */
function reportsRunning({ running = [] }: Artifact, environment: string, index: number): boolean {
  return running.some((place) => place.environment_name === environment && place.snapshot_index === index);
}

const snapshotClauses: Readonly<Record<Verdict, string>> = {
  compliant: 'is compliant',
  'non-compliant': 'is not compliant; that verdict covers everything that runs there',
  incomplete: 'has no verdict; attach a policy to the environment to have it judged',
};
