import { externalUrls } from './attestations/attestation-fields.ts';
import { gitCommitInfo, repoInfo } from './commit.ts';
import { created, defineEndpoint, ok } from './endpoint.ts';
import { additionErrors, namedFlowNotFound } from './errors.ts';
import { maximumDocumentBytes } from './limits.ts';
import { trailName } from './names.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { templateFilePart } from './template-file.ts';
import { addressText, longText } from './text-fields.ts';

/** What can be said about a trail when it is begun (observed on the wire). */
const trailFields = {
  description: Type.Optional(longText()),
  user_data: Type.Optional(Type.Unknown()),
  git_commit_info: Type.Optional(gitCommitInfo),
  repo_info: Type.Optional(repoInfo),
  external_urls: Type.Optional(externalUrls),
  origin_url: Type.Optional(addressText()),
} as const;

/** A trail as it is begun or updated, the JSON part. */
export const trailPayload = strictObject({ name: trailName, ...trailFields });

/** What was said about a trail. */
export type TrailReport = Omit<Static<typeof trailPayload>, 'name'>;

export const beginTrail = defineEndpoint('PUT /trails/{org}/{flow_name}', {
  operation: 'begin-trail',
  origin: 'observed',
  title: 'Begin or update trail',
  body: {
    kind: 'multipart',
    json: { part: 'data_json', schema: trailPayload, maximumBytes: maximumDocumentBytes },
    file: { ...templateFilePart, required: false },
  },
  repetition: { effect: 'idempotent' },
  success: [created('The trail was begun.'), ok('The trail was updated.')],
  errors: [...additionErrors, namedFlowNotFound, templateFilePart.tooLarge],
});
