import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';

describe('the URL of a database', () => {
  it('names a server and a database', () => {
    const { servers, shown } = parseDatabaseUrl('postgres://ann:s%40crt@db.example.com:6543/compliance');
    expect(servers).toMatchObject([
      { host: 'db.example.com', port: 6543, user: 'ann', password: 's@crt', database: 'compliance' },
    ]);
    expect(shown).toBe('postgres://db.example.com:6543/compliance');
  });

  it('names several servers', () => {
    const { servers, shown } = parseDatabaseUrl(
      'postgresql://ann@one,two:6543,[::1]:7000/compliance?sslmode=disable&connect_timeout=9&sslsni=1',
    );
    expect(servers.map(({ host, port, ssl }) => [host, port, ssl])).toEqual([
      ['one', 5432, false],
      ['two', 6543, false],
      ['::1', 7000, false],
    ]);
    expect(shown).toBe('postgres://one,two:6543,[::1]:7000/compliance');
  });

  it.each([
    ['another scheme', 'mysql://ann:s3cret@db/compliance'],
    ['no database', 'postgres://ann:s3cret@db'],
    ['an empty database', 'postgres://ann:s3cret@db/'],
    ['an invalid port', 'postgres://ann:s3cret@db:port/compliance'],
    ['no URL', 's3cret'],
  ])('is refused without showing it: %s', (_what, url) => {
    const parse = (): unknown => parseDatabaseUrl(url);
    expect(parse).toThrow(/--database is not the URL of a PostgreSQL database; use a form such as postgres:/);
    expect(parse).not.toThrow(/s3cret/);
  });

  it.each([
    ['sslmod=verify-full', /^--database has an unknown parameter about encryption; its name is sslmode$/],
    [
      'sslmode=disable&SSLMODE=verify-full',
      /^--database has an unknown parameter about encryption; its name is sslmode$/,
    ],
    ['sslmode=', /^sslmode in --database must not be empty; set it to verify-full, or leave it out$/],
  ])('is refused if it seems to ask for encryption, and the driver would ignore it: %s', (parameters, message) => {
    expect(() => parseDatabaseUrl(`postgres://ann:s3cret@db/compliance?${parameters}`)).toThrow(message);
  });

  it('is encrypted with a value of sslmode that only libpq knows', () => {
    const { servers } = parseDatabaseUrl('postgres://ann@db/compliance?sslmode=allow');
    expect(servers.map(({ ssl }) => ssl)).toEqual([{}]);
  });

  it('names a file that it lacks', () => {
    const parse = (): unknown => parseDatabaseUrl('postgres://ann:s3cret@db/compliance?sslrootcert=/no/ca.pem');
    expect(parse).toThrow(/^the URL of the database cannot be used: ENOENT: .* '\/no\/ca.pem'$/);
  });

  it('is refused with characters of another encoding', () => {
    const parse = (): unknown => parseDatabaseUrl('postgres://ann:s3cret%E4@db/compliance');
    expect(parse).toThrow('the URL of the database cannot be used: what it encodes with % is not UTF-8');
  });
});
