import { isMapping } from '../../src/runtime/untrusted-data.ts';
import type { SonarState } from './fake-sonar.ts';

/** The commit of the analysis below. */
export const analysedCommit = 'c739069ec7105e01303e8b3065a81141aad9f129';

/** A finished analysis of the main branch with a passed gate, as a server stores it. Ids and dates are from Sonar. */
export function finishedAnalysis(revision: string = analysedCommit): Partial<SonarState> {
  return {
    tasks: { [taskId]: [finishedTask()] },
    gates: {
      [analysisId]: {
        status: 'OK',
        ignoredConditions: false,
        caycStatus: 'compliant',
        conditions: [
          {
            status: 'OK',
            metricKey: 'new_coverage',
            comparator: 'LT',
            errorThreshold: '80',
            actualValue: '82.50562381034781',
          },
          { status: 'OK', metricKey: 'reopened_issues', comparator: 'GT', actualValue: '0' },
        ],
      },
    },
    analyses: [{ project: projectKey, key: analysisId, date: '2023-05-25T10:34:19+0200', revision }],
  };
}

/** The project of the analysis above. */
export const projectKey = 'acme:widgets';
/** The background task of the analysis above. */
export const taskId = 'AYhSC2-LY0CHkWJxvNA9';
/** The analysis above. */
export const analysisId = 'AYhSC3WDE6ILQDIMAPIp';

/** The background task above when it has finished, with these changes. */
export function finishedTask(other: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: taskId,
    type: 'REPORT',
    componentKey: projectKey,
    componentName: 'Widgets',
    componentQualifier: 'TRK',
    analysisId,
    status: 'SUCCESS',
    submittedAt: '2023-05-25T10:34:21+0200',
    startedAt: '2023-05-25T10:34:22+0200',
    executedAt: '2023-05-25T10:34:25+0200',
    executionTimeMs: 2840,
    hasScannerContext: true,
    warningCount: 0,
    warnings: [],
    ...other,
  };
}

/** The committer date of the commit above in Unix seconds, a few minutes before the report was submitted. */
export const committedAt = Date.parse('2023-05-25T10:30:00+02:00') / 1000;

/** The scanner context if this revision was set explicitly, in the format of Sonar's scanner engine. */
export function scannerContext(revision: string): string {
  return [
    'SonarQube plugins:',
    '  - IaC Code Quality and Security 1.27.0.9518 (iac)',
    'Global server settings:',
    '  - sonar.core.id=BF41A1F2-AZx',
    '  - sonar.core.startTime=2023-05-25T08:00:00+0000',
    'Project server settings:',
    'Project scanner properties:',
    '  - sonar.host.url=http://localhost:9000',
    `  - sonar.projectKey=${projectKey}`,
    `  - sonar.scm.revision=${revision}`,
    '  - sonar.sources=src',
    'Scanner properties of module: acme:widgets:core',
    '  - sonar.projectKey=acme:widgets:core',
    '',
  ].join('\n');
}

/** The background task above before it has finished. */
export function unfinishedTask(status: 'PENDING' | 'IN_PROGRESS'): Record<string, unknown> {
  return {
    id: taskId,
    type: 'REPORT',
    componentKey: projectKey,
    componentName: 'Widgets',
    status,
    submittedAt: '2023-05-25T10:34:21+0200',
  };
}

/** The `report-task.txt` of the analysis above, with these changes. Undefined removes a key. */
export function reportText(serverUrl: string, other: Readonly<Record<string, string | undefined>> = {}): string {
  const values: Readonly<Record<string, string | undefined>> = {
    projectKey,
    serverUrl,
    serverVersion: '10.6.0.92116',
    dashboardUrl: `${serverUrl}/dashboard?id=acme%3Awidgets`,
    ceTaskId: taskId,
    ceTaskUrl: `${serverUrl}/api/ce/task?id=${taskId}`,
    ...other,
  };
  return Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}\n`]))
    .join('');
}

/** The body of Sonar's webhook (Sonar's documentation of webhooks). */
export function webhookPayload(): Record<string, unknown> {
  return {
    serverUrl: 'http://localhost:9000',
    taskId: 'AVh21JS2JepAEhwQ-b3u',
    status: 'SUCCESS',
    analysedAt: '2016-11-18T10:46:28+0100',
    revision: analysedCommit,
    project: { key: 'myproject', name: 'My Project', url: 'https://mycompany.com/sonarqube/dashboard?id=myproject' },
    properties: {},
    qualityGate: {
      conditions: [
        {
          errorThreshold: '1',
          metric: 'new_security_rating',
          onLeakPeriod: true,
          operator: 'GREATER_THAN',
          status: 'OK',
          value: '1',
        },
        {
          errorThreshold: '80',
          metric: 'new_coverage',
          onLeakPeriod: true,
          operator: 'LESS_THAN',
          status: 'NO_VALUE',
        },
      ],
      name: 'SonarQube way',
      status: 'OK',
    },
  };
}

/** The body of Sonar's webhook for an analysis of this commit, with this status of the quality gate. */
export function webhookPayloadWith(status: string, revision: string): Record<string, unknown> {
  const payload = webhookPayload();
  const gate = payload['qualityGate'];
  return { ...payload, revision, qualityGate: { ...(isMapping(gate) ? gate : {}), status } };
}
