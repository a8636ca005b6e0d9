import { describe } from '@jest/globals';
import { isGoProgramBuilt } from '../../tools/locked-go.ts';
import { versitygw } from '../../tools/servers/object-storage/versitygw.ts';
import { canStartPostgres } from '../../tools/servers/postgres/binaries.ts';

/*
 * Tests that stop their server start one of their own. A machine whose variables name shared servers may have no
 * programs to start another. `npm run test:postgres` then says which tests it skips.
 */

/** For tests that call `startPostgres`. */
export const describeWithOwnPostgres = canStartPostgres() ? describe : describe.skip;

/** For tests that call `startObjectStorage`. */
export const describeWithOwnObjectStorage = isGoProgramBuilt(versitygw) ? describe : describe.skip;
