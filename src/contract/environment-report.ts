import { defineEndpoint, noQuery, type Choice } from './endpoint.ts';
import { invalidReport, reportedImages, reportK8s, type EnvironmentKind } from './environment.ts';
import { maximumReportBytes, maximumReportValues } from './limits.ts';
import { Type, type TSchema } from './schema.ts';
import { lineText } from './text-fields.ts';

/*
 * Reports of what runs in environments of all kinds but `K8S`, which operation 3 reports, and `logical`, which shows
 * what runs in its members.
 */

/** What one kind of environment reports beyond the images. */
interface ReportFields<Own extends Readonly<Record<string, TSchema>>> {
  readonly kind: EnvironmentKind;
  /** What an element of `artifacts` is. */
  readonly element: string;
  /** The fields of an element. */
  readonly own: Own;
  /** The fields that name an instance: the first that is present. Without any, every element is an instance. */
  readonly named: readonly (keyof Own & string)[];
  /** The fields of the document beside `artifacts`. */
  readonly document?: Readonly<Record<string, TSchema>>;
}

function defineReport<const Own extends Readonly<Record<string, TSchema>>>(report: ReportFields<Own>) {
  const { kind, element, own, named, document = {} } = report;
  const artifact = Type.Object({ ...reportedImages, ...own }, { additionalProperties: false });
  const endpoint = defineEndpoint({
    origin: 'observed',
    title: `Report ${kind} environment`,
    method: 'PUT',
    path: `/environments/{org}/{env_name}/report/${kind}`,
    parameters: reportK8s.parameters,
    query: noQuery,
    body: {
      kind: 'json',
      schema: Type.Object({ ...document, artifacts: Type.Array(artifact) }, { additionalProperties: false }),
      maximumBytes: maximumReportBytes,
      maximumValues: maximumReportValues,
    },
    repetition: { effect: 'idempotent' },
    success: reportK8s.success,
    errors: [invalidReport, ...reportK8s.errors.filter(({ status }) => status !== invalidReport.status)],
    authentication: ['bearer'],
    choices: [instanceChoice(element, named)],
  });
  return { kind, named, endpoint } as const;
}

function instanceChoice(element: string, named: readonly string[]): Choice {
  const fields = named.map((field) => `\`${field}\``).join(', else ');
  return {
    subject: 'an instance of an artifact',
    choice:
      named.length === 0
        ? `each image of each ${element}; its other rules are those of operation 3`
        : `each image of each ${element}, named by ${fields}; one that is listed twice counts once; its other rules are those of operation 3`,
    source: "the public client's requests",
  };
}

/** The kinds of environments with a report of their own, by what an element of the report is. */
export const reportKinds = [
  defineReport({ kind: 'server', element: 'path', own: {}, named: [] }),
  defineReport({ kind: 'docker', element: 'container', own: {}, named: [] }),
  defineReport({
    kind: 'ECS',
    element: 'task',
    own: { taskArn: lineText({ minLength: 1 }), cluster_name: optionalLine(), service_name: optionalLine() },
    named: ['taskArn'],
  }),
  defineReport({ kind: 'lambda', element: 'function', own: {}, named: [] }),
  defineReport({ kind: 'S3', element: 'bucket', own: {}, named: [] }),
  defineReport({
    kind: 'azure-apps',
    element: 'app',
    own: { app_name: lineText({ minLength: 1 }), app_kind: optionalLine(), digests_source: optionalLine() },
    named: ['app_name'],
  }),
  defineReport({
    kind: 'cloud-run',
    element: 'revision or job',
    own: { kind: optionalLine(), serviceName: optionalLine(), revisionName: optionalLine(), jobName: optionalLine() },
    named: ['revisionName', 'jobName', 'serviceName'],
    document: { type: Type.Optional(Type.Literal('cloud-run')) },
  }),
] as const;

function optionalLine() {
  return Type.Optional(Type.Union([lineText(), Type.Null()]));
}
