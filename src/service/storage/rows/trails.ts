import type { FileTemplate } from '../../domain/template/template.ts';
import { text, type Row } from '../rows.ts';

/** Parses a trail's own template in a row; it was written by this service. */
export function toFileTemplate(row: Row): FileTemplate {
  return JSON.parse(text(row, 'template')) as FileTemplate;
}
