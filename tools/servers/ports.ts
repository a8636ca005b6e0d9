import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../src/runtime/failure.ts';

/**
 * Systems give ports from 32768 (Linux) or 49152 on to outgoing connections, and to servers that ask for any port. A
 * server that is started later, or stopped for a while, would lose such a port to one of them.
 */
const [firstPort, endOfPorts] = [10_000, 32_768];

/**
 * Returns a port of the loopback interface that nothing listens on at the moment. It is random, so that processes that
 * ask at the same time get different ones.
 */
export async function freePort(): Promise<number> {
  let port = randomInt(firstPort, endOfPorts);
  while (!(await canListen(port))) port = randomInt(firstPort, endOfPorts);
  return port;
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    // Windows denies access to ports that it keeps for itself.
    if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
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
