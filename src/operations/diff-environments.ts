import {
  diffEnvironments as endpoint,
  type DifferingArtifact,
  type EnvironmentDifference,
} from '../contract/snapshot.ts';
import { parseSnapshotExpression } from '../contract/snapshot-expression.ts';
import { formatTime } from './format-time.ts';
import { type Input, required } from './inputs/input.ts';
import { defineOperation } from './operation.ts';
import { abbreviate, code, fact, link, listTable, plain, type Table, type Text } from './report.ts';
import { pluralize } from './sentences.ts';

/** Operation 11: shows what was added, removed and changed from one snapshot to another. */
export const diffEnvironments = defineOperation({
  name: 'diff-environments',
  endpoint,
  gate: 'ignore',
  inputs: {
    snapshot1: required(snapshotExpression('snapshot-1')),
    snapshot2: required(snapshotExpression('snapshot-2')),
  },
  async run(inputs, { client, org }) {
    const { body: difference } = await client.call(endpoint, {
      parameters: { org },
      query: { snappish1: inputs.snapshot1, snappish2: inputs.snapshot2 },
    });
    const { added, removed, changed, unchanged } = toChanges(difference);
    const differs = added.length + removed.length + changed.length > 0;
    const counts = `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${unchanged.length} unchanged`;
    return {
      outcome: 'done',
      state: differs ? 'different' : 'same',
      conclusion: differs
        ? `From ${inputs.snapshot1} to ${inputs.snapshot2}: ${counts}.`
        : `Nothing differs between ${inputs.snapshot1} and ${inputs.snapshot2}: both run the same ${pluralize(unchanged.length, 'artifact')}.`,
      response: difference,
      report: {
        subject: `From ${inputs.snapshot1} to ${inputs.snapshot2}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Snapshot 1', describeSnapshot(inputs.snapshot1, difference.snappish1.snapshot_id)),
          ...fact('Snapshot 2', describeSnapshot(inputs.snapshot2, difference.snappish2.snapshot_id)),
          ...fact('Artifacts', counts),
        ],
        tables: [
          ...artifactsTable('➕ Added: only in snapshot 2', added),
          ...artifactsTable('➖ Removed: only in snapshot 1', removed),
          ...artifactsTable('🔁 Changed: different number of instances', changed),
        ],
      },
    };
  },
});

/** The parts of the answer, named by what happened from snapshot 1 to snapshot 2. */
function toChanges(
  difference: EnvironmentDifference,
): Readonly<Record<'added' | 'removed' | 'changed' | 'unchanged', readonly DifferingArtifact[]>> {
  return {
    added: difference.snappish2.artifacts,
    removed: difference.snappish1.artifacts,
    changed: difference.changed.artifacts,
    unchanged: difference['not-changed'].artifacts,
  };
}

function describeSnapshot(expression: string, id: string | null | undefined): string {
  return id === undefined || id === null || id === '' || id === expression ? expression : `${expression} (${id})`;
}

const columns = ['Artifact', 'Fingerprint', 'Flow', 'Instances', 'Latest', 'Commit', 'Pods'];

function artifactsTable(title: string, artifacts: readonly DifferingArtifact[]): readonly Table[] {
  const rows = artifacts.map((artifact): readonly Text[] => [
    plain(artifact.name ?? ''),
    code(artifact.fingerprint),
    plain(artifact.flow ?? ''),
    plain(describeInstances(artifact)),
    plain(formatTime(artifact.most_recent_timestamp) ?? ''),
    toCommitLink(artifact),
    plain(artifact.pods?.join(', ') ?? ''),
  ]);
  return listTable(title, columns, rows);
}

/** `1 → 3` if both numbers are known. */
function describeInstances(artifact: DifferingArtifact): string {
  const { s1_instance_count: before, s2_instance_count: after, instance_count: count } = artifact;
  return before === undefined || after === undefined ? (count?.toString() ?? '') : `${before} → ${after}`;
}

/** The last segment of a commit's URL is its SHA on all known hosts. */
function toCommitLink({ commit_url: url }: DifferingArtifact): Text {
  if (url === undefined || url === '') return plain('');
  return link(abbreviate(url.split('/').at(-1) ?? url), url);
}

function snapshotExpression(name: string): Input<string> {
  return {
    name,
    parse(value) {
      const parsed = parseSnapshotExpression(value);
      if (!('problem' in parsed)) return { value };
      return {
        problem: `must select a snapshot: ${parsed.problem}`,
        remedy: 'Write, for example, prod (its latest), prod#12 (number 12) or prod~1 (the one before the latest).',
      };
    },
  };
}
