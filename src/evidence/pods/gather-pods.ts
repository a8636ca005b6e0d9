import { k8sReport, type K8sReport } from '../../contract/environment.ts';
import { conforms, violations } from '../../contract/check.ts';
import { bareFingerprint } from '../../contract/names.ts';
import { describeError, UserError, type Problem } from '../../runtime/failure.ts';
import { isMapping, valueAt, type Mapping } from '../../runtime/untrusted-data.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { readTextFile } from '../files/text-file.ts';
import { DocumentNode } from './document-node.ts';
import { readPod, type ReportedPod } from './pod.ts';

/** The running pods of a cluster, and what was left out of the report. */
export interface PodEvidence {
  readonly report: K8sReport;
  /** How many pods do not run, by their phase. */
  readonly notRunning: ReadonlyMap<string, number>;
  /** Containers of running pods that have no digest yet: `namespace/pod/container`. */
  readonly withoutDigest: readonly string[];
}

/** The maximum size of the file, in bytes: about ten times the size for ten thousand pods. */
export const maximumPodFileBytes = 400 * 1024 * 1024;

/**
 * Reads the pods of a cluster from a file: a report as in the interface, or the output of
 * `kubectl get pods -A -o json`.
 *
 * @throws UserError if the file is neither; names the wrong value by its path
 */
export async function gatherPods(file: MatchedFile): Promise<PodEvidence> {
  const text = await readTextFile(file, { purpose: 'the pods', maximumBytes: maximumPodFileBytes, utf16: true });
  return readPods(parseJson(text, file.name), file.name);
}

/**
 * Reads a document about pods.
 *
 * @param name the file's name, for error messages
 * @throws UserError as in `gatherPods`
 */
export function readPods(document: unknown, name: string): PodEvidence {
  if (!isMapping(document)) throw createUnknownFormError(name, 'is JSON, but not an object');
  if (Object.hasOwn(document, 'artifacts')) return readReport(document, name);
  const kind = valueAt(document, 'kind');
  const isList = kind === undefined || kind === 'List' || kind === 'PodList';
  if (!isList) throw createUnknownFormError(name, `is of the kind ${JSON.stringify(kind)}`);
  if (!Object.hasOwn(document, 'items')) throw createUnknownFormError(name, 'has no `items`');
  return readList(new DocumentNode(name, document));
}

function readReport(given: Mapping, name: string): PodEvidence {
  const document = normalizeDigests(given);
  if (conforms(k8sReport, document)) return { report: document, notRunning: new Map(), withoutDigest: [] };
  const [first, ...rest] = violations(k8sReport, document).map(({ field, rule }): Problem => ({
    input: 'files',
    what: `${name}: ${field} ${rule}`,
    remedy: 'Correct the report; the interface of the service describes its format.',
  }));
  if (first === undefined) throw new RangeError('a report that does not conform violates something');
  throw new UserError([first, ...rest]);
}

/** Converts digests that are written `sha256:…` to the interface's form. */
function normalizeDigests(report: Mapping): Mapping {
  const artifacts = valueAt(report, 'artifacts');
  if (!Array.isArray(artifacts)) return report;
  const bare = (artifacts as readonly unknown[]).map((artifact) => {
    const digests = valueAt(artifact, 'digests');
    if (!isMapping(artifact) || !isMapping(digests)) return artifact;
    const entries = Object.entries(digests).map(([image, digest]) => [
      image,
      typeof digest === 'string' ? bareFingerprint(digest) : digest,
    ]);
    return { ...artifact, digests: Object.fromEntries(entries) as Mapping };
  });
  return { ...report, artifacts: bare };
}

function readList(list: DocumentNode): PodEvidence {
  const artifacts: ReportedPod[] = [];
  const notRunning = new Map<string, number>();
  const withoutDigest: string[] = [];
  for (const item of list.at('items').items()) {
    // The items of a `PodList` may omit their kind.
    const kind = item.at('kind');
    if (!kind.isMissing && kind.text() !== 'Pod') throw kind.createError('"Pod"');
    const pod = readPod(item);
    if ('notRunning' in pod) {
      notRunning.set(pod.notRunning, (notRunning.get(pod.notRunning) ?? 0) + 1);
      continue;
    }
    if (pod.reported !== undefined) artifacts.push(pod.reported);
    withoutDigest.push(...pod.withoutDigest);
  }
  return { report: { artifacts }, notRunning, withoutDigest };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new UserError(
      {
        input: 'files',
        what: `${name} is not JSON: ${describeError(thrown)}`,
        remedy: 'Print the pods as JSON: `kubectl get pods -A -o json`.',
      },
      { cause: thrown },
    );
  }
}

function createUnknownFormError(name: string, found: string): UserError {
  return new UserError({
    input: 'files',
    what: `${name} ${found}; it must be a list of pods or a report with \`artifacts\``,
    remedy:
      'Use the output of `kubectl get pods -A -o json`, or a report as the interface of the service describes it.',
  });
}
