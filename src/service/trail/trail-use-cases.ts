import { isDeepStrictEqual } from 'node:util';
import { maximumPageBytes } from '../../contract/limits.ts';
import type { TrailReport } from '../../contract/trail.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { recordRuleChanges } from '../environment/rule-change-use-cases.ts';
import type { FlowReader } from '../flow/flow-records.ts';
import type { DefinitionAuthor } from '../flow/flow-use-cases.ts';
import type { Recorded } from '../login/recorded.ts';
import type { ListPart } from '../platform/database/database.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import { judgeEvidence } from '../platform/judging/snapshot-updates.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { FileTemplate } from '../template/template.ts';
import { toSearchWords } from './search-words.ts';
import { toTrailIdentity, type Trail, type TrailDetails, type TrailHistory, type TrailReference } from './trail.ts';
import type { TrailFilter, TrailReader } from './trail-records.ts';
import { loadTrail } from './trail-state-use-cases.ts';
import { judgeReported, noteChange } from './trail-verdict-use-cases.ts';

export interface TrailToBegin extends TrailReference {
  /** Fields that are left out keep their values, except for `proven`. */
  readonly report: Recorded<TrailReport>;
  /** Undefined keeps the template that the trail has, if any. */
  readonly template: FileTemplate | undefined;
  /** Whether the key counts for any environment. */
  readonly counts?: boolean;
}

export type BeginTrailResult =
  | 'begun'
  | 'updated'
  | 'flow not found'
  | 'not permitted'
  /** It would no longer be for this commit, for which a key that counts for environments began it. */
  | { readonly keptCommit: string };

/**
 * Begins or updates a trail. Only an author who may define what evidence is judged by can give it another template, which
 * judges the environments that run its artifacts again. A key that counts for no environment cannot move a trail that a
 * counting key began to another commit or repository, because the evidence in it would no longer count.
 */
export const beginTrail = defineWrite(
  async (
    transaction,
    { report, template: wanted, by, mayDefine, ...trail }: TrailToBegin & DefinitionAuthor,
    context,
  ): Promise<BeginTrailResult> => {
    const { at: now } = context;
    const { flows, trails, search, githubAnswers } = transaction;
    const { org, flow, name } = trail;
    if (!(await flows.exists(org, flow))) return 'flow not found';
    const template = await findChange(trails, trail, wanted);
    if (template !== undefined && !mayDefine) return 'not permitted';
    const subject = { org, flow, trail: name };
    // It may be for another commit from now on, which the check of the former one shows.
    const [known] = await Promise.all([trails.find(trail), githubAnswers.noteChange(subject, now)]);
    const begun = mergeTrail(known, { ...trail, report }, now);
    const keptCommit = findKeptCommit(known, begun, trail);
    if (keptCommit !== undefined) return { keptCommit };
    await trails.save(begun, findMove(known, begun));
    await search.add(begun, toSearchWords(begun.report));
    if (known !== undefined) await trails.addUpdate(trail, { at: now, commit: report.git_commit_info });
    await noteChange(transaction, subject, now);
    if (template !== undefined) {
      await trails.saveTemplate(trail, template);
      const changed = { subject: `trail ${name} of flow ${flow}`, details: {} };
      const change = { org, type: 'trail_template_changed', at: now, actor: by, ...changed } as const;
      await recordRuleChanges(transaction, [change], await transaction.environments.listRunning(subject));
    }
    // Evidence of login rules counts for the commit of the trail.
    const hasMoved = isMoved(known, begun);
    if (template !== undefined || hasMoved) await judgeEvidence(transaction, subject, now, context);
    if (hasMoved) await trails.noteMove(trail, now);
    await judgeReported(transaction, trail, now);
    return known === undefined ? 'begun' : 'updated';
  },
);

/** The template that a trail is to have instead of its present one; undefined if it keeps that. */
async function findChange(
  trails: TrailReader,
  { org, flow, name }: TrailReference,
  wanted: FileTemplate | undefined,
): Promise<FileTemplate | undefined> {
  if (wanted === undefined) return undefined;
  const own = (await trails.listTemplates(org, flow, [name])).get(name);
  return isDeepStrictEqual(own, wanted) ? undefined : wanted;
}

/** The commit of a trail that a counting key began, if a key that counts for no environment would change it. */
function findKeptCommit(
  known: Trail | undefined,
  begun: Trail,
  { counts }: Pick<TrailToBegin, 'counts'>,
): string | undefined {
  const isKept = known?.counts === true && counts !== true && isMoved(known, begun);
  return isKept ? toTrailIdentity(known).commit : undefined;
}

function mergeTrail(known: Trail | undefined, wanted: Omit<TrailToBegin, 'template'>, now: number): Trail {
  return {
    ...wanted,
    createdAt: known?.createdAt ?? now,
    lastModifiedAt: now,
    report: { ...known?.report, ...wanted.report, proven: wanted.report.proven },
    counts: known?.counts === true || wanted.counts === true,
  };
}

/** Whether a trail is for another commit or repository than before. */
function isMoved(known: Trail | undefined, begun: Trail): boolean {
  return known !== undefined && !isDeepStrictEqual(toTrailIdentity(known), toTrailIdentity(begun));
}

/** When a trail was begun for another commit than before, if it is: it must not keep the rules of its first day. */
function findMove(known: Trail | undefined, begun: Trail): number | undefined {
  if (known === undefined || toTrailIdentity(known).commit === toTrailIdentity(begun).commit) return undefined;
  return begun.lastModifiedAt;
}

/** The maximum length of each list in the history of a trail. */
export const maximumTrailEntries = 100;

/** The maximum number of appearances of each artifact in the history of a trail. */
const maximumAppearances = 20;

export function findTrailHistory(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  reference: TrailReference,
): Promise<{ readonly details: TrailDetails; readonly history: TrailHistory } | undefined> {
  return storage.read(async (transaction) => {
    const details = await loadTrail(transaction, reference, unixSeconds(now()));
    if (details === undefined) return undefined;
    const { trails, artifacts, attestations } = transaction;
    const { org, flow, name } = reference;
    const limits = { count: maximumTrailEntries, maximumBytes: maximumPageBytes };
    const reports = await artifacts.listByTrail(org, flow, name, maximumTrailEntries);
    const fingerprints = new Set(reports.map(({ report }) => report.fingerprint));
    const appearances: TrailHistory['appearances'] = new Map(
      await Promise.all(
        [...fingerprints].map(
          async (fingerprint) =>
            [fingerprint, await artifacts.listAppearances(org, fingerprint, maximumAppearances)] as const,
        ),
      ),
    );
    const updates = await trails.listUpdates(reference, maximumTrailEntries);
    const subjects = await attestations.listSubjects({ org, flow }, name, limits);
    return { details, history: { updates, artifacts: reports, attestations: subjects, appearances } };
  });
}

export interface TrailPage {
  readonly trails: readonly TrailDetails[];
  /** The number of trails on all pages. */
  readonly total: number;
}

/**
 * Lists trails with their states, the latest first. Each trail is read in a transaction of its own, so that other
 * requests get their turn.
 */
export async function listTrails(
  { storage, judging, now }: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  {
    org,
    filter: { flowTag, ...filter },
    part,
  }: {
    readonly org: string;
    /** `flowTag` is a tag of the flow: `key` or `key:value`. */
    readonly filter: Pick<TrailFilter, 'flow' | 'fingerprint'> & { readonly flowTag: string | undefined };
    readonly part: ListPart;
  },
): Promise<TrailPage> {
  const { found, total } = await storage.read(async ({ trails, flows }) => {
    const selected = flowTag === undefined ? filter : await selectTagged(flows, { org, flowTag, ...filter });
    return { found: await trails.list(org, selected, part), total: await trails.count(org, selected) };
  });
  const loaded: TrailDetails[] = [];
  for (const trail of found) {
    await judging.turns.next();
    const details = await storage.read((transaction) => loadTrail(transaction, trail, unixSeconds(now())));
    if (details !== undefined) loaded.push(details);
  }
  return { trails: loaded, total };
}

async function selectTagged(
  flows: FlowReader,
  {
    org,
    flowTag,
    flow,
    fingerprint,
  }: Pick<TrailFilter, 'flow' | 'fingerprint'> & { readonly org: string; readonly flowTag: string },
): Promise<TrailFilter> {
  const tagged = await flows.list(org, { tags: [flowTag] }, { offset: 0, limit: Number.MAX_SAFE_INTEGER });
  const names = tagged.map(({ name }) => name).filter((name) => flow === undefined || flow === name);
  return { flows: names, fingerprint };
}
