import { externalUrls } from './attestations/attestation-fields.ts';
import { type GitCommitInfo, gitCommitInfo, repoInfo } from './commit.ts';
import { created, defineEndpoint } from './endpoint.ts';
import { additionErrors, flowNotFound } from './errors.ts';
import { commitSha, fingerprint, templateReferenceName, trailName } from './names.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { addressText, lineText } from './text-fields.ts';

/** How many commits a deprecated report may list. */
const maximumCommits = 5000;

/** An artifact as a build reports it (observed on the wire). */
export const artifactReport = strictObject({
  fingerprint,
  filename: lineText({ minLength: 1 }),
  git_commit: commitSha,
  git_commit_info: Type.Optional(gitCommitInfo),
  repo_info: Type.Optional(repoInfo),
  build_url: addressText(),
  commit_url: addressText(),
  repo_url: Type.Optional(addressText()),
  template_reference_name: Type.Optional(templateReferenceName),
  trail_name: Type.Optional(trailName),
  external_urls: Type.Optional(externalUrls),
  annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  user_data: Type.Optional(Type.Unknown()),
  commits_list: Type.Optional(
    Type.Array(gitCommitInfo, {
      maxItems: maximumCommits,
      description: 'Deprecated: the commits since the previous artifact. The service keeps only that of `git_commit`.',
    }),
  ),
});

export type SentArtifactReport = Static<typeof artifactReport>;

/** A report of an artifact as it is stored: always with a trail, and without the list of commits. */
export interface ArtifactReport extends Omit<SentArtifactReport, 'commits_list'> {
  trail_name: string;
}

/**
 * The report to store. The deprecated form of a report has no trail and no `git_commit_info`: its trail is named after
 * the commit, and what is known about the commit comes from its list.
 */
export function toArtifactReport({ commits_list: commits = [], ...sent }: SentArtifactReport): ArtifactReport {
  const { git_commit: sha, trail_name = sha } = sent;
  const listed: GitCommitInfo | undefined = commits.find(({ sha1 }) => sha1 === sha);
  const { git_commit_info = listed } = sent;
  return { ...sent, trail_name, ...(git_commit_info === undefined ? {} : { git_commit_info }) };
}

/**
 * Attest an artifact. Not one of the sixteen operations: the interface reads artifacts but shows no way to create one,
 * so the service accepts the request that the public client was observed to send.
 */
export const reportArtifact = defineEndpoint('POST /artifacts/{org}/{flow_name}', {
  operation: 'attest-artifact',
  origin: 'observed',
  title: 'Attest artifact',
  body: { kind: 'json', schema: artifactReport },
  repetition: {
    effect: 'appends',
    volatile: [['build_url']],
    recordedIn: 'artifact',
    isHarmlessTwice: true,
    remedy: 'Run the job again unless the trail shows the artifact; a second report of it does no harm.',
  },
  success: [
    created(
      'The artifact was recorded.',
      Type.Object({
        message: Type.Literal('OK'),
        html_url: Type.Optional(Type.String({ description: 'The page of the trail.' })),
      }),
    ),
  ],
  errors: [...additionErrors, flowNotFound],
});
