import type { K8sReport } from '../../contract/environment.ts';
import { isoSeconds } from '../../contract/snapshot-expression.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import { imageDigest } from './image-digest.ts';
import type { DocumentNode } from './document-node.ts';

/** A pod as it is reported. */
export type ReportedPod = K8sReport['artifacts'][number];

/** A pod as a cluster lists it. */
export type Pod =
  | {
      /** Its phase, where it does not run: `Pending`, `Succeeded`, `Failed`, `Unknown`. */
      readonly notRunning: string;
    }
  | {
      /** Undefined if none of its containers has a digest yet. */
      readonly reported: ReportedPod | undefined;
      /** The containers without a digest: `namespace/pod/container`. */
      readonly withoutDigest: readonly string[];
    };

/** The lists of containers in a pod's status, and in its specification, where the name of the image is as it was asked for. */
const containerLists = [
  ['initContainerStatuses', 'initContainers'],
  ['containerStatuses', 'containers'],
  ['ephemeralContainerStatuses', 'ephemeralContainers'],
] as const;

/**
 * Reads a pod (Kubernetes API, core/v1 Pod). Only one in the phase `Running` runs: before, its images may not be there, and
 * after, nothing of it is left. Its init containers count, because they ran in it.
 *
 * @throws UserError naming the place where it is not a pod
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

/** A runtime that knows no name of an image shows its digest in the name's place. */
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

/** A tag that moved between two starts names two images; the later gets its digest into its name, so that none is lost. */
function collectDigests(containers: readonly Container[]): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const { image, digest } of containers) {
    if (digest === undefined) continue;
    const known = digests.get(image);
    digests.set(known === undefined || known === digest ? image : `${image}@sha256:${digest}`, digest);
  }
  return digests;
}
