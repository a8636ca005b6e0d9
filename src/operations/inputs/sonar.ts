import type { Input } from './input.ts';
import { secret, text, wholeNumber } from './parse.ts';

/** The report of a Sonar scan: `report-task.txt`, its folder, or a JSON report. */
export const sonarReportPath = text('sonar-report-path');

/** The address of the Sonar server. */
export const sonarHostUrl: Input<string> = {
  name: 'sonar-host-url',
  secret: false,
  parse(value) {
    const remedy = 'Give the address of the Sonar server, such as https://sonarqube.example.com.';
    if (!/^https?:\/\//u.test(value) || !URL.canParse(value))
      return { problem: 'must be an http or https URL', remedy };
    const { username, password } = new URL(value);
    return username === '' && password === ''
      ? { value }
      : { problem: 'must not hold a user name or password', remedy: 'Give the token in `sonar-token` instead.' };
  },
};

/** A token of the Sonar server. */
export const sonarToken = secret('sonar-token');

/** How long to wait for Sonar's background task, in seconds. */
export const sonarTimeout = wholeNumber('sonar-timeout', 1, 21_600, 'seconds');
