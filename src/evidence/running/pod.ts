import type { K8sReport } from '../../contract/environment.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import type { DocumentNode } from './document-node.ts';
import { imageDigest, ImageDigests } from './image-digests.ts';

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
  const digests = new ImageDigests();
  for (const { image, digest } of containers) if (digest !== undefined) digests.add(image, digest);
  const owners = metadata.at('ownerReferences').items();
  return {
    reported:
      digests.size === 0
        ? undefined
        : {
            creationTimestamp: metadata.at('creationTimestamp').seconds(),
            digests: digests.toRecord(),
            namespace,
            podName,
            ...(owners.length === 0 ? {} : { owners: owners.map((owner): Mapping => owner.mapping()) }),
          },
    withoutDigest: containers
      .filter(({ digest }) => digest === undefined)
      .map(({ name }) => `${namespace}/${podName}/${name}`),
  };
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
