import type { MultipartBody } from './endpoint.ts';
import { maximumTemplateBytes } from './limits.ts';

/** The file part of a template, without whether it is required. */
export const templateFilePart = {
  part: 'template_file',
  maximumBytes: maximumTemplateBytes,
  tooLarge: {
    status: 413,
    message: `The template file exceeds ${maximumTemplateBytes / 1024} KiB`,
    when: `The file has more than ${maximumTemplateBytes} bytes.`,
  },
} as const satisfies Omit<MultipartBody['file'], 'required'>;
