import { type Static, Type } from '../../../contract/schema.ts';
import { isoSeconds } from '../../../contract/snapshot-expression.ts';
import { validationError } from '../server/errors/api-error.ts';

/** In Unix seconds, both ends included. */
export interface Span {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A form sends an empty text for no date. Days are in UTC. */
const day = Type.Optional(Type.String({ pattern: '^(?:\\d{4}-\\d\\d-\\d\\d)?$' }));
export const daysQuery = Type.Object({ from: day, to: day });

/** Reads the days of a form, from the first second to the last. */
export function readDays({ from, to }: Static<typeof daysQuery>): Required<Span> {
  const read = (name: string, text: string | undefined, time: string): number | undefined => {
    if (text === undefined || text === '') return undefined;
    const seconds = isoSeconds(`${text}T${time}Z`);
    if (seconds === undefined) throw validationError([`query.${name}`, 'must be a day of the calendar']);
    return seconds;
  };
  return { from: read('from', from, '00:00:00'), to: read('to', to, '23:59:59') };
}

/** @throws ApiError if the span ends before it begins */
export function requireSpan<Given extends Span>(span: Given): Given {
  const { from = 0, to = Infinity } = span;
  if (from > to) throw validationError(['query.to', 'must not be before from']);
  return span;
}
