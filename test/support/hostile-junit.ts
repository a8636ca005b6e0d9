import { readXml } from '../../src/evidence/junit/read-xml.ts';
import { SuiteResults } from '../../src/evidence/junit/suite-results.ts';
import { describeError } from '../../src/runtime/failure.ts';

// Reads a JUnit report that attacks the parser, and prints how many megabytes of it were read, and the error.

const megabyte = 1024 * 1024;
let bytesRead = 0;

/** Yields the same buffer again and again, so that only the parser takes memory. */
async function* attack(kind: string | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  const filler = Buffer.alloc(65_536, 'x');
  async function* fill(megabytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let count = 0; count < megabytes * 16; count += 1) {
      bytesRead += filler.length;
      yield await Promise.resolve(filler);
    }
  }
  if (kind === 'doctype') {
    yield Buffer.from('<!DOCTYPE ');
    yield* fill(20);
    yield Buffer.from('><testsuite/>');
    return;
  }
  yield Buffer.from('<testsuite');
  for (let number = 0; number < 40; number += 1) {
    yield Buffer.from(kind === 'attributes' ? ` a${number}="` : ' a="');
    yield* fill(7);
    yield Buffer.from('"');
  }
  yield Buffer.from('/>');
}

let message = '';
try {
  await readXml('junit.xml', attack(process.argv[2]), new SuiteResults('junit.xml'));
} catch (thrown) {
  message = describeError(thrown);
}
process.stdout.write(`${bytesRead / megabyte}\n${message}\n`);
