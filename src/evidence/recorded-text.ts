import { truncate } from '../runtime/truncate.ts';

/** Truncates a text, and replaces what the service refuses in texts: NUL and lone surrogates. */
export function toRecordedText(text: string, maximumLength: number): string {
  return truncate(text, maximumLength).replaceAll('\0', '\uFFFD').toWellFormed();
}
