import { UserError } from '../../runtime/failure.ts';
import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';
import { imageDigest } from './image-digests.ts';

/** Prints containers and images, because a container only names the id of its image, which is another digest. */
export const dockerCommand = 'docker inspect $(docker ps -q) $(docker image ls -q)';

/**
 * Reads containers and images (Docker's documentation, "docker inspect"). A container's digest is the one that its
 * image has in the registry; an image that was neither pushed nor pulled has none.
 */
export function readContainers(documents: readonly DocumentNode[], found: Findings): void {
  const objects = documents.flatMap((document) => document.list());
  const isContainer = (object: DocumentNode): boolean => !object.at('State').isMissing;
  const containers = objects.filter(isContainer);
  const images = new Map(
    objects
      .filter((object) => !isContainer(object))
      .map((image) => [image.at('Id').text(), image.at('RepoDigests').items()] as const),
  );
  if (containers.length > 0 && images.size === 0) {
    throw new UserError({
      input: 'files',
      what: `\`files\` has ${containers.length} containers and no image; only the images have digests`,
      remedy: `Use the output of \`${dockerCommand}\`.`,
    });
  }
  for (const container of containers) {
    const state = container.at('State');
    if (!state.at('Running').isTrue) {
      found.addNotRunning(state.at('Status').text());
      continue;
    }
    const name = container.at('Config').at('Image').text();
    const digests = images.get(container.at('Image').text()) ?? [];
    const digest =
      imageDigest(name) ??
      chooseDigest(
        name,
        digests.map((entry) => entry.text()),
      );
    if (digest === undefined) found.withoutDigest.push(container.at('Name').text().replace(/^\//u, ''));
    else found.artifacts.push({ digests: { [name]: digest }, creationTimestamp: container.at('Created').seconds() });
  }
}

/** The digest of an image that may be in several registries: the one of the repository in the container's image. */
function chooseDigest(name: string, repositoryDigests: readonly string[]): string | undefined {
  const repository = bareRepository(name);
  const all = new Set(repositoryDigests.map(imageDigest));
  const own = new Set(repositoryDigests.filter((entry) => bareRepository(entry) === repository).map(imageDigest));
  const [only, ...others] = all.size === 1 ? all : own;
  return others.length === 0 ? only : undefined;
}

/** A name without tag and digest, as Docker shortens it. */
function bareRepository(name: string): string {
  return name
    .replace(/@.*$/su, '')
    .replace(/:[^/:]*$/u, '')
    .replace(/^docker\.io\//u, '')
    .replace(/^library\//u, '');
}
