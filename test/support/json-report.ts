import type { JsonReport } from '../../src/evidence/files/json-report.ts';
import { UserError } from '../../src/runtime/failure.ts';

/** A document as if it were read from the file `report.json`. */
export function reportOf(document: unknown): JsonReport {
  const createError = (what: string, remedy = 'Name another file.'): UserError =>
    new UserError({ what: `report.json${what}`, remedy });
  return {
    document,
    bytes: Buffer.from(JSON.stringify(document)),
    createError,
    createKindError: () => createError(' is another kind of JSON'),
  };
}
