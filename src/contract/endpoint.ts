import { isObject } from './check.ts';
import { accessErrors, type ErrorResponse } from './errors.ts';
import type { FieldPath } from './idempotency.ts';
import { pathParameters } from './names.ts';
import {
  type Static,
  strictObject,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  Type,
} from './schema.ts';

/** The sixteen operations of `interface.md`, in its order; a workflow author types these names. */
export const operationNames = [
  'create-flow',
  'create-environment',
  'report-k8s',
  'attach-policy',
  'detach-policy',
  'create-policy',
  'attest-sonar',
  'get-notification',
  'list-attestations',
  'get-artifact',
  'diff-environments',
  'list-snapshots',
  'list-service-accounts',
  'get-service-account',
  'delete-service-account',
  'set-default-org',
] as const;

export type OperationName = (typeof operationNames)[number];

/** The operations of the action whose endpoints the interface does not have. */
export const addedOperationNames = [
  'begin-trail',
  'attest-artifact',
  'attest-generic',
  'attest-junit',
  'attest-pull-request',
  'attest-scan',
  'attest-sbom',
  'attest-issue',
  'attest-custom',
  'assert-artifact',
  'assert-trail',
] as const;

/** The name of an operation that calls one endpoint. */
export type EndpointOperation = OperationName | (typeof addedOperationNames)[number];

/** The two ways to authenticate (interface, Authentication). */
export type AuthenticationMethod = 'bearer' | 'basic';

export interface Success<Schema extends TSchema = TSchema> {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: Schema;
  /** Absent for `application/json`. */
  readonly mediaType?: string;
}

/** A response 200, with any text unless a schema is given. */
export function ok(description: string): Success<TString>;
export function ok<Schema extends TSchema>(description: string, schema: Schema): Success<Schema>;
export function ok(description: string, schema: TSchema = Type.String()): Success {
  return { status: 200, description, schema };
}

/** A response 201, with any text unless a schema is given. */
export function created(description: string): Success<TString>;
export function created<Schema extends TSchema>(description: string, schema: Schema): Success<Schema>;
export function created(description: string, schema: TSchema = Type.String()): Success {
  return { status: 201, description, schema };
}

/**
 * Where what a request appends can be found: an attestation in the list of its flow, and an artifact as the latest
 * report to its trail, both by the key in their `user_data` (`idempotencyDataKey`); an upload of a policy as the
 * policy's latest version, by its text.
 */
export type RecordPlace = 'attestation list' | 'artifact' | 'policy versions';

/** What repeating a request does if the service may have carried out the previous one. */
export type Repetition =
  /** Nothing: the request only reads. */
  | { readonly effect: 'safe' }
  /** It sets the same state again. The response may differ: what the first request created, the second updates. */
  | { readonly effect: 'idempotent' }
  /** It records another copy. */
  | {
      readonly effect: 'appends';
      /** The fields of the document that may differ although a request records the same again, as in a re-run job. */
      readonly volatile: readonly FieldPath[];
      /** Where a client looks for the record if it cannot send the request again; absent if it cannot be found. */
      readonly recordedIn?: RecordPlace;
      /** Whether a second copy does no harm, because the newest counts. */
      readonly isHarmlessTwice?: true;
      /** What the user can do if it is unknown whether the request was recorded. */
      readonly remedy: string;
    };

/** A request without a body. */
export interface NoBody {
  readonly kind: 'none';
}

/** A request with one JSON document. */
export interface JsonBody<Schema extends TSchema = TSchema> {
  readonly kind: 'json';
  readonly schema: Schema;
  /** Absent for the default, `maximumDocumentBytes`. */
  readonly maximumBytes?: number;
  /** The maximum number of keys and values; absent for the default, `maximumDocumentValues`. */
  readonly maximumValues?: number;
}

/** The body of a request with a JSON document of these fields. */
export function jsonDocument<const Fields extends TProperties>(fields: Fields): JsonBody<TObject<Fields>> {
  return { kind: 'json', schema: strictObject(fields) };
}

/** A multipart/form-data request: one part with JSON text, and a file. */
export interface MultipartBody<Schema extends TSchema = TSchema> {
  readonly kind: 'multipart';
  readonly json: { readonly part: string; readonly schema: Schema; readonly maximumBytes: number };
  readonly file: {
    /** The plain name; `filePartName` derives the indexed one. */
    readonly part: string;
    readonly required: boolean;
    readonly maximumBytes: number;
    /** The response to a larger file. */
    readonly tooLarge: ErrorResponse;
  };
}

export type Body = NoBody | JsonBody | MultipartBody;

/**
 * One endpoint, declared once for both sides: it types and checks the client, it gives the service its routes,
 * validation and OpenAPI document, and tests compare the documentation with it.
 */
export interface Endpoint {
  /** The operation that calls it; absent for endpoints that no operation is for. */
  readonly operation?: EndpointOperation;
  /** The operation's number in the interface; absent for endpoints that the interface does not have. */
  readonly number?: number;
  /**
   * `observed` if the interface does not have the endpoint, and the public client was seen to use it; absent for the
   * operations of the interface, and for the endpoints that this project defines.
   */
  readonly origin?: 'observed';
  readonly title: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base address, which ends in `/api/v2`; each `{name}` is one segment. */
  readonly path: `/${string}`;
  readonly parameters: TObject;
  readonly query: TObject;
  readonly body: Body;
  readonly repetition: Repetition;
  /** Whether the flow or environment of the path may be archived, although the request changes something. */
  readonly allowsArchived?: true;
  readonly success: readonly Success[];
  readonly errors: readonly ErrorResponse[];
  readonly authentication: readonly AuthenticationMethod[];
  /** Why the endpoint is deprecated and what to use instead; absent if it is not deprecated. */
  readonly deprecated?: string;
  /** The deprecated fields of the document by name, each with what to do instead, as a sentence; absent if none. */
  readonly deprecatedFields?: Readonly<Record<string, string>>;
}

/**
 * Since when everything is deprecated that the interface marks so, in Unix seconds: 2026-01-01T00:00:00Z. RFC 9745
 * requires a date.
 */
export const deprecatedSince = 1_767_225_600;

/** The deprecated fields that a document uses: those that are neither absent nor false. */
export function findDeprecatedFields({ deprecatedFields = {} }: Endpoint, document: unknown): readonly string[] {
  if (!isObject(document)) return [];
  return Object.keys(deprecatedFields).filter((field) => (document[field] ?? false) !== false);
}

/** What most endpoints have in common: a declaration states only what differs. */
const common = {
  query: strictObject({}),
  body: { kind: 'none' },
  repetition: { effect: 'safe' },
  errors: accessErrors,
  authentication: ['bearer'],
} as const satisfies Partial<Endpoint>;

/** The method and the path of an endpoint: `GET /flows/{org}/{flow_name}`. */
type Route = `${Endpoint['method']} ${Endpoint['path']}`;

/** The names in the braces of a route or a path: `'org' | 'flow_name'`. */
type NamesInBraces<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesInBraces<Rest>
  : never;

/** What the route says about its endpoint: the method, the path, and the parameters that are in `pathParameters`. */
type FromRoute<R extends Route> =
  R extends `${infer Method extends Endpoint['method']} ${infer Path extends Endpoint['path']}`
    ? {
        readonly method: Method;
        readonly path: Path;
        readonly parameters: TObject<Pick<typeof pathParameters, NamesInBraces<Path> & keyof typeof pathParameters>>;
      }
    : never;

/** What an endpoint has unless its declaration says otherwise. */
type Defaults<R extends Route> = FromRoute<R> & typeof common;

/**
 * What must or may be said besides the route. A request that changes something must say what its repetition does. A
 * path with a parameter that is not in `pathParameters` must declare its parameters.
 */
type Declaration<R extends Route> = Omit<Endpoint, keyof Defaults<R>> &
  Partial<Pick<Endpoint, 'query' | 'body' | 'errors' | 'authentication' | 'parameters'>> &
  (R extends `GET ${string}` ? { readonly repetition?: never } : Pick<Endpoint, 'repetition'>) &
  (NamesInBraces<R> extends keyof typeof pathParameters ? unknown : Pick<Endpoint, 'parameters'>);

/** Declares an endpoint and keeps its exact type. The parameters of its path are those of `pathParameters` by default. */
export function defineEndpoint<const R extends Route, const Declared extends Declaration<R>>(
  route: R,
  declared: Declared,
): Declared & Omit<Defaults<R>, keyof Declared> {
  const [method, path = ''] = route.split(' ');
  const names = Array.from(path.matchAll(/\{(\w+)\}/gu), ([, name = '']) => name);
  const known = Object.entries(pathParameters).filter(([name]) => names.includes(name));
  const parameters = Type.Object(Object.fromEntries(known));
  // TypeScript does not know the types of the parts of `route`.
  return { ...common, method, path, parameters, ...declared } as unknown as Declared &
    Omit<Defaults<R>, keyof Declared>;
}

export type EndpointParameters<E extends Endpoint> = Static<E['parameters']>;
export type EndpointQuery<E extends Endpoint> = Static<E['query']>;
/** The JSON document of the request: the whole body, or the JSON part of a multipart one. */
export type EndpointDocument<E extends Endpoint> = BodyDocument<E['body']>;
type BodyDocument<Sent extends Body> =
  Sent extends JsonBody<infer Schema>
    ? Static<Schema>
    : Sent extends MultipartBody<infer Schema>
      ? Static<Schema>
      : undefined;

export function documentSchema(body: JsonBody | MultipartBody): TSchema {
  return body.kind === 'json' ? body.schema : body.json.schema;
}

/**
 * The body of a success response as a client sees it. A declared string is unknown: nothing depends on it, so a client
 * accepts any body instead.
 */
export type EndpointResponse<E extends Endpoint> = UnknownIfText<Static<E['success'][number]['schema']>>;
type UnknownIfText<Body> = Body extends string ? unknown : Body;

/** How the file part is named; see `filePartName`. */
export type FilePartStyle = 'indexed' | 'plain';

/**
 * The name of the part that carries the file. The interface names the file parts `attachment_file.0` and
 * `policy_file.0` (`indexed`); the public command-line client sends files under the bare name (`plain`). The service
 * accepts both.
 */
export function filePartName(body: MultipartBody, style: FilePartStyle): string {
  return style === 'indexed' ? `${body.file.part}.0` : body.file.part;
}
