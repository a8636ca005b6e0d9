import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Returns a port of the loopback interface that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A server without a port');
  return address.port;
}

/** Whether something accepts connections on this port of the loopback interface. */
export async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Waits until the condition holds.
 *
 * @returns whether it did within this many milliseconds
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>, patience: number): Promise<boolean> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    if (await condition()) return true;
    await wait(20);
  }
  return condition();
}
