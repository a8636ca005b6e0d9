import { isRecordableType, isRequirableType } from '../contract/attestations/attestation-types.ts';
import type { Attachment } from '../evidence/attachment/attachment.ts';
import { prepareTemplateFile, readRequiredAttestations } from '../evidence/template-file.ts';
import type { OperationContext } from './operation.ts';
import { summarizeList } from './sentences.ts';

/** How many attestations a warning names. */
const maximumNames = 5;

/**
 * Gets the template file ready to be sent, and warns of attestations in it that cannot be recorded. Types that nobody
 * knows are refused by the service.
 *
 * @throws UserError if it cannot be read
 */
export async function openTemplate(
  path: string,
  { workspace, temporaryDirectory: temporary, call: { log } }: OperationContext,
): Promise<Attachment | undefined> {
  const template = await prepareTemplateFile(path, { workspace, temporary });
  const required = template === undefined ? [] : await readRequiredAttestations(template);
  const others = required.filter(({ type }) => isRequirableType(type) && !isRecordableType(type));
  if (others.length > 0) {
    const names = summarizeList(
      others.map(({ name, type }) => `${name} (${type})`),
      maximumNames,
      { separator: ', ' },
    );
    log.warning(
      `\`template-file\`: this action cannot record ${names}, so what requires it stays incomplete. Require another type, such as generic, and record it with \`attest-generic\`.`,
    );
  }
  return template;
}
