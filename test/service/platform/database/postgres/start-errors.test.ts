import { describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { errorMessage } from '../../../../../src/runtime/failure.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { toDatabaseStartError } from '../../../../../src/service/platform/database/postgres/start-errors.ts';

const address = parseDatabaseUrl('postgres://ann:s3cret@db.example.com/evidence');

describe('the error of a start with PostgreSQL', () => {
  it.each<[what: string, Error, words: string]>([
    [
      'a user without rights',
      Object.assign(new DatabaseError('permission denied for schema public', 10, 'error'), { code: '42501' }),
      'the user ann may not do everything in it (permission denied for schema public); ' +
        'make the user the owner of its tables, and its owner (ALTER DATABASE evidence OWNER TO ann)',
    ],
    [
      'a server that allows only encrypted connections',
      Object.assign(new DatabaseError('no pg_hba.conf entry for host "::1", no encryption', 10, 'error'), {
        code: '28000',
      }),
      'the server does not let the user ann in (no pg_hba.conf entry for host "::1", no encryption); ' +
        "correct the user and sslmode in the URL, or change the server's pg_hba.conf",
    ],
    [
      'no password',
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
      'the server wants a password (SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string); ' +
        'set it in PGPASSWORD',
    ],
    [
      'a certificate of an unknown authority',
      Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      "the server's certificate is not trusted (self-signed certificate); name the host as in the certificate, and " +
        'the file of its authority with sslrootcert in the URL',
    ],
    [
      'too many connections',
      Object.assign(new DatabaseError('sorry, too many clients already', 10, 'error'), { code: '53300' }),
      'the server has no connection or memory left (sorry, too many clients already); ' +
        'raise its limits (max_connections), or end what uses it',
    ],
  ])('names the problem and the remedy: %s', (_what, error, words) => {
    const failed = toDatabaseStartError(error, address);
    expect(failed).toHaveProperty('name', 'StartError');
    expect(errorMessage(failed)).toBe(`the database postgres://db.example.com/evidence cannot be used: ${words}`);
  });

  it('is unchanged if it is not one of the database', () => {
    const error = new TypeError('a defect');
    expect(toDatabaseStartError(error, address)).toBe(error);
  });
});
