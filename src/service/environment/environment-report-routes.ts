import { reportKinds } from '../../contract/environment-report.ts';
import { invalidReport, reportK8s, type EnvironmentKind } from '../../contract/environment.ts';
import { environmentNotFound } from '../../contract/errors.ts';
import { maximumReportedImages } from '../../contract/limits.ts';
import { textAt } from '../../runtime/untrusted-data.ts';
import * as environments from './environment-use-cases.ts';
import {
  podsToElements,
  toRunningArtifacts,
  type ReportedElement,
  type RunningArtifact,
} from '../snapshot/running-artifact.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';

/** Adds operation 3 and the reports of all other kinds of environments. */
export function addEnvironmentReportRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, reportK8s, requireRole(dependencies, 'report'), ({ parameters, document, carryOut }) => {
    const report = toReport(parameters, 'K8S', podsToElements(document));
    return carryOut(respond, (request) => environments.recordReport(dependencies, report, request));
  });

  for (const { kind, named, endpoint } of reportKinds) {
    addRoute(host, endpoint, requireRole(dependencies, 'report'), ({ parameters, document, carryOut }) => {
      const report = toReport(parameters, kind, toElements(document.artifacts, named));
      return carryOut(respond, (request) => environments.recordReport(dependencies, report, request));
    });
  }
}

/** What the reports of all kinds have in common. */
interface ImagesOfElement {
  readonly creationTimestamp: number;
  readonly digests: Readonly<Record<string, string>>;
}

function toElements(elements: readonly ImagesOfElement[], named: readonly string[]): readonly ReportedElement[] {
  return elements.map((element) => {
    const { digests, creationTimestamp: createdAt } = element;
    const [pod = ''] = named.flatMap((field) => textAt(element, field) ?? []);
    return { digests, instance: { namespace: '', pod, createdAt } };
  });
}

/** @throws ApiError if the report has too many images. */
function toReport(
  { org, env_name: environment }: { readonly org: string; readonly env_name: string },
  kind: EnvironmentKind,
  elements: readonly ReportedElement[],
): environments.EnvironmentReport {
  const artifacts: readonly RunningArtifact[] = toRunningArtifacts(elements);
  if (artifacts.length > maximumReportedImages) {
    const rule = `must not have more than ${maximumReportedImages} images, by name and digest`;
    throw new ApiError(invalidReport, { errors: [['artifacts', rule]] });
  }
  return { org, environment, kind, artifacts };
}

/** @throws ApiError if the report was not recorded. */
function respond(recorded: environments.RecordReportResult): { readonly status: 200 | 201; readonly body: string } {
  switch (recorded.outcome) {
    case 'snapshot made':
      return { status: 201, body: 'OK' };
    case 'nothing new':
      return { status: 200, body: 'OK' };
    case 'environment not found':
      throw new ApiError(environmentNotFound);
    case 'of another kind': {
      const rule = `is an environment of the type ${recorded.kind}, and this is a report of ${recorded.reported}`;
      throw new ApiError(invalidReport, { errors: [['path.env_name', rule]] });
    }
  }
}
