import type { SonarResults } from '../../contract/attestation.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { FinishedTask } from './background-task.ts';
import { unexpectedSonarResponse } from './server/server-failure.ts';
import type { SonarServer } from './server/sonar-server.ts';

/** A quality gate with its conditions, in the form of an attestation. */
export type QualityGate = SonarResults['qualityGate'];
type Condition = QualityGate['conditions'][number];

/**
 * Reads the gate as Sonar computed it for the task's analysis. Asked for by the project it would be the gate of now,
 * which a later analysis may have changed. It has no name: Sonar keeps none with the analysis, and only tells which gate
 * the project uses now (`api/qualitygates/get_by_project`), which may be another one than judged.
 *
 * @throws the failure of any answer but success
 */
export async function readQualityGate(server: SonarServer, task: FinishedTask): Promise<QualityGate> {
  const answer = await server.ask({
    path: 'api/qualitygates/project_status',
    query: { analysisId: task.analysisId },
    permission: 'Browse',
  });
  if (!answer.ok) throw answer.failure;
  const gate = parseGate(answer.body);
  if (gate === undefined) {
    const where = { url: answer.url, address: server.address };
    throw unexpectedSonarResponse(where, 'JSON that does not hold a quality gate with its conditions');
  }
  return gate;
}

/** The gate of an answer; undefined if the answer does not have Sonar's form. The status is taken as it is. */
export function parseGate(body: unknown): QualityGate | undefined {
  const status = textAt(body, 'projectStatus', 'status');
  const conditions = listAt(body, 'projectStatus', 'conditions').map(parseCondition);
  if (status === undefined || !conditions.every((condition) => condition !== undefined)) return undefined;
  const ignoredConditions = valueAt(body, 'projectStatus', 'ignoredConditions') === true;
  return { status, ...(ignoredConditions ? { ignoredConditions } : {}), conditions };
}

function parseCondition(condition: unknown): Condition | undefined {
  const metric = textAt(condition, 'metricKey');
  const status = textAt(condition, 'status');
  if (metric === undefined || status === undefined) return undefined;
  const operator = textAt(condition, 'comparator');
  const errorThreshold = figureAt(condition, 'errorThreshold');
  const value = figureAt(condition, 'actualValue');
  return {
    metric,
    ...(operator === undefined ? {} : { operator }),
    ...(errorThreshold === undefined ? {} : { errorThreshold }),
    status,
    ...(value === undefined ? {} : { value }),
  };
}

/** Sonar writes figures as texts; a number would mean the same. */
function figureAt(condition: unknown, key: string): string | undefined {
  const figure = valueAt(condition, key);
  return typeof figure === 'number' ? String(figure) : textAt(condition, key);
}
