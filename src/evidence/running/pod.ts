import type { K8sReport } from '../../contract/environment.ts';
import type { Mapping } from '../../runtime/untrusted-data.ts';
import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';
import { imageDigest, ImageDigests } from './image-digests.ts';

export type ReportedPod = K8sReport['artifacts'][number];

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
export function readPod(pod: DocumentNode, found: Findings<ReportedPod>): void {
  const phase = pod.at('status').at('phase').text();
  const metadata = pod.at('metadata');
  const podName = metadata.at('name').text();
  const namespace = metadata.at('namespace').text();
  if (phase !== 'Running') {
    found.addNotRunning(phase);
    return;
  }
  const digests = new ImageDigests();
  for (const { name, image, digest } of readContainers(pod)) {
    if (digest === undefined) found.withoutDigest.push(`${namespace}/${podName}/${name}`);
    else digests.add(image, digest);
  }
  const owners = metadata.at('ownerReferences').items();
  if (digests.size === 0) return;
  found.artifacts.push({
    creationTimestamp: metadata.at('creationTimestamp').seconds(),
    digests: digests.toRecord(),
    namespace,
    podName,
    ...(owners.length === 0 ? {} : { owners: owners.map((owner): Mapping => owner.mapping()) }),
  });
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
