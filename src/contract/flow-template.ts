import { created, defineEndpoint, ok } from './endpoint.ts';
import { additionErrors } from './errors.ts';
import { visibility } from './flow.ts';
import { maximumDocumentBytes } from './limits.ts';
import { flowName } from './names.ts';
import { strictObject, Type } from './schema.ts';
import { templateFilePart } from './template-file.ts';
import { addressText, longText } from './text-fields.ts';

/** A flow as it is created or updated with a template file, the JSON part (observed on the wire). */
export const flowWithFile = strictObject({
  name: flowName,
  description: longText(),
  visibility: Type.Optional(Type.Union([visibility, Type.Null()])),
  repo_url: Type.Optional(Type.Union([addressText(), Type.Null()])),
});

export const createFlowFromFile = defineEndpoint('PUT /flows/{org}/template_file', {
  operation: 'create-flow',
  origin: 'observed',
  title: 'Create or update flow with a template file',
  body: {
    kind: 'multipart',
    json: { part: 'data_json', schema: flowWithFile, maximumBytes: maximumDocumentBytes },
    file: { ...templateFilePart, required: true },
  },
  repetition: { effect: 'idempotent' },
  success: [created('The flow was created.'), ok('The flow was updated.')],
  errors: [...additionErrors, templateFilePart.tooLarge],
});
