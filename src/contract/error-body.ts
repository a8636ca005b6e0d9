import { Type, type Static } from './schema.ts';

/** The body of every error answer (interface, Errors). */
export const errorBody = Type.Object(
  {
    message: Type.String(),
    errors: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
  },
  { description: 'What was wrong, and with which field.' },
);

/** The body of every error answer. */
export type ErrorBody = Static<typeof errorBody>;
