import { type K8sReport, k8sReport } from '../../contract/environment.ts';
import { UserError } from '../../runtime/failure.ts';
import { isMapping, valueAt } from '../../runtime/untrusted-data.ts';
import type { MatchedFile } from '../files/resolve-files.ts';
import { DocumentNode } from './document-node.ts';
import { Findings } from './findings.ts';
import { readPod, type ReportedPod } from './pod.ts';
import { isReport, readJsonFile, readReport, type RunningEvidence } from './running-document.ts';

export type PodEvidence = RunningEvidence<K8sReport>;

/** The maximum size of the file, in bytes: about ten times the size for ten thousand pods. */
export const maximumPodFileBytes = 400 * 1024 * 1024;

const command = 'kubectl get pods -A -o json';

/**
 * Reads the pods of a cluster from a file: a report as in the interface, or the output of
 * `kubectl get pods -A -o json`.
 *
 * @throws UserError if the file is neither; names the wrong value by its path
 */
export async function gatherPods(file: MatchedFile): Promise<PodEvidence> {
  const document = await readJsonFile(file, { purpose: 'the pods', maximumBytes: maximumPodFileBytes, command });
  return readPods(document, file.name);
}

/**
 * Reads a document about pods.
 *
 * @param name the file's name, for error messages
 * @throws UserError as in `gatherPods`
 */
export function readPods(document: unknown, name: string): PodEvidence {
  if (!isMapping(document)) throw createUnknownFormError(name, 'is JSON, but not an object');
  if (isReport(document)) {
    return { report: readReport(k8sReport, document, name), notRunning: new Map(), withoutDigest: [] };
  }
  const kind = valueAt(document, 'kind');
  const isPodList = kind === undefined || kind === 'List' || kind === 'PodList';
  if (!isPodList) throw createUnknownFormError(name, `is of the kind ${JSON.stringify(kind)}`);
  if (!Object.hasOwn(document, 'items')) throw createUnknownFormError(name, 'has no `items`');
  return readList(new DocumentNode({ file: name, command }, document));
}

function readList(list: DocumentNode): PodEvidence {
  const found = new Findings<ReportedPod>();
  const metadata = list.at('metadata');
  if (!metadata.isMissing) metadata.at('continue').requireEnd();
  for (const item of list.at('items').items()) {
    // The items of a `PodList` may omit their kind.
    const kind = item.at('kind');
    if (!kind.isMissing && kind.text() !== 'Pod') throw kind.createError('"Pod"');
    readPod(item, found);
  }
  const { artifacts, notRunning, withoutDigest } = found;
  return { report: { artifacts }, notRunning, withoutDigest };
}

function createUnknownFormError(name: string, found: string): UserError {
  return new UserError({
    input: 'files',
    what: `${name} ${found}; it must be a list of pods or a report with \`artifacts\``,
    remedy:
      'Use the output of `kubectl get pods -A -o json`, or a report as the interface of the service describes it.',
  });
}
