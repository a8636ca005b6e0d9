import type { SonarResults } from '../../contract/attestation.ts';
import { Failure } from '../../runtime/failure.ts';
import { listAt, textAt, valueAt } from '../../runtime/values.ts';
import type { FinishedTask } from './background-task.ts';
import { unexpectedAnswer } from './server-failure.ts';
import type { SonarServer } from './sonar-server.ts';

/** A quality gate with its conditions, in the form of an attestation. */
export type QualityGate = SonarResults['qualityGate'];
type Condition = QualityGate['conditions'][number];

/**
 * Reads the gate as Sonar computed it for the task's analysis. Asked for by the project it would be the gate of now,
 * which a later analysis may have changed.
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
    throw unexpectedAnswer(where, 'JSON that does not hold a quality gate with its conditions');
  }
  return gate;
}

/** The gate of an answer; undefined where the answer does not have Sonar's form. The status is taken as it is. */
export function parseGate(body: unknown): QualityGate | undefined {
  const status = textAt(body, 'projectStatus', 'status');
  const conditions = listAt(body, 'projectStatus', 'conditions').map(parseCondition);
  if (status === undefined || !conditions.every((condition) => condition !== undefined)) return undefined;
  return { status, conditions };
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

/**
 * The name of the gate that is assigned to the project now: Sonar keeps none with the analysis. Only tokens that may
 * browse are told, and the attestation is complete without it, so that no failure here matters.
 */
export async function readGateName(
  server: SonarServer,
  task: FinishedTask,
  organization: string | undefined,
): Promise<string | undefined> {
  try {
    const answer = await server.ask({
      path: 'api/qualitygates/get_by_project',
      // The cloud wants to know the organization, and other servers pass over it.
      query: { project: task.projectKey, organization },
      permission: 'Browse',
      isBestEffort: true,
    });
    return answer.ok ? textAt(answer.body, 'qualityGate', 'name') : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
