import { reportK8s as endpoint, type K8sReport } from '../contract/environment.ts';
import { resolveOnlyFile } from '../evidence/files/resolve-files.ts';
import { gatherPods, type PodEvidence } from '../evidence/pods/gather-pods.ts';
import { environment } from './inputs/environment-inputs.ts';
import { files } from './inputs/evidence-inputs.ts';
import { required } from './inputs/input.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { code, fact, plain, type Table, type Text } from './report.ts';
import { toRequestEffect } from './request-effect.ts';
import { pluralize } from './sentences.ts';

/** How many containers a sentence names at most. */
const maximumNamed = 10;

/** Operation 3: reports what runs in a Kubernetes cluster. */
export const reportK8s = defineOperation({
  name: 'report-k8s',
  endpoint,
  gate: 'ignore',
  inputs: { environment: required(environment), files: required(files) },
  async run(inputs, context) {
    const { client, org, call } = context;
    const pods = await call.log.group('Read the pods', () => readPods(inputs.files, context));
    const answer = await client.call(endpoint, {
      parameters: { org, env_name: inputs.environment },
      document: pods.report,
    });
    const state = toRequestEffect(answer, { created: 'changed', otherwise: 'unchanged' });
    const effect = effects[state ?? 'unknown'];
    const images = collectImages(pods.report);
    const { artifacts } = pods.report;
    const what = `${pluralize(artifacts.length, 'pod')} with ${pluralize(images.length, 'image')}`;
    return {
      outcome: 'done',
      state,
      conclusion: `The report of ${what} to environment ${inputs.environment} ${effect.sentence}.`,
      response: answer.body,
      report: {
        subject: `Report to environment ${inputs.environment}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Environment', inputs.environment),
          ...fact('Snapshot', effect.fact),
          ...fact('Pods', String(artifacts.length)),
          ...fact('Images', String(images.length)),
          ...fact('Namespaces', [...new Set(artifacts.map(({ namespace }) => namespace))].sort().join(', ')),
          ...fact('Left out, not running', phases(pods)),
          ...fact('Left out, without a digest', containers(pods)),
        ],
        tables: imagesTable(images),
      },
    };
  },
});

/** The effect of a report, as the end of a sentence and as the value of a fact. */
const effects = {
  changed: { sentence: 'created a new snapshot', fact: 'a new one' },
  unchanged: { sentence: 'changed nothing, so there is no new snapshot', fact: 'no new one, because nothing changed' },
  unknown: {
    sentence: 'was processed; whether it created a new snapshot is not known',
    fact: 'unknown',
  },
} as const;

async function readPods(
  patterns: readonly string[],
  { workspace, call: { log } }: OperationContext,
): Promise<PodEvidence> {
  const file = await resolveOnlyFile(patterns, workspace, 'the pods');
  const pods = await gatherPods(file);
  log.info(`${file.name}: ${pluralize(pods.report.artifacts.length, 'pod')} to report`);
  if (pods.notRunning.size > 0) log.info(`left out because they are not running: ${phases(pods)}`);
  if (pods.withoutDigest.length > 0) {
    log.warning(`Left out because their images have no digest yet: ${containers(pods)}. Report again once they run.`);
  }
  if (pods.report.artifacts.length === 0) {
    log.warning(`${file.name} contains no running pods, so the report is empty.`);
  }
  return pods;
}

/** `2 Pending, 1 Succeeded`. */
function phases({ notRunning }: PodEvidence): string {
  return [...notRunning].map(([phase, pods]) => `${pods} ${phase}`).join(', ');
}

/** `3 containers: shop/web-1/sidecar, …`. */
function containers({ withoutDigest }: PodEvidence): string {
  if (withoutDigest.length === 0) return '';
  const named = withoutDigest.slice(0, maximumNamed).join(', ');
  const rest = withoutDigest.length > maximumNamed ? ` and ${withoutDigest.length - maximumNamed} more` : '';
  return `${pluralize(withoutDigest.length, 'container')}: ${named}${rest}`;
}

interface RunningImage {
  readonly name: string;
  /** Its SHA-256. */
  readonly digest: string;
  /** How many pods run it. */
  readonly pods: number;
  readonly namespaces: readonly string[];
}

/** The images of a report, sorted by name; one entry per digest. */
function collectImages({ artifacts }: K8sReport): readonly RunningImage[] {
  const found = new Map<string, { name: string; digest: string; pods: number; namespaces: Set<string> }>();
  for (const { digests, namespace } of artifacts) {
    for (const [name, digest] of Object.entries(digests)) {
      // Image names contain no line breaks.
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

/** The images as a table; none if there are no images. */
function imagesTable(images: readonly RunningImage[]): readonly Table[] {
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
