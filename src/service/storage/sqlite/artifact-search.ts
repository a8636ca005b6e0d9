import { latestOfEachName, scopesOfArtifact, type Scope } from '../../domain/binding.ts';
import type { ArtifactDossier, AttestationSummary, Flow, ReportedArtifact } from '../../domain/records.ts';
import { longestHistory, type ArtifactFinding, type ArtifactQuery } from '../store.ts';
import { appearanceOf, artifactOf, flowOf, number, summaryOf, text, type Row } from './rows.ts';
import type { Statements } from './statements.ts';

/** How many digits a whole fingerprint has. */
export const fingerprintLength = 64;

/** Finds the artifact and what counts for it; without awaiting, so that all of it is of one moment. */
export function findArtifact(statements: Statements, query: ArtifactQuery): ArtifactFinding {
  const flow = statements.findFlow.get(query.org, query.flow);
  if (flow === undefined) return { outcome: 'flow not found' };
  const fingerprints = fingerprintsLike(statements, query);
  if (fingerprints.length > 1) return { outcome: 'ambiguous', count: fingerprints.length };
  const [fingerprint] = fingerprints;
  const row = fingerprint === undefined ? undefined : latestReport(statements, query, fingerprint);
  if (row === undefined) return { outcome: 'artifact not found' };
  return { outcome: 'found', dossier: dossierOf(statements, flowOf(flow), artifactOf(row)) };
}

/** The fingerprints that the query can mean; more than one only for an abbreviated one. */
function fingerprintsLike(statements: Statements, query: ArtifactQuery): readonly string[] {
  const { org, flow, trail, fingerprint: digits, attestationId } = query;
  // One report has one fingerprint, so an id leaves nothing ambiguous.
  if (attestationId !== undefined) {
    const row = statements.artifactOfId.get(org, attestationId, flow);
    return row !== undefined && text(row, 'fingerprint').startsWith(digits) ? [text(row, 'fingerprint')] : [];
  }
  if (digits.length === fingerprintLength) return [digits];
  const rows =
    trail === undefined
      ? statements.fingerprintsLike.all(org, flow, digits, digits)
      : statements.fingerprintsOfTrailLike.all(org, flow, trail, digits, digits);
  return rows.map((row) => text(row, 'fingerprint'));
}

function latestReport(statements: Statements, query: ArtifactQuery, fingerprint: string): Row | undefined {
  const { org, flow, trail, attestationId } = query;
  if (attestationId !== undefined) {
    const row = statements.artifactOfId.get(org, attestationId, flow);
    return row !== undefined && (trail === undefined || row['trail'] === trail) ? row : undefined;
  }
  return trail === undefined
    ? statements.latestArtifact.get(org, flow, fingerprint)
    : statements.latestArtifactOfTrail.get(org, flow, trail, fingerprint);
}

function dossierOf(statements: Statements, flow: Flow, artifact: ReportedArtifact): ArtifactDossier {
  const { org, report } = artifact;
  const bound = scopesOf(artifact).flatMap((scope) => statements.boundAttestations.all(org, flow.name, scope));
  return {
    flow,
    artifact,
    evidence: currentEvidenceOf(statements, artifact),
    history: inOrder(bound).reverse().slice(0, longestHistory).map(summaryOf),
    appearances: statements.appearancesOf.all(org, report.fingerprint).map(appearanceOf),
  };
}

/** What counts for an artifact: the latest attestation of each name, in the order of recording. */
export function currentEvidenceOf(statements: Statements, artifact: ReportedArtifact): readonly AttestationSummary[] {
  const { org, flow } = artifact;
  const current = scopesOf(artifact).flatMap((scope) => statements.currentEvidence.all(org, flow, scope));
  return latestOfEachName(inOrder(current).map(summaryOf));
}

/** Where what counts for an artifact is bound. */
export function scopesOf({ report }: ReportedArtifact): readonly Scope[] {
  const { fingerprint, trail_name: trail, template_reference_name, git_commit } = report;
  return scopesOfArtifact({ trail, fingerprint, template_reference_name, git_commit });
}

/** In the order of recording, each attestation once: one can name the same artifact in two ways. */
function inOrder(rows: readonly Row[]): Row[] {
  const bySequence = new Map(rows.map((row) => [number(row, 'sequence'), row]));
  return [...bySequence].sort(([one], [other]) => one - other).map(([, row]) => row);
}
