import { Type, type Static } from './schema.ts';
import { gitCommitInfo, repoInfo } from './commit.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors, flowNotFound } from './errors.ts';
import { commitSha, fingerprint, flowName, orgName, templateReferenceName, trailName } from './names.ts';
import { addressText, lineText } from './text-fields.ts';

/** An artifact as a build reports it (observed on the wire). */
export const artifactReport = Type.Object(
  {
    fingerprint,
    filename: lineText({ minLength: 1 }),
    git_commit: commitSha,
    git_commit_info: Type.Optional(gitCommitInfo),
    repo_info: Type.Optional(repoInfo),
    build_url: addressText(),
    commit_url: addressText(),
    repo_url: Type.Optional(addressText()),
    template_reference_name: Type.Optional(templateReferenceName),
    trail_name: trailName,
    external_urls: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    user_data: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** An artifact as a build reports it. */
export type ArtifactReport = Static<typeof artifactReport>;

/**
 * Attest an artifact. Not one of the sixteen operations: the interface reads artifacts but shows no way to create one,
 * so the service accepts the request that the public client was observed to send.
 */
export const reportArtifact = defineEndpoint({
  origin: 'observed',
  title: 'Attest artifact',
  method: 'POST',
  path: '/artifacts/{org}/{flow_name}',
  parameters: Type.Object({ org: orgName, flow_name: flowName }),
  query: noQuery,
  body: { kind: 'json', schema: artifactReport },
  repetition: {
    effect: 'appends',
    volatile: [['build_url']],
    remedy: 'Run the job again unless the trail shows the artifact; a second report of it does no harm.',
  },
  success: [
    { status: 201, description: 'The artifact was recorded.', schema: Type.Object({ message: Type.Literal('OK') }) },
  ],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    flowNotFound,
    commonErrors.conflict,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'how artifacts are created',
      choice: "the public client's endpoint beside this one, with its wire format",
      source: 'observed on the wire',
    },
    {
      subject: 'the required fields of an artifact',
      choice: '`fingerprint`, `filename`, `git_commit`, `build_url`, `commit_url` and `trail_name`',
      source: 'the public client always sends them, and the service identifies and shows the artifact by them',
    },
    {
      subject: 'the same artifact reported again',
      choice: 'recorded again with a new id; the latest report counts',
      source: 'as for attestations, the latest of the same name counts',
    },
  ],
});
