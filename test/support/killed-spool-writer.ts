import * as nodeFiles from 'node:fs/promises';
import { join } from 'node:path';
import { writeSpoolItem, type SpoolFiles } from '../../src/evidence/spool/write-spool-item.ts';
import { sampleEntry } from './spool.ts';

/*
 * Writes an item below the first argument, and is killed when as many operations on files are done as the second
 * argument says. Half of every chunk is written before the kill that follows it.
 */

const [, , folder = '', steps = ''] = process.argv;
let left = Number(steps);

function step(): void {
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
}

const files: SpoolFiles = {
  async mkdir(path, options) {
    step();
    await nodeFiles.mkdir(path, options);
  },
  async open(path, flags, mode) {
    step();
    const file = await nodeFiles.open(path, flags, mode);
    return {
      async appendFile(bytes) {
        step();
        await file.appendFile(bytes.subarray(0, bytes.length / 2));
        step();
        await file.appendFile(bytes.subarray(bytes.length / 2));
      },
      async sync() {
        step();
        await file.sync();
      },
      async close() {
        step();
        await file.close();
      },
    };
  },
  async rename(from, to) {
    step();
    await nodeFiles.rename(from, to);
  },
  rm: nodeFiles.rm,
};

const attachment = {
  filename: 'lcov.info',
  async *open() {
    yield await Promise.resolve(Buffer.from('TN:\n'));
    yield Buffer.from('end_of_record\n');
  },
};
await writeSpoolItem(sampleEntry, attachment, {
  folder: join(folder, '4242', 'spool'),
  random: () => 0.5,
  files,
});
