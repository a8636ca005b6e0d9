import { address, lines, oneOf, secret, someOf, text, integer } from './input-types.ts';

/** Paths and globs of files to send, one a line. */
export const files = lines(text('files'), 'ignored');

/** Paths and globs of artifacts to judge, one a line. */
export const artifactFiles = lines(text('files'));

/** A JSON object, or the path of a file that holds one. */
export const userData = text('user-data');

/** The commit to attest, where it is not the one that the event is about. */
export const commitSha = text('commit-sha');

/** What is left out of the commit's information. */
export const redactCommitInfo = someOf('redact-commit-info', ['author', 'message', 'branch']);

/** The token of GitHub's API. */
export const githubToken = secret('github-token');

/** The report of a Sonar scan: `report-task.txt`, its folder, or a JSON report. */
export const sonarReportPath = text('sonar-report-path');

/** The address of the Sonar server. */
export const sonarHostUrl = address(
  'sonar-host-url',
  'Use the URL of the Sonar server, such as https://sonarqube.example.com.',
  'Give the token in `sonar-token` instead.',
);

/** A token of the Sonar server. */
export const sonarToken = secret('sonar-token');

/** How long to wait for Sonar's background task, in seconds. */
export const sonarTimeout = integer('sonar-timeout', 1, 21_600, 'seconds');

/** What becomes of an analysis if nothing confirms which commit it is of. It decides a gate: no environment fallback. */
export const unverifiedRevision = oneOf('unverified-revision', ['warn', 'fail']);
