import type { ArtifactDetails, ReportedArtifact } from './artifact.ts';
import type { DigitMatches } from './artifact-records.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { loadDetails } from './artifact-use-cases.ts';
import { judgeListedReports, type JudgedReport } from '../platform/judging/provenance.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage'>;

/** The maximum number of artifacts of a commit. */
const maximumArtifactsOfCommit = 100;

/** The maximum number of matching fingerprints and commits that are counted. */
const maximumMatches = 100;

/** The maximum number of artifacts in the result of a search. */
const maximumFound = 20;

/** The commit of the previous artifact of a flow; undefined if there is none. */
export function findLatestCommit(
  { storage }: Dependencies,
  query: {
    readonly org: string;
    readonly flow: string;
    readonly fingerprint: string;
    readonly branch?: string | undefined;
  },
): Promise<'flow not found' | { readonly commit: string | undefined }> {
  const { org, flow, fingerprint, branch } = query;
  return storage.read(async ({ flows, artifacts }) => {
    if (!(await flows.exists(org, flow))) return 'flow not found';
    const found = await artifacts.findLatestOther({ org, flow }, fingerprint, branch);
    return { commit: found?.report.git_commit };
  });
}

/** The artifacts of a flow that were built from a commit, newest first. */
export function listArtifactsOfCommit(
  { storage }: Dependencies,
  query: { readonly org: string; readonly flow: string; readonly commit: string; readonly trail?: string | undefined },
): Promise<'flow not found' | readonly ArtifactDetails[]> {
  const { org, flow: name, commit, trail } = query;
  return storage.read(async (transaction) => {
    const flow = await transaction.flows.find(org, name);
    if (flow === undefined) return 'flow not found';
    const place = { org, flow: name, trail };
    const reports = await transaction.artifacts.listByCommit(place, commit, maximumArtifactsOfCommit);
    const details: ArtifactDetails[] = [];
    for (const report of reports) details.push(await loadDetails(transaction, flow, report));
    return details;
  });
}

/** A page of the reports of a flow or of a repository. */
export interface ArtifactListQuery {
  readonly org: string;
  readonly source: { readonly flow: string } | { readonly repository: string };
  /** Counted from 1. */
  readonly page: number;
  readonly perPage: number;
}

/** Lists the reports of a flow or of a repository, newest first, each with its state. */
export function listArtifacts(
  { storage }: Dependencies,
  { org, source, page, perPage }: ArtifactListQuery,
): Promise<'source not found' | readonly JudgedReport[]> {
  return storage.read(async (transaction) => {
    const { flows, artifacts } = transaction;
    const reports = await artifacts.listReports({ org, ...source }, { limit: perPage, offset: (page - 1) * perPage });
    if (reports.length === 0) {
      const isKnown =
        'flow' in source
          ? await flows.exists(org, source.flow)
          : (await artifacts.listReports({ org, ...source }, { limit: 1, offset: 0 })).length > 0;
      if (!isKnown) return 'source not found';
    }
    return judgeListedReports(transaction, org, reports);
  });
}

/** The fingerprints and commits that begin with the digits, and their artifacts. */
export interface SearchResult {
  readonly matches: DigitMatches;
  /** The latest report of each artifact in each flow. */
  readonly artifacts: readonly ArtifactDetails[];
}

/** Finds artifacts by the first digits of their fingerprint or commit. */
export function searchArtifacts({ storage }: Dependencies, org: string, digits: string): Promise<SearchResult> {
  return storage.read(async (transaction) => {
    const { artifacts } = transaction;
    const matches = await artifacts.findMatches(org, digits, maximumMatches);
    const fingerprints = new Set(matches.fingerprints.slice(0, maximumFound));
    for (const commit of matches.commits.slice(0, maximumFound)) {
      const built = await artifacts.listFingerprintsOfCommit(org, commit, maximumFound);
      for (const fingerprint of built) fingerprints.add(fingerprint);
    }
    const latest = await artifacts.listLatestByFlow(org, [...fingerprints].slice(0, maximumFound));
    const reports = [...latest.values()].flat().slice(0, maximumFound);
    return { matches, artifacts: await loadAll(transaction, reports) };
  });
}

async function loadAll(
  transaction: ReadTransaction,
  reports: readonly ReportedArtifact[],
): Promise<readonly ArtifactDetails[]> {
  const details: ArtifactDetails[] = [];
  for (const report of reports) {
    const flow = await transaction.flows.find(report.org, report.flow);
    if (flow !== undefined) details.push(await loadDetails(transaction, flow, report));
  }
  return details;
}
