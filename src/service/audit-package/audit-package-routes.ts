import type { Readable } from 'node:stream';
import { artifactNotFound } from '../../contract/artifact.ts';
import {
  getArtifactPackage,
  getEnvironmentPackage,
  getFlowPackage,
  getTrailPackage,
} from '../../contract/audit-package.ts';
import type { EndpointParameters } from '../../contract/endpoint.ts';
import { namedEnvironmentNotFound, namedFlowNotFound } from '../../contract/errors.ts';
import { trailNotFound } from '../../contract/trail-reading.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { Caller } from '../account/access.ts';
import { requireSigner } from '../log/log-routes.ts';
import { daysQuery, readDays, requireSpan, type Span } from '../platform/pages/days.ts';
import { addAuthenticated, createPageHost } from '../platform/pages/page-host.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { Admission, defaultAdmissionLimits } from '../platform/server/bodies/admission.ts';
import { ApiError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { startDownload, type StreamedResponse } from '../platform/server/streamed-response.ts';
import { validatePath, validateQuery } from '../platform/server/validation.ts';
import type { PackageSubject } from './audit-package.ts';
import { createPackageFiles } from './audit-package-response.ts';
import { findSubject, readPackagedLog, RenamedMeanwhileError } from './audit-package-use-cases.ts';
import { zipFiles } from './zip-response.ts';

/** How many packages of an organization are sent at the same time. */
const maximumPackages = 2;

interface PackageRequest {
  readonly caller: Caller;
  readonly subject: PackageSubject;
  readonly signal: AbortSignal;
}

export function addAuditPackageRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const limit = new Admission({ ...defaultAdmissionLimits, requests: maximumPackages });
  const mayRead = requireRole(dependencies, 'read');
  const pages = createPageHost(host, dependencies);
  /** Adds the endpoint of a package, and the same for browsers below a page. */
  const addPackage = <E extends PackageEndpoint>(
    endpoint: E,
    page: string,
    toSubject: (path: EndpointParameters<E>, span: Span) => PackageSubject,
  ): void => {
    addRoute(host, endpoint, mayRead, ({ caller, parameters, query, signal }) => {
      const subject = toSubject(parameters, requireSpan(query));
      return createPackage(dependencies, limit, { caller, subject, signal });
    });
    addAuthenticated(pages, `${page}/audit-package`, mayRead, async (request, reply, caller) => {
      const span = requireSpan(readDays(validateQuery<typeof daysQuery>(daysQuery, request.query)));
      const subject = toSubject(validatePath<E['parameters']>(endpoint.parameters, request.params), span);
      return (await createPackage(dependencies, limit, { caller, subject, signal: request.signal })).send(reply);
    });
  };
  const flowPage = '/:org/flows/:flow_name';
  addPackage(getTrailPackage, `${flowPage}/trails/:trail_name`, ({ flow_name: flow, trail_name: trail }) => ({
    ...{ kind: 'trail', flow, trail },
  }));
  addPackage(getArtifactPackage, `${flowPage}/artifacts/:fingerprint`, ({ flow_name: flow, fingerprint }) => ({
    ...{ kind: 'artifact', flow, fingerprint },
  }));
  addPackage(getFlowPackage, flowPage, ({ flow_name: flow }, span) => ({ kind: 'flow', flow, ...span }));
  addPackage(getEnvironmentPackage, '/:org/environments/:env_name', ({ env_name: environment }, span) => ({
    ...{ kind: 'environment', environment, ...span },
  }));
}

type PackageEndpoint =
  typeof getTrailPackage | typeof getArtifactPackage | typeof getFlowPackage | typeof getEnvironmentPackage;

/** @throws ApiError if there is no such subject, no signing key, or too many packages are being sent */
async function createPackage(
  dependencies: RouteDependencies,
  limit: Admission,
  { caller, subject, signal }: PackageRequest,
): Promise<StreamedResponse> {
  const { org } = caller;
  const signer = requireSigner(dependencies, org);
  await requireSubject(dependencies, org, subject);
  const open = async (): Promise<Readable> => {
    const log = await readPackagedLog(dependencies, org, signer);
    const at = unixSeconds(dependencies.now());
    const files = createPackageFiles({ dependencies, caller, subject, log, signer, at, signal });
    return zipFiles(files, new Date(at * 1000));
  };
  return startDownload(open, {
    name: toName(subject),
    extension: 'zip',
    type: 'application/zip',
    enter: (output) => {
      limit.enter(org, output);
    },
    failed: (error) => {
      const what = `an audit package of ${org} could not be sent completely`;
      if (error instanceof RenamedMeanwhileError) dependencies.log.info(`${what}: ${error.message}`);
      else dependencies.log.error(what, error);
    },
  });
}

async function requireSubject(dependencies: RouteDependencies, org: string, subject: PackageSubject): Promise<void> {
  const outcome = await findSubject(dependencies, org, subject);
  if (outcome === 'found') return;
  if (subject.kind === 'environment')
    throw new ApiError(namedEnvironmentNotFound, { values: { org, environment: subject.environment } });
  const { flow } = subject;
  if (subject.kind === 'trail' && outcome === 'not found')
    throw new ApiError(trailNotFound, { values: { org, flow_name: flow, trail_name: subject.trail } });
  if (subject.kind === 'artifact' && outcome === 'not found')
    throw new ApiError(artifactNotFound, { values: { org, flow, fingerprint: subject.fingerprint } });
  throw new ApiError(namedFlowNotFound, { values: { org, flow } });
}

function toName(subject: PackageSubject): string {
  const { kind } = subject;
  const name = kind === 'trail' ? subject.trail : kind === 'artifact' ? subject.fingerprint.slice(0, 12) : '';
  const place = kind === 'environment' ? subject.environment : subject.flow;
  return ['audit', place, name].filter((word) => word !== '').join('-');
}
