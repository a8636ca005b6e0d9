import { address } from './address.ts';
import { oneOf, secret, text, wholeNumber } from './parse.ts';

/** The report of a Sonar scan: `report-task.txt`, its folder, or a JSON report. */
export const sonarReportPath = text('sonar-report-path');

/** The address of the Sonar server. */
export const sonarHostUrl = address(
  'sonar-host-url',
  'Give the address of the Sonar server, such as https://sonarqube.example.com.',
  'Give the token in `sonar-token` instead.',
);

/** A token of the Sonar server. */
export const sonarToken = secret('sonar-token');

/** How long to wait for Sonar's background task, in seconds. */
export const sonarTimeout = wholeNumber('sonar-timeout', 1, 21_600, 'seconds');

/** What becomes of an analysis if nothing confirms which commit it is of. It decides a gate: no environment fallback. */
export const unverifiedRevision = oneOf('unverified-revision', ['warn', 'fail']);
