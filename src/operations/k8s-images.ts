import type { K8sReport } from '../contract/environment.ts';
import { code, plain, type Table, type Text } from './report.ts';

/** An image that runs, and where. */
export interface RunningImage {
  readonly name: string;
  /** Its SHA-256. */
  readonly digest: string;
  /** How many pods run it. */
  readonly pods: number;
  readonly namespaces: readonly string[];
}

/** The images of a report by name, each digest by itself. */
export function imagesOf({ artifacts }: K8sReport): readonly RunningImage[] {
  const found = new Map<string, { name: string; digest: string; pods: number; namespaces: Set<string> }>();
  for (const { digests, namespace } of artifacts) {
    for (const [name, digest] of Object.entries(digests)) {
      // No name of an image holds a line break.
      const key = `${name}\n${digest}`;
      const image = found.get(key) ?? { name, digest, pods: 0, namespaces: new Set<string>() };
      image.pods += 1;
      image.namespaces.add(namespace);
      found.set(key, image);
    }
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, image]) => ({ ...image, namespaces: [...image.namespaces].sort() }));
}

/** The images as a table; none where there are none. */
export function imagesTable(images: readonly RunningImage[]): readonly Table[] {
  if (images.length === 0) return [];
  return [
    {
      title: 'Images',
      columns: ['Image', 'SHA-256', 'Pods', 'Namespaces'],
      rows: images.map(({ name, digest, pods, namespaces }): readonly Text[] => [
        code(name),
        code(digest),
        plain(String(pods)),
        plain(namespaces.join(', ')),
      ]),
    },
  ];
}
