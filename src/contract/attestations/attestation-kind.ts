import type { Verdict } from '../compliance.ts';
import {
  created,
  defineEndpoint,
  type Endpoint,
  type EndpointOperation,
  type MultipartBody,
  ok,
  type Success,
} from '../endpoint.ts';
import { additionErrors, type ErrorResponse, fileTooLarge, flowNotFound } from '../errors.ts';
import { maximumDocumentBytes, maximumFileBytes } from '../limits.ts';
import { flowName, orgName, trailName } from '../names.ts';
import type { Fault } from '../reason.ts';
import { type Static, type TObject, type TSchema, type TString, Type } from '../schema.ts';
import { volatileFields } from './attestation-fields.ts';

/** The verdict on an attestation. */
export interface AttestationJudgement {
  readonly verdict: Verdict;
  /** The reason, without a full stop: `the quality gate is ERROR`. */
  readonly reason: string;
  /** What keeps it from being compliant, the most important first; empty exactly if it is compliant. */
  readonly faults: readonly Fault[];
}

const parameters = Type.Object({ org: orgName, flow_name: flowName, trail_name: trailName });

/** The endpoint that records attestations of one kind. */
export interface AttestationEndpoint<Schema extends TSchema> extends Endpoint {
  readonly operation: EndpointOperation;
  readonly parameters: typeof parameters;
  readonly body: MultipartBody<Schema>;
  readonly success: readonly Success<TString>[];
}

/**
 * A kind of attestation: its wire form, and its verdict rule. `judge` is a method, which TypeScript compares
 * bivariantly, so that kinds with different documents fit in one list.
 */
export interface AttestationKind<Name extends string = string, Schema extends TSchema = TObject> {
  /** Its name in paths. */
  readonly name: Name;
  /** What templates, policies and responses (`attestation_type`) call its evidence. */
  readonly types: readonly string[];
  /** Returns which of the types a document has. */
  typeOf(document: Static<Schema>): string;
  readonly endpoint: AttestationEndpoint<Schema>;
  /** Both sides use it: the service records the verdict, and the action reports it. */
  judge(document: Static<Schema>): AttestationJudgement;
  /** Whether only the service knows the rules. Then `judge` says what is known without its record. */
  readonly isJudgedByService: boolean;
}

/** What differs between the kinds. */
interface KindDeclaration<Name extends string, Schema extends TSchema> {
  readonly name: Name;
  /** Absent if the only type is the name. */
  readonly types?: readonly string[];
  readonly typeOf?: (document: Static<Schema>) => string;
  readonly operation: EndpointOperation;
  /** The operation's number in the interface; absent for kinds that the interface does not show. */
  readonly number?: number;
  readonly title: string;
  /** The schema of `data_json`; see `attestationDocument`. */
  readonly document: Schema;
  readonly judge: (document: Static<Schema>) => AttestationJudgement;
  readonly isJudgedByService?: boolean;
  readonly errors?: readonly ErrorResponse[];
}

export const artifactNotInTrail = {
  status: 404,
  message:
    'Artifact with fingerprint {fingerprint} does not exist in trail "{trail}" of flow "{flow}" belonging to organization "{org}"',
  when: '`artifact_fingerprint` is not the fingerprint of an artifact that was reported to the trail.',
} as const;

/**
 * Declares a kind of attestation. All kinds have the same wire form except for some fields of `data_json`. The routes of
 * the service and the calls of the client come from the declaration.
 */
export function defineAttestationKind<const Name extends string, Schema extends TSchema>(
  declaration: KindDeclaration<Name, Schema>,
): AttestationKind<Name, Schema> {
  const { name, types = [name], typeOf = () => name, operation, number, title, document, judge } = declaration;
  const { isJudgedByService = false, errors = [] } = declaration;
  // Not its exact type: TypeScript cannot take apart a route that depends on a type parameter.
  const route: `POST /${string}` = `POST /attestations/{org}/{flow_name}/trail/{trail_name}/${name}`;
  return {
    ...{ name, types, typeOf },
    endpoint: defineEndpoint(route, {
      operation,
      ...(number === undefined ? { origin: 'observed' } : { number }),
      title,
      parameters,
      body: {
        kind: 'multipart',
        json: { part: 'data_json', schema: document, maximumBytes: maximumDocumentBytes },
        file: { part: 'attachment_file', required: false, maximumBytes: maximumFileBytes, tooLarge: fileTooLarge },
      },
      repetition: {
        effect: 'appends',
        volatile: volatileFields,
        recordedIn: 'attestation list',
        isHarmlessTwice: true,
        remedy:
          'Run the job again unless the trail shows the attestation; a second one of the same name does no harm, because the latest counts.',
      },
      success: [created('The attestation was recorded.'), ok('The attestation was recorded.')],
      errors: [...additionErrors, flowNotFound, artifactNotInTrail, fileTooLarge, ...errors],
    }),
    ...{ judge, isJudgedByService },
  };
}
