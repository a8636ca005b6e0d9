import type { RepoInfo } from '../../contract/commit.ts';
import { repositoryUrl, type Job } from '../job.ts';

/** The job's repository as the service's clients report it (observed on the wire); undefined outside a GitHub job. */
export function repositoryInfo(job: Job): RepoInfo | undefined {
  const url = repositoryUrl(job);
  if (job.repository === undefined || url === undefined) return undefined;
  return {
    name: `${job.repository.owner}/${job.repository.name}`,
    url,
    ...(job.repositoryId === undefined ? {} : { id: job.repositoryId }),
    provider: 'github',
  };
}
