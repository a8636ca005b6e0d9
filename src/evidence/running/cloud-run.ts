import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';
import { imageDigest, ImageDigests } from './image-digests.ts';

export const cloudRunCommand = 'gcloud run revisions list --format=json';

/** Reads revisions and jobs (Google Cloud's documentation, "Cloud Run Admin API", v1, which `gcloud` prints). */
export function readRevisions(documents: readonly DocumentNode[], found: Findings): void {
  for (const item of documents.flatMap((document) => document.listOrItself())) {
    const kind = item.at('kind');
    switch (kind.text()) {
      case 'Revision':
        readRevision(item, found);
        break;
      case 'Job':
        readJob(item, found);
        break;
      default:
        throw kind.createError('"Revision" or "Job"');
    }
  }
}

/** A revision runs if it may receive traffic: a retired one has the condition `Active` with the status `False`. */
function readRevision(revision: DocumentNode, found: Findings): void {
  const status = revision.at('status');
  const conditions = status.at('conditions').items();
  const active = conditions.find((condition) => condition.at('type').textOrEmpty() === 'Active');
  if (active?.at('status').textOrEmpty() === 'False') {
    found.addNotRunning(active.at('reason').textOrEmpty() || 'inactive');
    return;
  }
  const metadata = revision.at('metadata');
  const revisionName = metadata.at('name').text();
  const labels = metadata.at('labels');
  const serviceName = labels.isMissing ? '' : labels.at('serving.knative.dev/service').textOrEmpty();
  const containers = revision.at('spec').at('containers').list();
  const resolved = new Map(
    status
      .at('containerStatuses')
      .items()
      .map((container) => [container.at('name').textOrEmpty(), container.at('imageDigest').textOrEmpty()]),
  );
  const only = containers.length === 1 ? status.at('imageDigest').textOrEmpty() : '';
  const digests = readDigests(revisionName, containers, found, (name) => resolved.get(name) ?? only);
  if (digests.size === 0) return;
  found.artifacts.push({
    kind: 'service',
    ...(serviceName === '' ? {} : { serviceName }),
    revisionName,
    digests: digests.toRecord(),
    creationTimestamp: metadata.at('creationTimestamp').seconds(),
  });
}

/** A job counts whether it is being executed or not. Its digests are known if its images are named by them. */
function readJob(job: DocumentNode, found: Findings): void {
  const metadata = job.at('metadata');
  const jobName = metadata.at('name').text();
  const task = job.at('spec').at('template').at('spec').at('template').at('spec');
  const digests = readDigests(jobName, task.at('containers').list(), found, () => '');
  if (digests.size === 0) return;
  found.artifacts.push({
    kind: 'job',
    jobName,
    digests: digests.toRecord(),
    creationTimestamp: metadata.at('creationTimestamp').seconds(),
  });
}

function readDigests(
  owner: string,
  containers: readonly DocumentNode[],
  { withoutDigest }: Findings,
  resolve: (container: string) => string,
): ImageDigests {
  const digests = new ImageDigests();
  for (const container of containers) {
    const image = container.at('image').text();
    const name = container.at('name').textOrEmpty();
    const digest = imageDigest(image) ?? imageDigest(resolve(name));
    if (digest === undefined) withoutDigest.push(name === '' ? owner : `${owner}/${name}`);
    else digests.add(image, digest);
  }
  return digests;
}
