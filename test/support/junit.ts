import { Readable } from 'node:stream';
import { readXml } from '../../src/evidence/junit/read-xml.ts';
import { SuiteResults } from '../../src/evidence/junit/suite-results.ts';

/** Reads a JUnit report with the name `junit.xml`, in chunks of that many bytes. */
export async function parseJunit(content: string | Uint8Array, chunkBytes = 4096): Promise<SuiteResults> {
  const bytes = Buffer.from(content);
  const starts = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => index * chunkBytes);
  const suites = new SuiteResults('junit.xml');
  await readXml('junit.xml', Readable.from(starts.map((start) => bytes.subarray(start, start + chunkBytes))), suites);
  return suites;
}
