import { Type } from './schema.ts';

/** The query parameter of lists that leave out what is archived. */
export const archivedQuery = {
  archived: Type.Optional(Type.Boolean({ description: 'True: only what is archived. Default: only what is not.' })),
};

/** The field of what can be archived. */
export const archivedField = Type.Boolean({ description: 'Whether it is archived; creating it again ends that.' });
