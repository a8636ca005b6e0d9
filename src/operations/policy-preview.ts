import type { ComplianceClient } from '../client/client.ts';
import type { EndpointCall } from '../client/endpoint-call.ts';
import { ServiceError } from '../client/service-error.ts';
import { type PolicyPreview, previewPolicy as endpoint } from '../contract/policy-preview.ts';
import type { OperationResult } from './operation.ts';
import { readReasons, reasonWords } from './reasons.ts';
import { abbreviate, complianceLabel, type Fact, fact, link, listTable, plain, type Text } from './report.ts';
import { pluralize, summarizeList } from './sentences.ts';

/** How many rows a table has at most, and how many reasons a row. */
const maximumRows = 100;
const maximumReasons = 5;

/**
 * Asks what a policy would change. It stores nothing.
 *
 * @throws ServiceError with the remedy if the service has no previews
 */
export async function askForPreview(
  client: ComplianceClient,
  call: EndpointCall<typeof endpoint>,
): Promise<PolicyPreview> {
  try {
    return (await client.call(endpoint, call)).body;
  } catch (error) {
    // A service with previews knows the address, whether or not the policy exists.
    if (!(error instanceof ServiceError) || ![404, 405].includes(error.facts.status)) throw error;
    throw new ServiceError({
      ...error.facts,
      note: 'This service cannot preview policies. Nothing was stored.',
      remedy:
        'Check `base-url`. Previews need the service of this project in a current version: update it, or remove the step with `preview`.',
    });
  }
}

/** The result of a preview, which is no verdict: the policy's own review decides. */
export function createPreviewResult(preview: PolicyPreview, org: string, file: readonly Fact[]): OperationResult {
  const { policy, environments, present_version: version } = preview;
  return {
    outcome: 'done',
    state: 'previewed',
    isPreview: true,
    conclusion: `${conclude(preview, org)} Nothing was stored.`,
    response: preview,
    count: preview.changed_environments + preview.changed_artifacts,
    report: {
      subject: `Preview of policy ${policy}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Policy', policy),
        ...fact('Present version', version?.toString() ?? 'none, the policy does not exist yet'),
        ...fact('Stored', 'nothing, this is a preview'),
        ...fact('Environments that were judged', environments.map(({ name }) => name).join(', ')),
        ...fact('Environments that were not judged', leftOut(preview.environments_left_out)),
        ...file,
      ],
      tables: [...environmentTable(preview), ...artifactTable(preview)],
    },
  };
}

const leftOut = (count: number): string | undefined =>
  count === 0 ? undefined : `${count}; together they are too much for one preview`;

function conclude(preview: PolicyPreview, org: string): string {
  const { policy, attached, environments, environments_left_out: left, failing_later: later } = preview;
  if (!attached)
    return `Policy ${policy} is not attached to any environment of organization ${org}, so this file would change no verdict.`;
  const judged = pluralize(environments.length, 'environment');
  const artifacts = pluralize(preview.changed_artifacts, 'artifact');
  return [
    `With this file, policy ${policy} would change the verdict of ${preview.changed_environments} of ${judged} and of ${artifacts}.`,
    ...(later === 0 ? [] : [`It would break ${pluralize(later, 'artifact')} from a later day on.`]),
    ...(left === 0 ? [] : [`${pluralize(left, 'environment')} could not be judged in one preview.`]),
  ].join(' ');
}

function describe(reasons: readonly unknown[] | undefined): Text {
  const words = readReasons(reasons).map((reason) => reasonWords(reason));
  return plain(summarizeList(words, maximumReasons));
}

/** The environments that change, and those that could not be judged. */
function environmentTable({ environments }: PolicyPreview): ReturnType<typeof listTable> {
  const rows = environments
    .filter(
      ({ compliant_before: before, compliant_after: after, artifacts, reasons }) =>
        before !== after || artifacts.length > 0 || reasons.length > 0,
    )
    .map(({ name, compliant_before: before, compliant_after: after, reasons, ...counts }): readonly Text[] => [
      link(name, counts.html_url),
      plain(complianceLabel(before)),
      plain(complianceLabel(after)),
      plain(`${counts.changed_artifacts} of ${counts.artifact_count}`),
      plain(String(counts.failing_later)),
      describe(reasons),
    ]);
  const columns = ['Environment', 'Compliant now', 'With this file', 'Artifacts that change', 'Fail later', 'Why'];
  return listTable('Environments', columns, rows.slice(0, maximumRows), rows.length);
}

function artifactTable({ environments }: PolicyPreview): ReturnType<typeof listTable> {
  const rows = environments.flatMap((environment) =>
    environment.artifacts.map(({ name, fingerprint, fails_from: day, ...artifact }): readonly Text[] => [
      link(`${name} ${abbreviate(fingerprint)}`, artifact.html_url),
      plain(environment.name),
      plain(complianceLabel(artifact.compliant_before)),
      plain(`${complianceLabel(artifact.compliant_after)}${day === undefined ? '' : `, would fail from ${day}`}`),
      describe(artifact.reasons),
    ]),
  );
  const count = environments.reduce((sum, { artifacts_left_out: left }) => sum + left, rows.length);
  const columns = ['Artifact', 'Environment', 'Complies now', 'With this file', 'Why not'];
  return listTable('Artifacts', columns, rows.slice(0, maximumRows), count);
}
