import { environmentNotFound, flowNotFound, namedEnvironmentNotFound, noSuchSnapshot } from '../../contract/errors.ts';
import {
  badSnapshotExpression,
  diffEnvironments,
  type EnvironmentDifference,
  listSnapshots,
  type SnapshotEntry,
} from '../../contract/snapshot.ts';
import { getSnapshot, type SnapshotDetailsResponse } from '../../contract/snapshot-details.ts';
import {
  parseSnapshotExpression,
  parseSnapshotInterval,
  type SnapshotSelector,
} from '../../contract/snapshot-expression.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { Caller } from '../account/access.ts';
import { toReadableProvenance, toReadableReasons } from '../account/readable-parts.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import { requireAccess, requireRole } from '../platform/server/authentication/authentication.ts';
import type { LargeRead } from '../platform/server/bodies/large-reads.ts';
import { ApiError, missingEnvironment, validationError } from '../platform/server/errors/api-error.ts';
import { SerializedJson } from '../platform/server/json-response.ts';
import { toListPart } from '../platform/server/pagination.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import {
  type ComparedContents,
  type ContentView,
  listContentFingerprints,
  serializeDifference,
  serializeSnapshot,
  type ShownRunning,
  showRunning,
  type StoredContent,
} from './content-views.ts';
import { listFingerprints } from './running-artifact.ts';
import type { SnapshotSummary } from './snapshot.ts';
import * as snapshots from './snapshot-use-cases.ts';

/** Adds operations 11 and 12, which compare two snapshots and list those of an environment, and the reading of one. */
export function addSnapshotRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const { now, links, largeReads } = dependencies;

  addRoute(host, diffEnvironments, requireRole(dependencies, 'read', 'named later'), async (received) => {
    const { caller, parameters, query, signal } = received;
    const { org } = parameters;
    const one = parseExpression({ org, name: 'snappish1', expression: query.snappish1 });
    const other = parseExpression({ org, name: 'snappish2', expression: query.snappish2 });
    // An expression can be read in several ways; all of them must be permitted.
    const environments = [...one.readings, ...other.readings].map(({ environment }) => environment);
    requireAccess(caller, 'read', { environments }, diffEnvironments);
    const wanted = { org, first: one.readings, second: other.readings, now: unixSeconds(now()) };
    const found = await snapshots.findComparedSnapshots(dependencies, wanted);
    const [first, second] = [requireSnapshot(one, found.first), requireSnapshot(other, found.second)];
    const read = { org, bytes: first.content.bytes + second.content.bytes, signal };
    const json = await largeReads.run(read, async (compute) => {
      const contents = await loadCompared(dependencies, caller, [first, second]);
      const load = async ({ snapshot }: snapshots.FoundSnapshot, content: StoredContent): Promise<Builds> =>
        snapshots.loadBuilds(dependencies, snapshot, await compute(listContentFingerprints, content), signal);
      const builds = [await load(first, contents.first), await load(second, contents.second)] as const;
      return compute(serializeDifference, {
        ...contents,
        ids: [toSnapshotId(first), toSnapshotId(second)] as const,
        builds: [toReadableProvenance(caller, builds[0]), toReadableProvenance(caller, builds[1])] as const,
      });
    });
    return { status: 200, body: new SerializedJson<EnvironmentDifference>(json) };
  });

  addRoute(host, listSnapshots, requireRole(dependencies, 'read'), async ({ caller, parameters, query }) => {
    const { org, env_name: environment } = parameters;
    const { reverse: ascending = false } = query;
    const time = unixSeconds(now());
    const interval = parseInterval(query.interval ?? '', environment);
    const part = { ...toListPart(query), ascending };
    const listed = await snapshots.listSnapshots(dependencies, { org, environment, interval, part, now: time });
    if (listed === undefined) throw new ApiError(flowNotFound, { errors: [missingEnvironment(org, environment)] });
    const reasons = toReasonResponses(toReadableReasons(caller, listed.reasons), org, links);
    return {
      status: 200,
      body: listed.snapshots.map((snapshot) => ({
        ...toSnapshotResponse(snapshot, time),
        ...(snapshot.to === undefined ? { reasons } : {}),
        html_url: links.pages.snapshot(org, environment, snapshot.number),
      })),
    };
  });

  addRoute(host, getSnapshot, requireRole(dependencies, 'read'), async ({ caller, parameters, signal }) => {
    const { org, env_name: environment, snapshot: expression } = parameters;
    const selector = parseSelector(environment, expression);
    const wanted = { org, environment, selector, now: unixSeconds(now()) };
    const found = await snapshots.findSnapshot(dependencies, wanted);
    switch (found.outcome) {
      case 'found':
        return { status: 200, body: await readDetails(dependencies, caller, found, signal) };
      case 'environment not found':
        throw new ApiError(namedEnvironmentNotFound, { values: { org, environment } });
      case 'too large': {
        const rule = 'has members with too many artifacts to be combined; get them one by one';
        throw validationError(['path.snapshot', rule]);
      }
      case 'no such snapshot': {
        const { number, latest: count } = found;
        const marked = /^[-0-9]/.test(expression) ? `#${expression}` : expression;
        throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: marked, number, count } });
      }
    }
  });
}

/**
 * Parses the query parameter `interval`; undefined if it is empty.
 *
 * @throws ApiError if the text is neither empty nor an interval of the environment.
 */
export function parseInterval(text: string, environment: string): snapshots.SnapshotListQuery['interval'] {
  if (text === '') return undefined;
  const interval = parseSnapshotInterval(text, environment);
  if ('problem' in interval) throw validationError(['query.interval', interval.problem]);
  return interval;
}

/** An expression that selects a snapshot, in a query parameter. */
interface ExpressionParameter {
  readonly org: string;
  /** The name of the query parameter. */
  readonly name: string;
  readonly expression: string;
  readonly readings: snapshots.SnapshotReadings;
}

function toExpressionError(expression: string, reason: string): ApiError {
  return new ApiError(badSnapshotExpression, { values: { expression, reason } });
}

/** @throws ApiError if it is not one. */
export function parseExpression(parameter: Omit<ExpressionParameter, 'readings'>): ExpressionParameter {
  const parsed = parseSnapshotExpression(parameter.expression);
  if ('problem' in parsed) throw toExpressionError(parameter.expression, parsed.problem);
  return { ...parameter, readings: parsed.readings };
}

/** @throws ApiError if the expression selects none. */
export function requireSnapshot(
  { org, name, expression, readings }: ExpressionParameter,
  finding: snapshots.SnapshotLookup,
): snapshots.FoundSnapshot {
  switch (finding.outcome) {
    case 'found':
      return finding;
    case 'environment not found':
      throw new ApiError(environmentNotFound, {
        errors: [missingEnvironment(org, readings[0].environment, `query.${name}`)],
      });
    case 'too large':
      throw toExpressionError(
        expression,
        'its members have too many artifacts to be combined; request them one by one',
      );
    case 'no such snapshot': {
      const { environment, number, latest: count } = finding;
      const suffix = expression.slice(environment.length);
      throw new ApiError(noSuchSnapshot, { values: { org, environment, expression: suffix, number, count } });
    }
  }
}

/** @throws ApiError if the text does not select a snapshot. */
function parseSelector(environment: string, expression: string): SnapshotSelector {
  if (expression.startsWith('-')) return { kind: 'behind', count: Number(expression.slice(1)) - 1 };
  const parsed = parseSnapshotExpression(environment + (/^[0-9]/.test(expression) ? '#' : '') + expression);
  if ('problem' in parsed) throw validationError(['path.snapshot', parsed.problem]);
  return parsed.readings[0].selector;
}

type Builds = Awaited<ReturnType<typeof snapshots.loadBuilds>>;

const toSnapshotId = ({ snapshot: { environment, number } }: snapshots.FoundSnapshot): string =>
  `${environment}#${number}`;

export async function loadCompared(
  dependencies: RouteDependencies,
  { org, grants }: Caller,
  [first, second]: readonly [snapshots.FoundSnapshot, snapshots.FoundSnapshot],
): Promise<ComparedContents> {
  return {
    reader: { org, grants },
    first: await snapshots.loadContent(dependencies, first.content),
    second: await snapshots.loadContent(dependencies, second.content),
    judgements: [first.snapshot.judgement, second.snapshot.judgement],
  };
}

/** Loads what ran in a snapshot and before it. */
async function loadView(
  dependencies: RouteDependencies,
  { org, grants }: Caller,
  { snapshot: { judgement }, content, previous }: snapshots.SnapshotDetails,
): Promise<ContentView> {
  return {
    reader: { org, grants },
    judgement,
    content: await snapshots.loadContent(dependencies, content),
    previous: await snapshots.loadContent(dependencies, previous),
  };
}

const toRead = (
  { snapshot: { org }, content, previous }: snapshots.SnapshotDetails,
  signal: AbortSignal,
): LargeRead => ({ org, bytes: content.bytes + previous.bytes, signal });

export interface ShownSnapshot extends snapshots.SnapshotDetails {
  readonly running: ShownRunning;
  /** The builds of the running artifacts by fingerprint. */
  readonly builds: Builds;
  /** When each began to run, in Unix seconds, by fingerprint; only for the current snapshot. */
  readonly starts?: ReadonlyMap<string, number>;
}

/** Reads what a page shows of a snapshot, at most `maximum` artifacts, without what the caller may not read. */
export function readShown(
  dependencies: RouteDependencies,
  caller: Caller,
  found: snapshots.SnapshotDetails,
  { signal, maximum }: { readonly signal: AbortSignal; readonly maximum?: number },
): Promise<ShownSnapshot> {
  return dependencies.largeReads.run(toRead(found, signal), async (compute) => {
    const view = await loadView(dependencies, caller, found);
    const running = await compute(showRunning, { ...view, maximum });
    const builds = await snapshots.loadBuilds(dependencies, found.snapshot, listFingerprints(running.items), signal);
    const reasons = toReadableReasons(caller, found.reasons);
    return { ...found, reasons, running, builds: toReadableProvenance(caller, builds) };
  });
}

/** Reads a snapshot, without what the caller may not read. */
export function readDetails(
  dependencies: RouteDependencies,
  caller: Caller,
  found: snapshots.SnapshotDetails,
  signal: AbortSignal,
): Promise<SerializedJson<SnapshotDetailsResponse>> {
  const { kind, snapshot, reasons } = found;
  const { org, environment, number, from, judgement } = snapshot;
  const { links, largeReads } = dependencies;
  const response = {
    index: number,
    environment,
    timestamp: from,
    type: kind,
    user_id: '',
    user_name: '',
    compliant: judgement.compliant ?? false,
    judged: judgement.compliant !== null,
    html_url: links.pages.snapshot(org, environment, number),
    reasons: toReasonResponses(toReadableReasons(caller, reasons), org, links),
  };
  return largeReads.run(toRead(found, signal), async (compute) => {
    const view = await loadView(dependencies, caller, found);
    const fingerprints = await compute(listContentFingerprints, view.content);
    const all = await snapshots.loadBuilds(dependencies, snapshot, fingerprints, signal);
    const builds = toReadableProvenance(caller, all);
    return new SerializedJson(await compute(serializeSnapshot, { ...view, kind, builds, response }));
  });
}

/**
 * Converts a snapshot to a list entry of operation 12. Times are whole seconds (interface, Snapshot), so the end equals
 * the beginning of the next snapshot; but if the clock was set back in between, the snapshot ends when it began. A
 * snapshot without a verdict is not compliant, and `judged` is false.
 *
 * @param now in Unix seconds; the end of the current snapshot for `duration`.
 */
function toSnapshotResponse({ number, from, to, compliant }: SnapshotSummary, now: number): SnapshotEntry {
  const begin = Math.floor(from);
  const end = Math.max(begin, Math.floor(to ?? now));
  return {
    index: number,
    from: begin,
    to: to === undefined ? 0 : end,
    compliant: compliant ?? false,
    judged: compliant !== null,
    duration: end - begin,
  };
}
