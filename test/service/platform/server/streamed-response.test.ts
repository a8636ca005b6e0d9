import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LongStream, startDownload } from '../../../../src/service/platform/server/streamed-response.ts';

describe('a download', () => {
  const start = async (
    content: Readable,
  ): Promise<{ readonly output: LongStream; readonly failures: readonly unknown[] }> => {
    const failures: unknown[] = [];
    let output = new LongStream();
    await startDownload(() => Promise.resolve(content), {
      ...{ name: 'list', extension: 'csv', type: 'text/csv' },
      enter: (entered) => (output = entered),
      failed: (error) => failures.push(error),
    });
    return { output, failures };
  };

  it('reports that its content cannot be read, and has no end', async () => {
    const error = new Error('unreadable');
    const { output, failures } = await start(
      new Readable({
        read() {
          this.destroy(error);
        },
      }),
    );
    await expect(buffer(output)).rejects.toBe(error);
    expect(failures).toEqual([error]);
  });

  it('closes its content when the client leaves, which is no failure', async () => {
    const endless = new Readable({
      read() {
        this.push('x');
      },
    });
    const { output, failures } = await start(endless);
    output.destroy();
    await new Promise((closed) => endless.once('close', closed));
    await setImmediate();
    expect(failures).toEqual([]);
  });
});
