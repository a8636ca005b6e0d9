import type { DocumentNode } from './document-node.ts';
import type { Findings } from './findings.ts';
import { imageDigest, ImageDigests } from './image-digests.ts';

/** The command takes at most 100 tasks, so a large cluster needs several files. */
export const ecsCommand =
  "aws ecs describe-tasks --cluster CLUSTER --tasks $(aws ecs list-tasks --cluster CLUSTER --query 'taskArns[]' --output text)";

/** Reads tasks (AWS API, "DescribeTasks"). */
export function readTasks(documents: readonly DocumentNode[], found: Findings): void {
  const tasks = documents.flatMap((document) => document.at('tasks').list());
  const failures = documents.map((document) => document.at('failures')).find((node) => node.items().length > 0);
  // A few tasks can stop meanwhile. If none is found, the cluster is most likely another one, and not empty.
  if (tasks.length === 0 && failures !== undefined) throw failures.createError('empty if there are no tasks');
  for (const task of tasks) {
    const state = task.at('lastStatus').text();
    if (state !== 'RUNNING') {
      found.addNotRunning(state);
      continue;
    }
    const taskArn = task.at('taskArn').text();
    const digests = new ImageDigests();
    for (const container of task.at('containers').list()) {
      const image = container.at('image').text();
      const digest = imageDigest(container.at('imageDigest').textOrEmpty()) ?? imageDigest(image);
      if (digest === undefined) found.withoutDigest.push(`${lastSegment(taskArn)}/${container.at('name').text()}`);
      else digests.add(image, digest);
    }
    if (digests.size === 0) continue;
    const cluster = lastSegment(task.at('clusterArn').textOrEmpty());
    const [, service] = /^service:(.+)$/su.exec(task.at('group').textOrEmpty()) ?? [];
    found.artifacts.push({
      taskArn,
      ...(cluster === '' ? {} : { cluster_name: cluster }),
      ...(service === undefined ? {} : { service_name: service }),
      digests: digests.toRecord(),
      creationTimestamp: task.at('startedAt').seconds(),
    });
  }
}

function lastSegment(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}
