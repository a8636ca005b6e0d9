import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { After } from '../../../../src/runtime/clock.ts';
import { createFetchJson } from '../../../../src/service/login/issuers/fetch-json.ts';
import { postJson } from '../../../../src/service/notification/delivery/post-json.ts';
import { DeadlineError, withDeadline } from '../../../../src/service/platform/network/deadline.ts';
import {
  type Attack,
  chunked,
  drip,
  endlessAnswers,
  type RawServer,
  startRawServer,
  switching,
} from '../../../support/raw-server.ts';

const unusable: readonly (readonly [string, string, string])[] = [
  ['switches protocols', switching, 'it answered 101'],
  ['switches to no protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'it answered 101'],
  ['closes the connection', '', 'socket hang up'],
];

describe('a request of the service', () => {
  let server: RawServer;
  let url: string;
  let attack: Attack;
  let expire: () => void;
  beforeEach(async () => {
    server = await startRawServer((socket) => {
      attack(socket, () => {
        expire();
      });
    });
    ({ url } = server);
  });
  afterEach(() => server.close());

  const web = { resolve: () => Promise.reject(new Error('unused')), allowPrivate: true };
  const after: After = (_milliseconds, fire) => {
    expire = fire;
    return () => undefined;
  };
  const fetchKeys = (): Promise<unknown> => createFetchJson(web, { after })(new URL(url));
  const notify = (): Promise<unknown> =>
    withDeadline({ after }, 20_000, (signal) => postJson(web, url, '{}', { signal }));

  it.each(endlessAnswers)('ends at its deadline if the other side %s', async (_case, answer) => {
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
