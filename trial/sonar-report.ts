/** A report in the shape of Sonar's webhook payload, which a job can save and attest. */
export function webhookReport(revision: string, status: 'OK' | 'ERROR', coverage: string): unknown {
  return {
    serverUrl: 'https://sonarqube.example.com',
    taskId: 'AVh21JS2JepAEhwQ-b3u',
    status: 'SUCCESS',
    analysedAt: '2026-11-18T10:46:28+0100',
    revision,
    project: { key: 'web', name: 'Web', url: 'https://sonarqube.example.com/dashboard?id=web' },
    branch: { name: 'main', type: 'BRANCH', isMain: true },
    qualityGate: {
      name: 'Sonar way',
      status,
      conditions: [
        { metric: 'new_coverage', operator: 'LESS_THAN', errorThreshold: '80', status, value: coverage },
        { metric: 'new_security_rating', operator: 'GREATER_THAN', errorThreshold: '1', status: 'OK', value: '1' },
      ],
    },
  };
}
