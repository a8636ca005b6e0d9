import type { ComplianceClient } from '../../client/client.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { diffEnvironments, type SnapshotEntry } from '../../contract/snapshot.ts';
import { fetchLatestSnapshot, isCurrent, latestSnapshotVerdict } from '../latest-snapshot.ts';

/** The latest snapshot of an environment, with the fingerprints of all artifacts in it. */
export interface EnvironmentView {
  readonly environment: string;
  /** Undefined if nothing was ever reported. */
  readonly snapshot: SnapshotEntry | undefined;
  readonly shown: ReadonlySet<string>;
}

/** Whether an artifact runs in an environment, and the verdict that follows. */
export interface Standing {
  /** Whether it runs there; undefined if there is no current snapshot. */
  readonly runs: boolean | undefined;
  /** Undefined if it does not run there: then the environment does not affect its verdict. */
  readonly verdict: Verdict | undefined;
  /** A sentence. */
  readonly words: string;
}

/**
 * Fetches what runs in an environment now. No operation of the interface lists the artifacts of a snapshot, but
 * comparing a snapshot with itself (operation 11) does. The snapshot is named by its number, so that it is the one
 * whose verdict the list (operation 12) has. Unlike the field `running` of an artifact, this works for logical
 * environments, too.
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
 * Judges an artifact by the environment. The interface has no verdict for a single artifact of a snapshot, so the
 * strictest rule applies: if a snapshot is not compliant, none of its artifacts is.
 */
export function judgeStanding({ environment, snapshot, shown }: EnvironmentView, artifact: Artifact): Standing {
  const verdict = latestSnapshotVerdict(snapshot);
  if (snapshot === undefined) {
    return {
      runs: false,
      verdict: undefined,
      words: `It does not run in environment ${environment}: nothing has been reported there yet.`,
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

/** Whether the artifact's own answer says that it runs in this snapshot. */
function reportsRunning({ running = [] }: Artifact, environment: string, index: number): boolean {
  return running.some((place) => place.environment_name === environment && place.snapshot_index === index);
}

const snapshotClauses: Readonly<Record<Verdict, string>> = {
  compliant: 'is compliant',
  'non-compliant': 'is not compliant; that verdict covers everything that runs there',
  incomplete: 'has no verdict; attach a policy to the environment to have it judged',
};
