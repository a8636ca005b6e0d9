import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type Socket } from 'node:net';
import type { After } from '../../../src/runtime/clock.ts';
import { createFetchJson } from '../../../src/service/identity/fetch-json.ts';
import { DeadlineError, withDeadline } from '../../../src/service/network/deadline.ts';
import { postJson } from '../../../src/service/notifications/post-json.ts';

/** Answers a request. `expire` ends the time that the request has. */
type Attack = (socket: Socket, expire: () => void) => void;

/** Writes a piece again and again, until the connection is closed. The time is over after some of them. */
function drip(start: string, piece: string): Attack {
  return (socket, expire) => {
    socket.write(start);
    let pieces = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(piece);
      pieces += 1;
      if (pieces === 20) expire();
      setImmediate(next);
    };
    next();
  };
}

const silence: Attack = (_socket, expire) => {
  expire();
};
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';

const endless: readonly (readonly [string, Attack])[] = [
  ['is silent', silence],
  ['sends header after header', drip('HTTP/1.1 200 OK\r\n', 'a: b\r\n')],
  ['says "continue" for ever', drip('', 'HTTP/1.1 100 Continue\r\n\r\n')],
  ['says "processing" for ever', drip('', 'HTTP/1.1 102 Processing\r\n\r\n')],
];

const unusable: readonly (readonly [string, string, string])[] = [
  ['switches protocols', switching, 'it answered 101'],
  ['switches to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'it answered 101'],
  ['closes the connection', '', 'socket hang up'],
];

describe('a request of the service', () => {
  let server: Server;
  let url: string;
  let attack: Attack;
  let expire: () => void;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        attack(socket, () => {
          expire();
        });
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`;
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((done) => server.close(done));
  });

  const web = { resolve: () => Promise.reject(new Error('unused')), allowPrivate: true };
  const after: After = (_milliseconds, fire) => {
    expire = fire;
    return () => undefined;
  };
  const fetchKeys = (): Promise<unknown> => createFetchJson(web, { after })(new URL(url));
  const notify = (): Promise<unknown> =>
    withDeadline({ after }, 20_000, (signal) => postJson(web, url, '{}', { signal }));

  it.each(endless)('ends at its deadline if the other side %s', async (_case, answer) => {
    attack = answer;
    await expect(fetchKeys()).rejects.toThrow(new DeadlineError(5000));
    await expect(notify()).rejects.toThrow(new DeadlineError(20_000));
  });

  it('ends at its deadline if the other side sends the body byte by byte', async () => {
    attack = drip(chunked, '1\r\n \r\n');
    await expect(fetchKeys()).rejects.toThrow(new DeadlineError(5000));
  });

  it.each(unusable)('fails at once if the other side %s', async (_case, answer, fault) => {
    attack = (socket) => {
      socket.end(answer);
    };
    await expect(fetchKeys()).rejects.toThrow(fault);
    await expect(notify()).rejects.toThrow(fault);
  });

  it('ends at its deadline while the name is being resolved', async () => {
    const resolve = (): Promise<never> => new Promise(() => undefined);
    const fetched = createFetchJson({ ...web, resolve }, { after })(new URL('https://issuer.example.com'));
    expire();
    await expect(fetched).rejects.toThrow(DeadlineError);
  });
});
