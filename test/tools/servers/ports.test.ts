import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { acceptsConnections, freePort } from '../../../tools/servers/ports.ts';

it('a free port can be listened on, and systems give it to nobody else', async () => {
  const port = await freePort();
  expect(await acceptsConnections(port)).toBe(false);
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await acceptsConnections(port)).toBe(true);
  server.close();
});
