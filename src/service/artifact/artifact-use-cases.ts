import { unixSeconds } from '../../runtime/clock.ts';
import { countsForAny } from '../account/audience.ts';
import { toReportScopes } from '../attestation/evidence-scope.ts';
import type { ListPart } from '../platform/database/database.ts';
import type { ReadTransaction, WriteTransaction } from '../platform/database/storage.ts';
import { findRepeatedRequest, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { newIdentifier } from '../platform/identifier.ts';
import { type JudgingContext, runJudgingTransaction } from '../platform/judging/judging.ts';
import { type JudgedReport, judgeListedReports, type OrganizationAt } from '../platform/judging/provenance.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { toSearchWords } from '../trail/search-words.ts';
import { fromArtifactReport } from '../trail/trail.ts';
import { judgeReported } from '../trail/trail-verdict-use-cases.ts';
import type { ArtifactDetails, ReportedArtifact } from './artifact.ts';
import type { DigitMatches, ReportSource } from './artifact-records.ts';

export interface ArtifactQuery {
  readonly org: string;
  readonly flow: string;
  /** The fingerprint or its first digits. */
  readonly fingerprint: string;
  /** Only an artifact that was reported to this trail. */
  readonly trail?: string | undefined;
  /** Only the report with this id. */
  readonly attestationId?: string | undefined;
}

export interface FoundArtifact {
  readonly outcome: 'found';
  readonly details: ArtifactDetails;
}

export type ArtifactNotFound =
  | { readonly outcome: 'flow not found' | 'artifact not found' }
  /** Several fingerprints begin with the digits. */
  | { readonly outcome: 'ambiguous'; readonly count: number };

export type ArtifactLookup = FoundArtifact | ArtifactNotFound;

/** The maximum number of attestations in the history of an artifact. Reading them is most of the cost of a lookup. */
export const maximumHistory = 20;

/** The maximum number of appearances in the details of an artifact; current ones come first. */
const maximumAppearances = 100;

/** The number of digits of a complete fingerprint. */
const fingerprintLength = 64;

/** Operation 10: finds the latest report of an artifact that matches the query, with its evidence. */
export function findArtifact(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: ArtifactQuery,
): Promise<ArtifactLookup> {
  return storage.read(async (transaction) => {
    const artifact = await findReport(transaction, query);
    if ('outcome' in artifact) {
      return (await transaction.flows.exists(query.org, query.flow)) ? artifact : { outcome: 'flow not found' };
    }
    const [details] = await loadDetails(transaction, { org: query.org, at: unixSeconds(now()) }, [artifact]);
    return details === undefined ? { outcome: 'artifact not found' } : { outcome: 'found', details };
  });
}

async function findReport(
  { artifacts }: Pick<ReadTransaction, 'artifacts'>,
  query: ArtifactQuery,
): Promise<ReportedArtifact | ArtifactNotFound> {
  const { org, flow, fingerprint: digits, trail, attestationId } = query;
  // A report has one fingerprint, so a query with an id is never ambiguous.
  if (attestationId !== undefined) {
    const report = await artifacts.findById(org, flow, attestationId);
    return report !== undefined && matchesQuery(report, query) ? report : { outcome: 'artifact not found' };
  }
  const place = { org, flow, trail };
  const { fingerprint, count } =
    digits.length === fingerprintLength
      ? { fingerprint: digits, count: 1 }
      : await artifacts.findByDigits(place, digits);
  if (count > 1) return { outcome: 'ambiguous', count };
  const report = fingerprint === undefined ? undefined : await artifacts.findLatest(place, fingerprint);
  return report ?? { outcome: 'artifact not found' };
}

function matchesQuery({ report }: ReportedArtifact, { fingerprint, trail }: ArtifactQuery): boolean {
  return report.fingerprint.startsWith(fingerprint) && (trail === undefined || report.trail_name === trail);
}

/** Loads everything that belongs to reports of artifacts, in their order. */
async function loadDetails(
  transaction: ReadTransaction,
  organization: OrganizationAt,
  reports: readonly ReportedArtifact[],
): Promise<readonly ArtifactDetails[]> {
  const { artifacts, attestations } = transaction;
  const all: ArtifactDetails[] = [];
  for (const { details } of await judgeListedReports(transaction, organization, reports)) {
    const { org, flow, report } = details.artifact;
    const [history, appearances, firstStarts] = await Promise.all([
      attestations.listBound({ org, flow }, toReportScopes(details.artifact), maximumHistory),
      artifacts.listAppearances(org, report.fingerprint, maximumAppearances),
      artifacts.listFirstStarts(org, report.fingerprint),
    ]);
    all.push({ ...details, history, appearances, firstStarts });
  }
  return all;
}

export type RecordArtifactResult = 'recorded' | 'flow not found';

/** Records a new report of an artifact. Creates the trail if it does not exist. */
export function reportArtifact(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now' | 'randomBytes'>,
  command: Omit<ReportedArtifact, 'id' | 'createdAt'>,
  request?: KeyedRequest<RecordArtifactResult>,
): Promise<OnceResult<RecordArtifactResult>> {
  const createdAt = unixSeconds(dependencies.now());
  return recordArtifact(dependencies, { ...command, id: newIdentifier(dependencies), createdAt }, request);
}

/** Records a report with a given id and time, and judges the environments that run the artifact again. */
export function recordArtifact(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  artifact: ReportedArtifact,
  request?: KeyedRequest<RecordArtifactResult>,
): Promise<OnceResult<RecordArtifactResult>> {
  const { org, flow, createdAt, report } = artifact;
  const reportJson = JSON.stringify(report);
  const work = async (
    transaction: WriteTransaction,
    context: JudgingContext,
  ): Promise<OnceResult<RecordArtifactResult>> => {
    const { flows, trails, artifacts, search } = transaction;
    // Together, because other transactions wait, and each may take a round trip to the database.
    const [repetition, flowExists] = await Promise.all([
      findRepeatedRequest(request, artifacts, 'recorded', (key) => artifacts.isCurrent(org, key)),
      flows.exists(org, flow),
    ]);
    if (repetition !== undefined) return repetition;
    if (!flowExists) return 'flow not found';
    const begun = { org, flow, name: report.trail_name, createdAt, report: fromArtifactReport(report) };
    await trails.insertMissing({ ...begun, counts: countsForAny(artifact.countsFor) });
    await search.add(begun, toSearchWords(report));
    await artifacts.insert(artifact, reportJson, request);
    await judgeEvidence(transaction, { org, fingerprint: report.fingerprint }, createdAt, context);
    await judgeReported(transaction, begun, createdAt);
    return 'recorded';
  };
  return runJudgingTransaction(dependencies, org, work);
}

const maximumArtifactsOfCommit = 100;

/** The maximum number of matching fingerprints and commits that are counted. */
const maximumMatches = 100;

const maximumFound = 20;

/** The commit of the previous artifact of a flow; undefined if there is none. */
export function findLatestCommit(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  query: Pick<ArtifactQuery, 'org' | 'flow' | 'fingerprint'> & { readonly branch: string | undefined },
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
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: Pick<ArtifactQuery, 'org' | 'flow' | 'trail'> & { readonly commit: string },
): Promise<'flow not found' | readonly ArtifactDetails[]> {
  const { org, flow, commit, trail } = query;
  return storage.read(async (transaction) => {
    if (!(await transaction.flows.exists(org, flow))) return 'flow not found';
    const place = { org, flow, trail };
    const reports = await transaction.artifacts.listByCommit(place, commit, maximumArtifactsOfCommit);
    return loadDetails(transaction, { org, at: unixSeconds(now()) }, reports);
  });
}

/** A page of the reports of a flow or of a repository. */
export interface ArtifactListQuery {
  readonly source: ReportSource;
  readonly part: ListPart;
}

/** Lists the reports of a flow or of a repository, newest first, each with its state. */
export function listArtifacts(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { source, part }: ArtifactListQuery,
): Promise<'source not found' | readonly JudgedReport[]> {
  return storage.read(async (transaction) => {
    const { flows, artifacts } = transaction;
    const reports = await artifacts.listReports(source, part);
    if (reports.length === 0) {
      const isKnown =
        'flow' in source
          ? await flows.exists(source.org, source.flow)
          : (await artifacts.listReports(source, { limit: 1, offset: 0 })).length > 0;
      if (!isKnown) return 'source not found';
    }
    return judgeListedReports(transaction, { org: source.org, at: unixSeconds(now()) }, reports);
  });
}

/** The fingerprints and commits that begin with the digits, and their artifacts. */
export interface SearchResult {
  readonly matches: DigitMatches;
  /** The latest report of each artifact in each flow. */
  readonly artifacts: readonly ArtifactDetails[];
}

/** Finds artifacts by the first digits of their fingerprint or commit. */
export function searchArtifacts(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  org: string,
  digits: string,
): Promise<SearchResult> {
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
    return { matches, artifacts: await loadDetails(transaction, { org, at: unixSeconds(now()) }, reports) };
  });
}
