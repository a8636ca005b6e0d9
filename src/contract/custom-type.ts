import { customTypeArchived, customTypeMissing } from './attestations/custom.ts';
import { created, defineEndpoint, ok } from './endpoint.ts';
import { accessErrors, additionErrors, fileTooLarge } from './errors.ts';
import { maximumDocumentBytes, maximumExpressionLength, maximumExpressions, maximumFileBytes } from './limits.ts';
import { customTypeName } from './names.ts';
import { type Static, strictObject, Type } from './schema.ts';
import { lineText, longText } from './text-fields.ts';

const expression = Type.String({ minLength: 1, maxLength: maximumExpressionLength });

const evaluator = strictObject({
  content_type: Type.Literal('jq'),
  rules: Type.Array(expression, { maxItems: maximumExpressions, description: 'Each must give `true`.' }),
});

const summaryEntry = strictObject({ name: Type.String({ minLength: 1, maxLength: 100 }), expression });

/** The JSON part of a custom type (observed on the wire). */
export const customTypePayload = strictObject({
  name: customTypeName,
  description: Type.Optional(longText()),
  evaluator: Type.Optional(Type.Union([evaluator, Type.Null()])),
  summary: Type.Optional(
    Type.Union([
      Type.Array(summaryEntry, { maxItems: maximumExpressions, description: 'What is shown of the evidence.' }),
      Type.Null(),
    ]),
  ),
});

/** What a custom type evaluates, in jq. */
export interface CustomTypeRules {
  readonly rules: readonly string[];
  readonly summary: readonly Static<typeof summaryEntry>[];
}

const customTypeVersion = Type.Object({
  version: Type.Integer(),
  timestamp: Type.Number({ description: 'Unix seconds.' }),
  created_by: Type.String(),
  type_schema: Type.Optional(
    Type.String({
      description:
        'The JSON Schema as it was sent. It and the next two fields are absent in lists and in old, long versions.',
    }),
  ),
  evaluator: Type.Optional(evaluator),
  summary: Type.Optional(Type.Union([Type.Array(summaryEntry), Type.Null()])),
});

/** A custom type with its versions, the latest last. */
export const customType = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  org: Type.String(),
  archived: Type.Boolean(),
  created_by: Type.Optional(
    Type.String({ description: 'It and the next two fields are absent if one version was asked for.' }),
  ),
  created_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
  last_modified_at: Type.Optional(Type.Number({ description: 'Unix seconds.' })),
  versions: Type.Array(customTypeVersion),
});

export type CustomTypeResponse = Static<typeof customType>;

/** The response if a custom type has no such version (read in the public client's tests). */
export const customTypeVersionMissing = {
  status: 404,
  message: "version {version} does not exist for custom attestation type '{name}'",
  when: 'The custom type has no version of that number.',
} as const;

export const createCustomType = defineEndpoint('POST /custom-attestation-types/{org}', {
  origin: 'observed',
  title: 'Create custom attestation type',
  body: {
    kind: 'multipart',
    json: { part: 'data_json', schema: customTypePayload, maximumBytes: maximumDocumentBytes },
    file: { part: 'type_schema', required: false, maximumBytes: maximumFileBytes, tooLarge: fileTooLarge },
  },
  repetition: {
    effect: 'appends',
    volatile: [],
    isHarmlessTwice: true,
    remedy: 'Send it again; a second identical version does no harm.',
  },
  success: [created('The version was created, and the type if it is new.')],
  errors: [...additionErrors, fileTooLarge],
});

export const listCustomTypes = defineEndpoint('GET /custom-attestation-types/{org}', {
  origin: 'observed',
  title: 'List custom attestation types',
  success: [ok('All that are not archived, sorted by name.', Type.Array(customType))],
});

export const getCustomType = defineEndpoint('GET /custom-attestation-types/{org}/{type_name}', {
  origin: 'observed',
  title: 'Get custom attestation type',
  query: strictObject({
    version: Type.Optional(
      lineText({ description: 'Only this version; all of them if it is not a number.', maxLength: 20 }),
    ),
  }),
  success: [ok('The custom type.', customType)],
  errors: [...accessErrors, customTypeMissing, customTypeArchived, customTypeVersionMissing],
});

export const archiveCustomType = defineEndpoint('PUT /custom-attestation-types/{org}/{type_name}/archive', {
  origin: 'observed',
  title: 'Archive custom attestation type',
  repetition: { effect: 'idempotent' },
  success: [ok('The type can no longer be used.')],
  errors: [...accessErrors, customTypeMissing],
});
