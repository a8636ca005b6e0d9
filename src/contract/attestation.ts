import { Type, type Static } from './schema.ts';
import { gitCommitInfo, repoInfo } from './commit.ts';
import { defineEndpoint, noQuery } from './endpoint.ts';
import { commonErrors, fileTooLarge, flowNotFound } from './errors.ts';
import { maximumDocumentBytes, maximumFileBytes, maximumTargets } from './limits.ts';
import { attestationName, fingerprint, flowName, orgName, templateReferenceName, trailName } from './names.ts';
import { addressText, lineText, longText } from './text-fields.ts';

/** One condition of a quality gate. Sonar leaves out the threshold and the value where there is none. */
export const sonarCondition = Type.Object({
  metric: lineText(),
  operator: Type.Optional(lineText()),
  errorThreshold: Type.Optional(lineText()),
  status: lineText(),
  value: Type.Optional(lineText({ description: 'The measured value, beyond the interface.' })),
});

/**
 * A Sonar analysis with its quality gate (interface, `sonar_results`): a subset of Sonar's webhook payload. Open to
 * further keys, because the payload is Sonar's and grows.
 */
export const sonarResults = Type.Object({
  analysedAt: Type.Optional(lineText()),
  revision: Type.Optional(
    lineText({ description: 'The analysed commit as Sonar or the report names it; absent if neither does.' }),
  ),
  project: Type.Object({
    key: lineText(),
    name: Type.Optional(lineText()),
    url: Type.Optional(addressText()),
  }),
  qualityGate: Type.Object({
    name: Type.Optional(lineText()),
    status: lineText(),
    ignoredConditions: Type.Optional(
      Type.Boolean({
        description:
          'True if Sonar reported conditions on coverage and duplication as `OK` whatever their value, because fewer than 20 lines are new.',
      }),
    ),
    conditions: Type.Array(sonarCondition),
  }),
  serverUrl: Type.Optional(addressText()),
  taskId: Type.Optional(lineText()),
  status: Type.Optional(lineText({ description: "The background task's status." })),
  branch: Type.Optional(Type.Object({ name: Type.Optional(lineText()), type: Type.Optional(lineText()) })),
  pullRequest: Type.Optional(lineText()),
});

/** A Sonar analysis with its quality gate. */
export type SonarResults = Static<typeof sonarResults>;

/** What `ignoredConditions` means, for those who see values that miss the thresholds of conditions that are OK. */
export const ignoredConditionsNote =
  'Sonar ignored the conditions on coverage and duplication, because fewer than 20 lines are new: they are OK even if their values miss the thresholds.';

/** The JSON part of a Sonar attestation (interface, `data_json`; the optional keys after `user_data` are the wire's). */
export const sonarAttestation = Type.Object(
  {
    attestation_name: attestationName,
    git_commit_info: Type.Optional(gitCommitInfo),
    sonar_results: sonarResults,
    user_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    artifact_fingerprint: Type.Optional(fingerprint),
    target_artifacts: Type.Optional(Type.Array(templateReferenceName, { maxItems: maximumTargets })),
    repo_info: Type.Optional(repoInfo),
    external_urls: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    origin_url: Type.Optional(addressText()),
    description: Type.Optional(longText()),
    annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

/**
 * The keys of `user_data` that say whether `sonar_results.revision` is known to be the attested commit, and if not, why.
 * The action sets them; a user's own data may not have them.
 */
export const revisionKeys = { verified: 'revision_verified', reason: 'revision_unverified_reason' } as const;

/** The JSON part of a Sonar attestation. */
export type SonarAttestation = Static<typeof sonarAttestation>;

/** The answer to an attestation for an artifact that was not reported to the trail. */
export const artifactNotInTrail = {
  status: 404,
  message:
    'Artifact with fingerprint {fingerprint} does not exist in trail "{trail}" of flow "{flow}" belonging to organization "{org}"',
  when: '`artifact_fingerprint` is not the fingerprint of an artifact that was reported to the trail.',
} as const;

/** Operation 7: attest a Sonar scan. */
export const attestSonar = defineEndpoint({
  operation: 'attest-sonar',
  number: 7,
  title: 'Attest Sonar scan',
  method: 'POST',
  path: '/attestations/{org}/{flow_name}/trail/{trail_name}/sonar',
  parameters: Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName }),
  query: noQuery,
  body: {
    kind: 'multipart',
    json: { part: 'data_json', schema: sonarAttestation, maximumBytes: maximumDocumentBytes },
    file: { part: 'attachment_file', required: false, maximumBytes: maximumFileBytes, tooLarge: fileTooLarge },
  },
  repetition: {
    effect: 'appends',
    remedy:
      'Run the job again unless the trail shows the attestation; a second one of the same name does no harm, because the latest counts.',
  },
  success: [
    { status: 201, description: 'The attestation was recorded.', schema: Type.String() },
    { status: 200, description: 'The attestation was recorded.', schema: Type.String() },
  ],
  errors: [
    commonErrors.validation,
    commonErrors.unauthenticated,
    commonErrors.forbidden,
    flowNotFound,
    artifactNotInTrail,
    commonErrors.conflict,
    fileTooLarge,
  ],
  authentication: ['bearer'],
  choices: [
    {
      subject: 'the success status',
      choice: '201; the client takes 200 as well',
      source: 'the public client accepts both',
    },
    {
      subject: 'the required fields of `data_json`',
      choice:
        '`attestation_name`, `sonar_results.project.key` and `sonar_results.qualityGate` with a list of conditions',
      source: 'the service cannot judge or show an attestation without them',
    },
    {
      subject: 'the required fields of `git_commit_info`',
      choice: '`sha1`, 40 lowercase hex digits; here and for artifacts',
      source: 'the interface has this form for the commit of an artifact; the other fields only describe the commit',
    },
    {
      subject: 'the required fields of `repo_info`',
      choice: '`name` and `url`; here and for artifacts',
      source: 'they say which repository it is',
    },
    {
      subject: 'an attestation for a trail that does not exist yet',
      choice: 'it makes the trail',
      source: 'no operation of the interface makes one',
    },
    {
      subject: 'the fields of `data_json` beyond the four of the interface',
      choice: 'those the public client sends are taken; unknown ones are refused, except within `sonar_results`',
      source: 'observed on the wire',
    },
    {
      subject: 'an attestation without `sonar_results.revision`',
      choice:
        'taken, and shown as "revision not verified"; the action then sends `user_data.revision_verified: false` with `revision_unverified_reason`, and otherwise `revision_verified: true`',
      source: 'Sonar does not always tell which commit was analysed, and the expected commit is no evidence',
    },
    {
      subject: 'an `artifact_fingerprint` that nobody reported to the trail',
      choice:
        '404, and nothing is recorded; evidence that comes first names the artifact (`target_artifacts`) and the commit',
      source: "the public client's tests",
    },
    {
      subject: 'the pattern of `attestation_name`',
      choice: 'one or two names of a template, separated by a dot',
      source: 'the public documentation: `web.unit` is the attestation `unit` of the artifact `web`',
    },
    {
      subject: 'how many attestations are about one thing',
      choice: 'any number, of 1000 names at most; one names 100 artifacts of the template at most',
      source: 'each name is looked at in every verdict',
    },
    {
      subject: 'the text part `attachment_file`',
      choice:
        'a file of the name `attachment_file`; empty, it says nothing; beside a file of other content it is a 400 that names it',
      source: 'the interface shows the part and not what it is for; nothing that is sent may be dropped',
    },
    {
      subject: 'the quality gate statuses WARN and NONE',
      choice: 'not compliant and not non-compliant: the evidence is incomplete',
      source: 'neither proves that the gate passed or failed',
    },
  ],
});
