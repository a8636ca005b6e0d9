import type { EndpointResult } from '../client/endpoint-call.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { RunningEvidence } from '../evidence/running/running-document.ts';
import type { Log } from '../runtime/log.ts';
import type { OperationResult } from './operation.ts';
import { code, type Fact, fact, listTable, plain, type Table, type Text } from './report.ts';
import { toRequestEffect } from './request-effect.ts';
import { pluralize } from './sentences.ts';

/** How many names a sentence has at most. */
const maximumNamed = 10;

/** Something that runs: a pod, a task, … */
interface Instance {
  readonly digests: Readonly<Record<string, string>>;
  /** Only of a pod. */
  readonly namespace?: string;
}

/** What runs, as a report lists it. */
export interface RunningReport {
  readonly artifacts: readonly Instance[];
}

/** What runs in an environment, and what it is called. */
export interface Running<Report extends RunningReport = RunningReport> {
  readonly org: string;
  readonly environment: string;
  readonly evidence: RunningEvidence<Report>;
  /** `pod`. */
  readonly instance: string;
  /** What has a digest, as a part of an instance: `image`. */
  readonly artifact: string;
  /** What may lack a digest: `container`. */
  readonly part: string;
}

/** `2 Pending, 1 Succeeded`. */
function describeNotRunning({ evidence: { notRunning } }: Running): string {
  return [...notRunning].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** `3 containers: shop/web-1/sidecar, …`; empty if there are none. */
function describeWithoutDigest({ evidence: { withoutDigest }, part }: Running): string {
  if (withoutDigest.length === 0) return '';
  const named = withoutDigest.slice(0, maximumNamed).join(', ');
  const rest = withoutDigest.length > maximumNamed ? ` and ${withoutDigest.length - maximumNamed} more` : '';
  return `${pluralize(withoutDigest.length, part)}: ${named}${rest}`;
}

/** Logs what is left out of the report, and for what has no digest also the reason and the remedy. */
export function logLeftOut(running: Running, log: Log, { reason, advice }: { reason: string; advice: string }): void {
  const [notRunning, withoutDigest] = [describeNotRunning(running), describeWithoutDigest(running)];
  if (notRunning !== '') log.info(`left out because they are not running: ${notRunning}`);
  if (withoutDigest !== '') log.warning(`${reason} ${withoutDigest}. ${advice}`);
}

/** The effect of a report, as the end of a sentence and as the value of a fact. */
const effects = {
  changed: { sentence: 'created a new snapshot', fact: 'a new one' },
  unchanged: { sentence: 'changed nothing, so there is no new snapshot', fact: 'no new one, because nothing changed' },
  unknown: {
    sentence: 'was processed; whether it created a new snapshot is not known',
    fact: 'unknown',
  },
} as const;

export function createRunningResult(running: Running, answer: EndpointResult<Endpoint>): OperationResult {
  const { org, environment, instance, artifact } = running;
  const { artifacts: instances } = running.evidence.report;
  const state = toRequestEffect(answer, { created: 'changed', otherwise: 'unchanged' });
  const effect = effects[state ?? 'unknown'];
  const found = collectArtifacts(instances);
  const what = `${pluralize(instances.length, instance)} with ${pluralize(found.length, artifact)}`;
  return {
    outcome: 'done',
    state,
    conclusion: `The report of ${what} to environment ${environment} ${effect.sentence}.`,
    response: answer.body,
    report: {
      subject: `Report to environment ${environment}`,
      facts: [
        ...fact('Organization', org),
        ...fact('Environment', environment),
        ...fact('Snapshot', effect.fact),
        ...fact(toLabel(instance), String(instances.length)),
        ...fact(toLabel(artifact), String(found.length)),
        ...namespacesFact(instances),
        ...fact('Left out, not running', describeNotRunning(running)),
        ...fact('Left out, without a digest', describeWithoutDigest(running)),
      ],
      tables: artifactsTable(running, found),
    },
  };
}

function toLabel(noun: string): string {
  return `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}s`;
}

function namespacesFact(instances: readonly Instance[]): readonly Fact[] {
  const namespaces = new Set(instances.flatMap(({ namespace }) => namespace ?? []));
  return fact('Namespaces', [...namespaces].sort().join(', '));
}

interface RunningArtifact {
  readonly name: string;
  /** Its SHA-256. */
  readonly digest: string;
  /** How many instances run it. */
  readonly instances: number;
  readonly namespaces: readonly string[];
}

/** The artifacts of a report, sorted by name; one entry per digest. */
function collectArtifacts(instances: readonly Instance[]): readonly RunningArtifact[] {
  const found = new Map<string, { name: string; digest: string; instances: number; namespaces: Set<string> }>();
  for (const { digests, namespace } of instances) {
    for (const [name, digest] of Object.entries(digests)) {
      // Names contain no line breaks.
      const key = `${name}\n${digest}`;
      const artifact = found.get(key) ?? { name, digest, instances: 0, namespaces: new Set<string>() };
      artifact.instances += 1;
      if (namespace !== undefined) artifact.namespaces.add(namespace);
      found.set(key, artifact);
    }
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, artifact]) => ({ ...artifact, namespaces: [...artifact.namespaces].sort() }));
}

function artifactsTable({ instance, artifact }: Running, found: readonly RunningArtifact[]): readonly Table[] {
  const hasNamespaces = found.some(({ namespaces }) => namespaces.length > 0);
  const title = toLabel(artifact);
  const columns = [title.slice(0, -1), 'SHA-256', toLabel(instance), ...(hasNamespaces ? ['Namespaces'] : [])];
  const rows = found.map(({ name, digest, instances, namespaces }): readonly Text[] => [
    code(name),
    code(digest),
    plain(String(instances)),
    ...(hasNamespaces ? [plain(namespaces.join(', '))] : []),
  ]);
  return listTable(title, columns, rows);
}
