import { maximumFoundAttestations } from '../../contract/attestation-lookup.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import type { Flow } from '../flow/flow.ts';
import type { ListPart } from '../platform/database/database.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { firstSince, lastBefore, type NumberRange, type TimeSeries } from '../platform/time-series.ts';
import { findRequiredType } from '../template/template.ts';
import { findAppliedTemplates } from '../template/template-use-cases.ts';
import type { Attestation, AttestationSummary } from './attestation.ts';
import type { FlowReference } from './attestation-records.ts';
import { findRestored } from './effective-evidence-use-cases.ts';
import { evidenceName, listTargetArtifacts, toReportScopes } from './evidence-scope.ts';

export interface AttestationNameQuery {
  readonly org: string;
  readonly flow: string;
  /** `unit`, or `web.unit` for evidence about the artifact `web`. */
  readonly name: string;
  readonly of: { readonly trail: string } | { readonly fingerprint: string };
}

/** How many of the latest attestations are searched. */
const maximumSearched = 1000;

/** An attestation, and whether it satisfies the template that requires its name. */
export interface AttestationWithRequirement {
  readonly attestation: Attestation;
  /** The type that the template requires for its name, if it has another one. */
  readonly requiredType: string | undefined;
}

/** Finds an attestation, with its present verdict. */
export function findAttestation(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, id }: Pick<Attestation, 'org' | 'id'>,
): Promise<Attestation | undefined> {
  return storage.read(async (transaction) => {
    const found = await transaction.attestations.findById(org, id);
    return (await withVerdicts(transaction, found === undefined ? [] : [found], unixSeconds(now())))[0];
  });
}

/**
 * The attestations of an organization with their verdicts at a time (in Unix seconds): an override that has ended has that
 * of its original, which counts again.
 */
async function withVerdicts(
  { attestations }: Pick<ReadTransaction, 'attestations'>,
  recorded: readonly Attestation[],
  at: number,
): Promise<readonly Attestation[]> {
  const restore = await findRestored({ attestations }, recorded[0]?.org ?? '', recorded, at);
  return recorded.map((one) => {
    const { verdict, reason, faults } = restore(one) ?? one;
    return { ...one, verdict, reason, faults };
  });
}

/** Finds the latest attestations of a name, newest first; undefined if the flow does not exist. */
export function findAttestationsByName(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: AttestationNameQuery,
): Promise<readonly AttestationWithRequirement[] | undefined> {
  const { org, flow, name } = query;
  const at = unixSeconds(now());
  return storage.read(async (transaction) => {
    const found = await transaction.flows.find(org, flow);
    if (found === undefined) return undefined;
    const wanted = evidenceName(name);
    const attestations: Attestation[] = [];
    for (const summary of await listCandidates(transaction, query)) {
      if (attestations.length === maximumFoundAttestations) break;
      if (evidenceName(summary.name) !== wanted) continue;
      const attestation = await transaction.attestations.findById(org, summary.id);
      if (attestation !== undefined && isAboutArtifact(attestation, name)) attestations.push(attestation);
    }
    return withRequirements(transaction, found, await withVerdicts(transaction, attestations, at));
  });
}

async function withRequirements(
  { trails, artifacts }: Pick<ReadTransaction, 'trails' | 'artifacts'>,
  flow: Flow,
  attestations: readonly Attestation[],
): Promise<readonly AttestationWithRequirement[]> {
  const findApplied = await findAppliedTemplates(
    { trails },
    flow,
    attestations.map(({ trail }) => trail),
  );
  return Promise.all(
    attestations.map(async (attestation) => {
      const { trail, document, type } = attestation;
      const { artifact_fingerprint: fingerprint } = document;
      const place = { org: flow.org, flow: flow.name, trail };
      const report = fingerprint === undefined ? undefined : await artifacts.findLatest(place, fingerprint);
      const targets = listTargetArtifacts(document);
      const subjects = report === undefined ? targets : [report.report.template_reference_name ?? ''];
      const evidence = { name: evidenceName(attestation.name), type, subjects };
      return { attestation, requiredType: findRequiredType(findApplied(trail).template, evidence) };
    }),
  );
}

async function listCandidates(
  { artifacts, attestations }: Pick<ReadTransaction, 'artifacts' | 'attestations'>,
  { org, flow, of }: AttestationNameQuery,
): Promise<readonly AttestationSummary[]> {
  if ('trail' in of) return attestations.listByTrail({ org, flow }, of.trail, maximumSearched);
  const report = await artifacts.findLatest({ org, flow }, of.fingerprint);
  if (report === undefined) return [];
  return attestations.listBound({ org, flow }, toReportScopes(report), maximumSearched);
}

/** If the wanted name contains an artifact (`web.unit`): whether the attestation is about this artifact. */
function isAboutArtifact({ document }: Attestation, wanted: string): boolean {
  const [artifact] = listTargetArtifacts({ attestation_name: wanted });
  return artifact === undefined || listTargetArtifacts(document).includes(artifact);
}

/** The latest report of the artifact that an attestation names; undefined if it names none. */
export function findReportedArtifact(
  { storage }: Pick<UseCaseDependencies, 'storage'>,
  { org, flow, trail, document }: Attestation,
): Promise<ReportedArtifact | undefined> {
  const { artifact_fingerprint: fingerprint } = document;
  if (fingerprint === undefined) return Promise.resolve(undefined);
  return storage.read(({ artifacts }) => artifacts.findLatest({ org, flow, trail }, fingerprint));
}

export interface AttestationListQuery extends FlowReference {
  /** In Unix seconds, inclusive. */
  readonly from?: number | undefined;
  /** In Unix seconds, inclusive. */
  readonly to?: number | undefined;
  readonly part: ListPart;
}

export interface AttestationListing {
  /** The number of attestations on all pages. */
  readonly total: number;
  /** The attestations of the page, which never change and are never removed; none if the first is after the last. */
  readonly range: NumberRange;
  /** The total size of their documents. */
  readonly bytes: number;
}

/**
 * Operation 9: finds a page in reverse order of recording, whatever the clock showed. `from` and `to` select a range of
 * this order; if times contradict the order, the range is too large rather than too small (`time-series.ts`).
 * New attestations appear before all pages, unless `to` excludes them. The sequence of a flow has no gaps, so the
 * position of a page is computed, and the cost of a page does not depend on the number of attestations. Undefined if the
 * flow does not exist.
 */
export function findAttestationPage(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  query: AttestationListQuery,
): Promise<AttestationListing | undefined> {
  const { org, flow, part } = query;
  const time = unixSeconds(now());
  return storage.read(async (transaction) => {
    const { flows, attestationSeries } = transaction;
    if (!(await flows.exists(org, flow))) return undefined;
    const span = await selectSpan(transaction, query, time);
    const last = span.last - part.offset;
    const range = { first: Math.max(span.first, last - part.limit + 1), last };
    const bytes = await attestationSeries.findRangeBytes(query, range);
    return { total: Math.max(0, span.last - span.first + 1), range, bytes };
  });
}

/** Reads a range of the attestations of a flow with their verdicts, newest first. */
export function listAttestations(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  flow: FlowReference,
  range: NumberRange,
): Promise<readonly Attestation[]> {
  return storage.read(async (transaction) => {
    const recorded = await transaction.attestationSeries.listRange(flow, range);
    return withVerdicts(transaction, recorded, unixSeconds(now()));
  });
}

/** Selects the attestations of the time span; the range is empty (first > last) if there are none. */
async function selectSpan(
  { attestations, attestationSeries }: Pick<ReadTransaction, 'attestations' | 'attestationSeries'>,
  { org, flow, from, to }: AttestationListQuery,
  now: number,
): Promise<NumberRange> {
  const reference = { org, flow };
  const length = (await attestations.findLatest(reference))?.sequence ?? 0;
  if (from === undefined && to === undefined) return { first: 1, last: length };
  const series: TimeSeries = {
    length,
    listStepsBack: () => attestationSeries.listStepsBack(reference),
    listTimes: (sequences) => attestationSeries.listTimes(reference, sequences),
  };
  return {
    first: from === undefined ? 1 : await firstSince(series, from, now),
    last: to === undefined ? length : await lastBefore(series, to + 1, now),
  };
}
