import { describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import {
  isConflict,
  isConnectionLost,
  translatePostgresError,
} from '../../../../../src/service/platform/database/postgres/postgres-errors.ts';
import { StorageError } from '../../../../../src/service/platform/database/storage-error.ts';
import { storageError } from '../../../../../src/service/platform/database/storage-faults.ts';

function databaseError(code: string, severity = 'ERROR'): DatabaseError {
  return Object.assign(new DatabaseError('on purpose', 10, 'error'), { code, severity });
}

describe('errors of PostgreSQL', () => {
  it.each([
    ['53100', 'full'],
    ['53300', 'exhausted'],
    ['55P03', 'slow'],
    ['57014', 'slow'],
    ['57P01', 'unreachable'],
    ['57P03', 'unreachable'],
    ['08006', 'unreachable'],
    ['25006', 'unreachable'],
    ['28P01', 'inaccessible'],
    ['3D000', 'missing'],
    ['58030', 'failing'],
    ['XX001', 'damaged'],
  ])('with the code %s are reported as %s', (code, reason) => {
    const fault = translatePostgresError(databaseError(code));
    expect(fault).toBeInstanceOf(StorageError);
    expect(fault).toHaveProperty('reason', reason);
  });

  it.each(['55P03', '57014'])('with the code %s name what the database may be waiting for', (code) => {
    const fault = translatePostgresError(databaseError(code));
    expect(valueAt(fault, 'message')).toMatch(/did not answer in time.* lock .*synchronous_standby_names/u);
  });

  it('are defects if a statement is wrong', () => {
    const error = databaseError('42601');
    expect(translatePostgresError(error)).toBe(error);
  });

  it.each([
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
    Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
    // A Unix socket of a server that does not run.
    Object.assign(new Error('connect ENOENT /run/postgresql/.s.PGSQL.5432'), { code: 'ENOENT', syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
  ])('of the connection are reported as unreachable: %s', (error) => {
    const fault = translatePostgresError(error);
    expect([valueAt(fault, 'reason'), valueAt(fault, 'cause')]).toEqual(['unreachable', error]);
  });

  it.each([
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    Object.assign(new Error('unable to verify the first certificate'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
  ])('of the login are reported as inaccessible: %s', (error) => {
    const fault = translatePostgresError(error);
    expect([valueAt(fault, 'reason'), valueAt(fault, 'cause')]).toEqual(['inaccessible', error]);
  });

  it('are told from other errors, which are left unchanged', () => {
    for (const error of [new TypeError('a connection'), new Error('another'), storageError('full'), 'thrown']) {
      expect(translatePostgresError(error)).toBe(error);
    }
  });

  it('are conflicts if the transaction can be run again', () => {
    expect(['40001', '40P01', '23505'].map((code) => isConflict(databaseError(code)))).toEqual([true, true, false]);
    expect(isConflict(new Error('40001'))).toBe(false);
  });

  it('end the connection if they are fatal, or not of the database', () => {
    expect(isConnectionLost(databaseError('57P01', 'FATAL'))).toBe(true);
    expect(isConnectionLost(new Error('Connection terminated'))).toBe(true);
    expect(isConnectionLost(databaseError('53100'))).toBe(false);
  });
});
