import type { K8sReport } from '../../contract/environment.ts';
import { isoSeconds } from '../../contract/snapshot-expression.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import type { DocumentNode } from './document-node.ts';

export type ReportedPod = K8sReport['artifacts'][number];

/** A pod that a cluster lists: one that is not running, or one to report. */
export type Pod =
  | {
      /** The phase of a pod that is not running: `Pending`, `Succeeded`, `Failed`, `Unknown`. */
      readonly notRunning: string;
    }
  | {
      /** Undefined if none of its containers has a digest yet. */
      readonly reported: ReportedPod | undefined;
      /** The containers without a digest: `namespace/pod/container`. */
      readonly withoutDigest: readonly string[];
    };

/** The lists of containers in a pod's status, and in its specification, which has the requested image names. */
const containerLists = [
  ['initContainerStatuses', 'initContainers'],
  ['containerStatuses', 'containers'],
  ['ephemeralContainerStatuses', 'ephemeralContainers'],
] as const;

/**
 * Reads a pod (Kubernetes API, core/v1 Pod). Only pods in the phase `Running` count: before, the images may not have
 * been pulled, and afterwards nothing runs any more. Init containers count, because they ran in the pod.
 *
 * @throws UserError if it is not a valid pod; names the wrong value by its path
 */
export function readPod(pod: DocumentNode): Pod {
  const phase = pod.at('status').at('phase').text();
  const metadata = pod.at('metadata');
  const podName = metadata.at('name').text();
  const namespace = metadata.at('namespace').text();
  if (phase !== 'Running') return { notRunning: phase };

  const containers = readContainers(pod);
  const digests = collectDigests(containers);
  const owners = metadata.at('ownerReferences').items();
  return {
    reported:
      digests.size === 0
        ? undefined
        : {
            creationTimestamp: parseCreation(metadata.at('creationTimestamp')),
            digests: Object.fromEntries(digests),
            namespace,
            podName,
            ...(owners.length === 0 ? {} : { owners: owners.map((owner): Mapping => owner.mapping()) }),
          },
    withoutDigest: containers
      .filter(({ digest }) => digest === undefined)
      .map(({ name }) => `${namespace}/${podName}/${name}`),
  };
}

function parseCreation(node: DocumentNode): number {
  const seconds = isoSeconds(node.text());
  if (seconds === undefined) throw node.createError('a time such as 2026-01-02T03:04:05Z');
  return seconds;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly digest: string | undefined;
}

function readContainers(pod: DocumentNode): readonly Container[] {
  const status = pod.at('status');
  return containerLists.flatMap(([statuses, specifications]) =>
    status
      .at(statuses)
      .items()
      .map((container): Container => {
        const name = container.at('name').text();
        const image = container.at('image').textOrEmpty();
        return {
          name,
          image: isName(image) ? image : (findRequestedImage(pod, specifications, name) ?? image),
          digest: imageDigest(container.at('imageID').textOrEmpty()),
        };
      }),
  );
}

/**
 * Finds the SHA-256 of an image in the `imageID` of a pod's status: `docker-pullable://repo@sha256:…`, `repo@sha256:…`,
 * or `sha256:…` alone. Returns 64 lowercase hex digits; undefined if there is none, for example because the image is
 * still being pulled or the digest uses another algorithm.
 */
function imageDigest(imageId: string): string | undefined {
  return /(?:^|[@/])sha256:([a-f0-9]{64})$/u.exec(imageId)?.[1];
}

/** A runtime that does not know the name of an image shows its digest instead. */
function isName(image: string): boolean {
  return image !== '' && !image.startsWith('sha256:');
}

function findRequestedImage(pod: DocumentNode, specifications: string, name: string): string | undefined {
  const specification = pod.at('spec');
  if (specification.isMissing) return undefined;
  const found = specification
    .at(specifications)
    .items()
    .find((container) => container.at('name').textOrEmpty() === name);
  const image = found?.at('image').textOrEmpty() ?? '';
  return image === '' ? undefined : image;
}

/** If a tag moved between two starts, it names two images; the second gets its digest, so that both are kept. */
function collectDigests(containers: readonly Container[]): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const { image, digest } of containers) {
    if (digest === undefined) continue;
    const known = digests.get(image);
    digests.set(known === undefined || known === digest ? image : `${image}@sha256:${digest}`, digest);
  }
  return digests;
}
