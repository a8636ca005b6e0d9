import type { Artifact } from '../contract/artifact.ts';
import { worstVerdict } from '../contract/compliance.ts';
import { MistakeError, TroubleError, type Failure, type Problem } from '../runtime/failure.ts';
import type { Looked } from './artifact-answer.ts';
import type { Ending, OperationResult } from './operation.ts';
import { code, fact, link, plain, short, type Fact, type Table, type Text } from './report.ts';

/** Puts the artifacts together: each is in the report, the worst decides. */
export function artifactResult(looked: readonly Looked[], flow: string): OperationResult {
  const [first] = looked;
  if (first !== undefined && looked.length === 1) return oneArtifact(first, flow);
  const answers = looked.map((one) => ({
    fingerprint: one.asked.fingerprint,
    ...(one.name === undefined ? {} : { file: one.name }),
    ...(one.failure === undefined ? { artifact: one.artifact } : { error: one.failure.message }),
  }));
  const ending = endingOf(looked);
  return {
    ...ending,
    state: ending.outcome === 'error' ? undefined : looked.find((one) => isWorst(one, ending))?.artifact.state,
    conclusion: conclusionOf(looked, flow),
    response: answers,
    fingerprint: looked.map((one) => fingerprintOf(one)).join('\n'),
    report: {
      subject: `${looked.length} artifacts of flow ${flow}`,
      facts: fact('Flow', flow),
      tables: [overview(looked)],
    },
  };
}

function oneArtifact(looked: Looked, flow: string): OperationResult {
  // With nothing to report around it, the failure is all there is to say.
  if (looked.failure !== undefined) throw looked.failure;
  const { artifact, verdict } = looked;
  return {
    outcome: verdict,
    state: artifact.state,
    conclusion:
      [`${describe(looked)} in flow ${flow} is ${artifact.state ?? ''}`, ...reasonOf(artifact)].join('. ') + '.',
    response: artifact,
    fingerprint: artifact.fingerprint,
    htmlUrl: artifact.html_url,
    report: { subject: describe(looked), facts: factsOf(artifact, flow), tables: evidenceTables(artifact) },
  };
}

function endingOf(looked: readonly Looked[]): Ending {
  const failures = looked.flatMap((one) => (one.failure === undefined ? [] : [one.failure]));
  const verdict = worstVerdict(looked.flatMap((one) => (one.failure === undefined ? [one.verdict] : [])));
  if (failures.length === 0 && verdict !== undefined) return { outcome: verdict };
  return { outcome: 'error', failure: together(failures) };
}

function together(failures: readonly Failure[]): Failure {
  const text = {
    what: failures.map((failure) => failure.message).join('\n'),
    remedy: [...new Set(failures.map((failure) => failure.remedy))].join('\n'),
  };
  if (failures.some((failure) => failure.kind === 'trouble')) return new TroubleError(text);
  return new MistakeError({ input: 'fingerprint', ...text } satisfies Problem);
}

function isWorst(one: Looked, ending: Ending): one is Extract<Looked, { artifact: Artifact }> {
  return one.failure === undefined && one.verdict === ending.outcome;
}

function conclusionOf(looked: readonly Looked[], flow: string): string {
  const bad = looked.filter((one) => one.failure !== undefined || one.verdict !== 'compliant');
  if (bad.length === 0) return `All ${looked.length} artifacts in flow ${flow} are COMPLIANT.`;
  const details = bad.map((one) =>
    one.failure === undefined
      ? [`${describe(one)} is ${one.artifact.state ?? ''}`, ...reasonOf(one.artifact)].join(': ')
      : `${describe(one)} could not be judged`,
  );
  return `${bad.length} of ${looked.length} artifacts in flow ${flow} are not compliant: ${details.join('; ')}.`;
}

/** Why the artifact is in its state, in the service's words, without the full stop; empty where it says nothing. */
function reasonOf(artifact: Artifact): readonly string[] {
  const reason = artifact.state_info?.trim().replace(/\.$/u, '') ?? '';
  return reason === '' ? [] : [reason];
}

function describe(one: Looked): string {
  const name = one.name ?? (one.failure === undefined ? one.artifact.filename : undefined);
  return `Artifact ${name === undefined ? '' : `${name} `}${short(fingerprintOf(one))}`;
}

function fingerprintOf(one: Looked): string {
  return one.failure === undefined ? one.artifact.fingerprint : one.asked.fingerprint;
}

function factsOf(artifact: Artifact, flow: string): readonly Fact[] {
  const commit = artifact.git_commit_info;
  return [
    ...fact('State', artifact.state),
    ...fact('Why', artifact.state_info),
    ...fact('Artifact', artifact.filename, artifact.html_url),
    { label: 'Fingerprint', value: code(artifact.fingerprint) },
    ...fact('Flow', flow),
    ...fact('Trail', artifact.trail_name),
    ...fact('Commit', artifact.git_commit ?? commit?.sha1, artifact.commit_url ?? commit?.url),
    ...fact('Commit message', commit?.message?.split('\n')[0]),
    ...fact('Author', commit?.author),
    ...fact('Branch', commit?.branch),
    ...fact('Build', artifact.build_url, artifact.build_url),
    ...fact('Template', artifact.template?.join(', ')),
  ];
}

/** The inner structure of `evidence` is not shown in the interface: only what can be recognised becomes a row. */
function evidenceTables(artifact: Artifact): readonly Table[] {
  const rows = Object.entries(artifact.evidence ?? {}).map(([name, evidence]): readonly Text[] => [
    plain(name),
    plain(wordOfEvidence(evidence)),
  ]);
  return rows.length === 0 ? [] : [{ title: 'Evidence', columns: ['Attestation', 'State'], rows }];
}

function wordOfEvidence(evidence: unknown): string {
  if (typeof evidence === 'string') return evidence;
  if (typeof evidence !== 'object' || evidence === null) return 'recorded';
  if ('is_compliant' in evidence && typeof evidence.is_compliant === 'boolean') {
    return evidence.is_compliant ? 'compliant' : 'not compliant';
  }
  return 'status' in evidence && typeof evidence.status === 'string' ? evidence.status : 'recorded';
}

function overview(looked: readonly Looked[]): Table {
  return {
    title: 'Artifacts',
    columns: ['Artifact', 'State', 'Fingerprint', 'Commit', 'Why'],
    rows: looked.map((one): readonly Text[] => {
      if (one.failure !== undefined) {
        return [
          plain(one.name ?? ''),
          plain('error'),
          code(one.asked.fingerprint),
          plain(''),
          plain(one.failure.message),
        ];
      }
      const { artifact } = one;
      return [
        link(one.name ?? artifact.filename ?? artifact.fingerprint, artifact.html_url),
        plain(artifact.state ?? ''),
        code(artifact.fingerprint),
        link(short(artifact.git_commit ?? ''), artifact.commit_url ?? undefined),
        plain(artifact.state_info ?? ''),
      ];
    }),
  };
}
