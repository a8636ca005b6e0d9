import { maximumLineLength, maximumNameLength } from '../../contract/limits.ts';
import { annotationKey, bareFingerprint, customTypeName, fingerprint, severities } from '../../contract/names.ts';
import { redactableFields } from '../../evidence/commit/commit-redaction.ts';
import {
  flag,
  httpUrl,
  integer,
  lines,
  oneOf,
  pairs,
  regularExpression,
  schemaText,
  secret,
  someOf,
  text,
} from './input-types.ts';

/** Paths and globs of files to send, one per line. */
export const files = lines(text('files'), 'ignored');

/** Whether wildcards and folders attach hidden files, and links are followed out of the workspace. */
export const includeHiddenFiles = flag('include-hidden-files');

/** Paths and globs of artifacts to judge, one per line. */
export const artifactFiles = lines(text('files'));

/** A JSON object, or the path of a file with one. */
export const userData = text('user-data');

/** Short remarks by key. */
export const annotations = pairs(
  'annotations',
  schemaText(
    'annotations',
    annotationKey,
    'one remark per line, whose key has only letters, digits and `_`',
    'Write `key=remark`.',
  ),
  text('annotations', maximumLineLength),
);

/** Links to other systems by label. */
export const externalUrls = pairs(
  'external-urls',
  text('external-urls', maximumNameLength),
  httpUrl(
    'external-urls',
    'Write `label=https://…`, one per line.',
    'Use a URL that others can open without your password.',
  ),
);

/** The fingerprints of what the links lead to, by label. */
export const externalFingerprints = pairs(
  'external-fingerprints',
  text('external-fingerprints', maximumNameLength),
  schemaText(
    'external-fingerprints',
    fingerprint,
    'a SHA-256 of 64 hex digits for each label',
    'Write `label=` and all digits of the SHA-256, with or without `sha256:` in front of them.',
    bareFingerprint,
  ),
);

/** The commit to attest, if it is not the event's commit. */
export const commitSha = text('commit-sha');

/** Parts of the commit's information that are not sent. */
export const redactCommitInfo = someOf('redact-commit-info', redactableFields);

export const githubToken = secret('github-token');

/** Paths and globs of JUnit files, one per line. */
export const junitPath = lines(text('junit-path'), 'ignored');

/** Paths and globs of SARIF files, one per line. */
export const sarifPath = lines(text('sarif-path'), 'ignored');

/** The lowest severity that makes the evidence non-compliant. It decides a gate, so it has no environment fallback. */
export const failOn = oneOf('fail-on', [...severities, 'none']);

/** A bill of materials in SPDX or CycloneDX JSON. */
export const sbomPath = text('sbom-path');

/** The licences that components may have, one per line. They decide a gate, so they have no environment fallback. */
export const allowedLicenses = lines(text('allowed-licenses', maximumLineLength), 'ignored');

/** What a component without a known licence means. It decides a gate, so it has no environment fallback. */
export const unknownLicenses = oneOf('unknown-licenses', ['refuse', 'allow']);
/** The custom type of the evidence, with or without `custom:` in front. */
export const attestationType = schemaText(
  'attestation-type',
  customTypeName,
  'the name of a custom type: letters, digits, `.`, `-`, `_` and `~`, the first one a letter or a digit',
  'Write the name that the type was created with.',
  (text) => text.replace(/^custom:/u, ''),
);

/** The path of a JSON file with the data of the evidence. */
export const dataPath = text('data-path');

/** What a reference to an issue looks like. It decides a gate, so it has no environment fallback. */
export const issuePattern = regularExpression('issue-pattern', 500);

export const jiraBaseUrl = httpUrl(
  'jira-base-url',
  'Use the URL of the Jira site, such as https://acme.atlassian.net.',
  'Give them in `jira-username` and `jira-api-token` instead.',
);

/** The user of Jira Cloud to whom the token belongs. */
export const jiraUsername = text('jira-username', 255);

/** A token of Jira: an API token of a user of Jira Cloud, or a personal access token of a Jira server. */
export const jiraApiToken = secret('jira-api-token');

/** How many approvals by others a pull request must have. It decides a gate, so it has no environment fallback. */
export const minimumApprovals = integer('minimum-approvals', 0, 100, 'approvals');

/** The report of a Sonar scan: `report-task.txt`, its folder, or a JSON report. */
export const sonarReportPath = text('sonar-report-path');

export const sonarHostUrl = httpUrl(
  'sonar-host-url',
  'Use the URL of the Sonar server, such as https://sonarqube.example.com.',
  'Give the token in `sonar-token` instead.',
);

export const sonarTaskUrl = httpUrl(
  'sonar-task-url',
  'Use the `ceTaskUrl` of the scanner: https://sonarqube.example.com/api/ce/task?id=….',
  'Give the token in `sonar-token` instead.',
);

export const sonarProjectKey = text('sonar-project-key', 400);

/** The branch that was analysed, if it is not the main branch. */
export const sonarBranch = text('sonar-branch', 255);

export const sonarPullRequest = text('sonar-pull-request', 255);

export const sonarToken = secret('sonar-token');

/** How long to wait for Sonar's background task, in seconds. */
export const sonarTimeout = integer('sonar-timeout', 1, 21_600, 'seconds');

/** What to do if nothing confirms which commit was analysed. It decides a gate, so it has no environment fallback. */
export const unverifiedRevision = oneOf('unverified-revision', ['warn', 'fail']);
