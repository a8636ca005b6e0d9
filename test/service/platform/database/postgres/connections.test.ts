import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';

it('connections begin without parameters that PgBouncer refuses', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `postgres://ann@127.0.0.1:${String(valueAt(server.address(), 'port'))}/compliance`;
  const connections = new Connections(parseDatabaseUrl(url));
  const opened = connections.open().catch(() => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [message] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  await opened;
  // Its length, the version of the protocol, and then names and values, each with a NUL at its end.
  const words = message.subarray(8).toString().split('\0');
  const parameters = words.filter((word, index) => index % 2 === 0 && word !== '');
  expect(parameters.sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
});
