import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ResponseReader } from '../../bench/response-reader.ts';

const answer = (status: number, body: string): Buffer =>
  Buffer.from(`HTTP/1.1 ${status} OK\r\ncontent-type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

describe('reading responses from a connection', () => {
  it('returns the status with the last byte of each response, however the bytes are split', () => {
    const answers = fc.array(
      fc.tuple(
        fc.integer({ min: 200, max: 599 }),
        fc.string({ unit: 'grapheme-ascii' }),
        fc.array(fc.nat(), { maxLength: 6 }),
      ),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(answers, (all) => {
        const reader = new ResponseReader();
        for (const [status, body, places] of all) {
          const bytes = answer(status, body);
          const cuts = places.map((place) => place % bytes.length).toSorted((one, other) => one - other);
          const chunks = [0, ...cuts].map((start, at) => bytes.subarray(start, cuts[at] ?? bytes.length));
          const statuses = chunks.map((chunk) => reader.push(chunk));
          expect(statuses.at(-1)).toBe(status);
          expect(statuses.slice(0, -1).every((value) => value === undefined)).toBe(true);
        }
      }),
    );
  });

  it('does not mistake a body that looks like the end of a head', () => {
    expect(new ResponseReader().push(answer(201, '\r\n\r\nContent-Length: 99\r\n\r\n'))).toBe(201);
  });

  it('rejects a response without Content-Length', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    expect(() => new ResponseReader().push(bytes)).toThrow('a response without Content-Length');
  });
});
