import type { RememberedAnswer } from '../remembered-answers.ts';
import { number, text, type Row } from '../rows.ts';

/** Converts a row to a remembered answer. */
export function toRememberedAnswer(row: Row): RememberedAnswer {
  return {
    digest: text(row, 'digest'),
    answeredAt: number(row, 'answered_at'),
    status: number(row, 'status'),
    body: text(row, 'body'),
  };
}
