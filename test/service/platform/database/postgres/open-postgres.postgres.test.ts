import { afterEach, describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../../../../src/runtime/failure.ts';
import { openPostgres } from '../../../../../src/service/platform/database/postgres/open-postgres.ts';
import type { Storage } from '../../../../../src/service/platform/database/storage.ts';
import { freePort } from '../../../../../tools/servers/ports.ts';
import { createTestDatabase, sharedPostgres } from '../../../../support/postgres.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

let opened = new AsyncDisposableStack();

async function open(url: string): Promise<Storage> {
  const { storage } = await openPostgres({ url }, storageDependencies(), opened);
  return storage;
}

async function closeAll(): Promise<void> {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
}

describe('a database that cannot be used', () => {
  afterEach(closeAll);

  /** The message of the start with a changed URL. */
  const failedStart = async (change: (url: URL) => void): Promise<string> => {
    const url = new URL(sharedPostgres());
    change(url);
    const error: unknown = await open(url.href).catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('name', 'StartError');
    const message = errorMessage(error);
    expect(message.startsWith(`the database postgres://${url.host}${url.pathname} cannot be used: `)).toBe(true);
    expect(message).not.toMatch(/--data\b|folder|chown/u);
    return message;
  };

  it('because it does not exist, is named with the command that creates it', async () => {
    const message = await failedStart((url) => {
      url.pathname = '/no_such_database';
    });
    expect(message).toContain('cannot be used: it does not exist (database "no_such_database" does not exist); ');
    expect(message).toContain(`(createdb --owner ${new URL(sharedPostgres()).username} no_such_database)`);
  });

  it('because its user or password is refused, is named with both', async () => {
    const message = await failedStart((url) => {
      url.username = 'nobody';
      url.password = 's3cret';
    });
    // The server's pg_hba.conf decides whether it asks for a password.
    expect(message).toMatch(/the server (?:refuses|does not let) the user nobody .*; correct the user\b.* in the URL/u);
    expect(message).not.toContain('s3cret');
  });

  it('because its host is unknown, is named with the host', async () => {
    const message = await failedStart((url) => {
      url.hostname = 'db.invalid';
    });
    expect(message).toMatch(/the address of the host db\.invalid was not found \(.*\); correct its name in the URL/u);
  });

  it('because no server listens, is named with the port', async () => {
    const port = await freePort();
    const message = await failedStart((url) => {
      url.port = String(port);
    });
    expect(message).toContain('there is no connection to the server (connect ECONNREFUSED ');
    expect(message).toContain('; check the host and the port in the URL');
  });

  it('because it has no encryption, is named with sslmode', async () => {
    const message = await failedStart((url) => {
      url.searchParams.set('sslmode', 'verify-full');
    });
    expect(message).toContain('the server has encryption turned off (The server does not support SSL connections); ');
    expect(message).toContain('remove sslmode from the URL');
  });

  it('is named by the error of the server that answered, if there are several', async () => {
    const port = await freePort();
    const { host } = new URL(sharedPostgres());
    const url = sharedPostgres()
      .replace(`@${host}/`, `@127.0.0.1:${port},${host}/`)
      .replace(/\/[^/]*$/u, '/no_such_database');
    await expect(open(url)).rejects.toThrow(/cannot be used: it does not exist/u);
  });

  it('because it does not have all characters, is named with its encoding', async () => {
    const database = await createTestDatabase({ encoding: 'LATIN1' });
    await expect(open(database.url)).rejects.toThrow(
      /^the database .* has the encoding LATIN1 and not UTF8, which the records need; create it again: dropdb, then /u,
    );
    await closeAll();
    await database.drop();
  });
});
