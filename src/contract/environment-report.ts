import { defineEndpoint } from './endpoint.ts';
import { type EnvironmentKind, invalidReport, reportedImages, reportK8s } from './environment.ts';
import { maximumReportBytes, maximumReportValues } from './limits.ts';
import { type Static, strictObject, type TSchema, Type } from './schema.ts';
import { lineText } from './text-fields.ts';

/*
 * Reports of what runs in environments of all kinds but `K8S`, which operation 3 reports, and `logical`, which shows
 * what runs in its members.
 */

/** What one kind of environment reports beyond the images. */
interface ReportFields<Kind extends EnvironmentKind, Own extends Readonly<Record<string, TSchema>>> {
  readonly kind: Kind;
  readonly own: Own;
  /** The fields that name an instance: the first that is present. Without any, every element is an instance. */
  readonly named: readonly (keyof Own & string)[];
  /** The fields of the document beside `artifacts`. */
  readonly document?: Readonly<Record<string, TSchema>>;
}

function defineReport<const Kind extends EnvironmentKind, const Own extends Readonly<Record<string, TSchema>>>(
  report: ReportFields<Kind, Own>,
) {
  const { kind, own, named, document = {} } = report;
  const artifact = strictObject({ ...reportedImages, ...own });
  // Not its exact type: TypeScript cannot take apart a route that depends on a type parameter.
  const route: `PUT /${string}` = `PUT /environments/{org}/{env_name}/report/${kind}`;
  const endpoint = defineEndpoint(route, {
    origin: 'observed',
    title: `Report ${kind} environment`,
    parameters: reportK8s.parameters,
    body: {
      kind: 'json',
      schema: strictObject({ ...document, artifacts: Type.Array(artifact) }),
      maximumBytes: maximumReportBytes,
      maximumValues: maximumReportValues,
    },
    repetition: { effect: 'idempotent' },
    success: reportK8s.success,
    errors: [invalidReport, ...reportK8s.errors.filter(({ status }) => status !== invalidReport.status)],
  });
  return { kind, named, endpoint } as const;
}

/** The kinds of environments with a report of their own. */
export const reportKinds = [
  defineReport({ kind: 'server', own: {}, named: [] }),
  defineReport({ kind: 'docker', own: {}, named: [] }),
  defineReport({
    kind: 'ECS',
    own: { taskArn: lineText({ minLength: 1 }), cluster_name: optionalLine(), service_name: optionalLine() },
    named: ['taskArn'],
  }),
  defineReport({ kind: 'lambda', own: {}, named: [] }),
  defineReport({ kind: 'S3', own: {}, named: [] }),
  defineReport({
    kind: 'azure-apps',
    own: { app_name: lineText({ minLength: 1 }), app_kind: optionalLine(), digests_source: optionalLine() },
    named: ['app_name'],
  }),
  defineReport({
    kind: 'cloud-run',
    own: { kind: optionalLine(), serviceName: optionalLine(), revisionName: optionalLine(), jobName: optionalLine() },
    named: ['revisionName', 'jobName', 'serviceName'],
    document: { type: Type.Optional(Type.Literal('cloud-run')) },
  }),
] as const;

export type ReportKind = (typeof reportKinds)[number];

/** What runs in an environment of one of these kinds. */
export type EnvironmentReport = Static<ReportKind['endpoint']['body']['schema']>;

/** One instance that runs: a task, a function, … */
export type ReportedInstance = EnvironmentReport['artifacts'][number];

function optionalLine() {
  return Type.Optional(Type.Union([lineText(), Type.Null()]));
}
