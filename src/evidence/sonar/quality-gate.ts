import type { SonarResults } from '../../contract/attestations/sonar.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import { unexpectedSonarResponse } from './server/server-failure.ts';
import type { SonarServer } from './server/sonar-server.ts';

export type QualityGate = SonarResults['qualityGate'];
type Condition = QualityGate['conditions'][number];

/**
 * Reads a gate: the one that Sonar computed for an analysis, because a later analysis may have changed the current gate
 * of its project; or the current gate of a pull request, whose analyses Sonar does not list: the caller has to check
 * that no later analysis changed it meanwhile. The result has no name: Sonar does not store one with the analysis, and
 * only returns the gate that the project uses now (`api/qualitygates/get_by_project`), which may be a different one.
 *
 * @throws the failure of the response if it is not a success
 */
export async function readQualityGate(
  server: SonarServer,
  query: { readonly analysisId: string } | { readonly projectKey: string; readonly pullRequest: string },
): Promise<QualityGate> {
  const answer = await server.ask({ path: 'api/qualitygates/project_status', query });
  if (!answer.ok) throw answer.failure;
  const gate = parseGate(answer.body);
  if (gate === undefined) {
    const where = { url: answer.url, address: server.address };
    throw unexpectedSonarResponse(where, 'JSON without a quality gate and its conditions');
  }
  return gate;
}

/** Parses the gate in a response; undefined if the response does not have Sonar's format. The status is not checked. */
function parseGate(body: unknown): QualityGate | undefined {
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
  return omitUndefined({ metric, operator, errorThreshold, status, value });
}

/** Sonar writes figures as strings; a number is accepted, too. */
function figureAt(condition: unknown, key: string): string | undefined {
  const figure = valueAt(condition, key);
  return typeof figure === 'number' ? String(figure) : textAt(condition, key);
}
