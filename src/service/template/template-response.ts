import type { UploadedFile } from '../platform/server/bodies/multipart.ts';
import { YamlFileReader } from '../platform/server/bodies/yaml-file-reader.ts';
import { validationError } from '../platform/server/errors/api-error.ts';
import { readTemplate, type TemplateReading } from './read-template.ts';
import { type FileTemplate, isListTemplate, type Template } from './template.ts';

export function createTemplateReader(): YamlFileReader<TemplateReading> {
  return new YamlFileReader(readTemplate, new URL('./read-template.ts', import.meta.url));
}

/** @throws ApiError with the faults of the file */
export async function requireTemplate(
  reader: YamlFileReader<TemplateReading>,
  { content }: UploadedFile,
): Promise<FileTemplate> {
  const reading = await reader.read(content);
  if ('template' in reading) return reading.template;
  // The wording of the service that the public client was made for.
  const errors = reading.faults.length === 1 ? 'error' : 'errors';
  const found = `${reading.faults.length} validation ${errors} for Template`;
  throw validationError(['template_file', [found, ...reading.faults].join('\n')]);
}

/** A template as it was sent: the list, or the text of the file, which begins with its version. */
export function toTemplateResponse(template: Template): string | string[] {
  if (isListTemplate(template)) return [...template];
  // The public client recognizes a file by its beginning.
  return template.text.startsWith('version: ') ? template.text : renderTemplate(template);
}

/** Writes a template as a file, without the comments that it was sent with. */
function renderTemplate({ attestations, artifacts }: FileTemplate): string {
  // JSON values are YAML values.
  const toFields = ({ name, ...fields }: { readonly name: string }, indent: string): readonly string[] => [
    `${indent}- name: ${JSON.stringify(name)}`,
    ...Object.entries(fields).map(([field, value]) => `${indent}  ${field}: ${JSON.stringify(value)}`),
  ];
  const toLines = (list: FileTemplate['attestations'], indent: string): readonly string[] =>
    list.length === 0
      ? [`${indent}attestations: []`]
      : [`${indent}attestations:`, ...list.flatMap((required) => toFields(required, `${indent}  `))];
  const artifactLines = artifacts.flatMap(({ attestations: own, ...artifact }) => [
    ...toFields(artifact, '    '),
    ...toLines(own, '      '),
  ]);
  const listed = artifacts.length === 0 ? ['  artifacts: []'] : ['  artifacts:', ...artifactLines];
  return ['version: 1', 'trail:', ...toLines(attestations, '  '), ...listed, ''].join('\n');
}
