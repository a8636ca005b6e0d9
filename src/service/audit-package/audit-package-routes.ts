import type { Readable } from 'node:stream';
import { artifactNotFound } from '../../contract/artifact.ts';
import {
  getArtifactPackage,
  getEnvironmentPackage,
  getFlowPackage,
  getTrailPackage,
} from '../../contract/audit-package.ts';
import { namedEnvironmentNotFound, namedFlowNotFound } from '../../contract/errors.ts';
import type { Static, TObject } from '../../contract/schema.ts';
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
  const create = (request: PackageRequest): Promise<StreamedResponse> => createPackage(dependencies, limit, request);
  const mayRead = requireRole(dependencies, 'read');
  addRoute(host, getTrailPackage, mayRead, ({ parameters, ...request }) =>
    create({ ...request, subject: toTrailSubject(parameters) }),
  );
  addRoute(host, getArtifactPackage, mayRead, ({ parameters, ...request }) =>
    create({ ...request, subject: toArtifactSubject(parameters) }),
  );
  addRoute(host, getFlowPackage, mayRead, ({ parameters, query, ...request }) =>
    create({ ...request, subject: toFlowSubject(parameters, requireSpan(query)) }),
  );
  addRoute(host, getEnvironmentPackage, mayRead, ({ parameters, query, ...request }) =>
    create({ ...request, subject: toEnvironmentSubject(parameters, requireSpan(query)) }),
  );

  const pages = createPageHost(host, dependencies);
  const addPackagePage = <Path extends TObject>(
    url: string,
    path: Path,
    toSubject: (parameters: Static<Path>, span: Span) => PackageSubject,
  ): void => {
    addAuthenticated(pages, `${url}/audit-package`, mayRead, async (request, reply, caller) => {
      const span = requireSpan(readDays(validateQuery<typeof daysQuery>(daysQuery, request.query)));
      const subject = toSubject(validatePath<Path>(path, request.params), span);
      return (await create({ caller, subject, signal: request.signal })).send(reply);
    });
  };
  const flow = '/:org/flows/:flow_name';
  addPackagePage(`${flow}/trails/:trail_name`, getTrailPackage.parameters, toTrailSubject);
  addPackagePage(`${flow}/artifacts/:fingerprint`, getArtifactPackage.parameters, toArtifactSubject);
  addPackagePage(flow, getFlowPackage.parameters, toFlowSubject);
  addPackagePage('/:org/environments/:env_name', getEnvironmentPackage.parameters, toEnvironmentSubject);
}

const toTrailSubject = (path: Static<typeof getTrailPackage.parameters>): PackageSubject => ({
  kind: 'trail',
  flow: path.flow_name,
  trail: path.trail_name,
});

const toArtifactSubject = (path: Static<typeof getArtifactPackage.parameters>): PackageSubject => ({
  kind: 'artifact',
  flow: path.flow_name,
  fingerprint: path.fingerprint,
});

const toFlowSubject = (path: Static<typeof getFlowPackage.parameters>, span: Span): PackageSubject => ({
  kind: 'flow',
  flow: path.flow_name,
  ...span,
});

const toEnvironmentSubject = (path: Static<typeof getEnvironmentPackage.parameters>, span: Span): PackageSubject => ({
  kind: 'environment',
  environment: path.env_name,
  ...span,
});

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
