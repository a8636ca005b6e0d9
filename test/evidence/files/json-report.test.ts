import { truncate } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type JsonReport, readJsonReport } from '../../../src/evidence/files/json-report.ts';
import { resolveFiles } from '../../../src/evidence/files/resolve-files.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

async function read(): Promise<JsonReport> {
  const [file] = await resolveFiles({ patterns: ['report'], workspace: workspace.path });
  if (file === undefined) throw new Error('no file');
  return readJsonReport(file, { input: 'sarif-path', wanted: 'SARIF', tooLargeRemedy: 'Write less.' });
}

describe('a report in JSON', () => {
  it.each([
    ['UTF-8', Buffer.from('{"a":"ü"}')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFF{"a":"ü"}')],
    ['UTF-16 with a byte order mark', Buffer.from('\uFEFF{"a":"ü"}', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\uFEFF{"a":"ü"}', 'utf16le').swap16()],
  ])('may be %s', async (_what, content) => {
    await workspace.write('report', content);
    expect((await read()).document).toEqual({ a: 'ü' });
  });

  it.each<[string, string | Uint8Array, string, string]>([
    ['JUnit XML', '<?xml version="1.0"?>\n<testsuites/>', 'JUnit XML', 'Record it with `attest-junit`'],
    ['XML', '<coverage/>', 'XML', 'Name a file in SARIF'],
    [
      'CycloneDX in XML',
      '<bom xmlns="http://cyclonedx.org/schema/bom/1.5"/>',
      'CycloneDX in XML',
      'Name a file in SARIF',
    ],
    ['UTF-16', Buffer.from('\uFEFF<testsuite/>', 'utf16le'), 'JUnit XML', 'Record it with `attest-junit`'],
    [
      'big-endian UTF-16',
      Buffer.from('\uFEFF<testsuite/>', 'utf16le').swap16(),
      'JUnit XML',
      'Record it with `attest-junit`',
    ],
    ['gzip', gzipSync('{}'), 'a gzip archive', 'Name a file in SARIF'],
    ['zip', 'PK\u0003\u0004', 'a zip archive', 'Name a file in SARIF'],
    ['a list', '[]', 'another kind of JSON', 'Name a file in SARIF'],
    ['SPDX in the tag-value form', 'SPDXVersion: SPDX-2.3\n', 'SPDX in the tag-value form', 'Name a file in SARIF'],
  ])('is an error that names what it is: %s', async (_what, content, kind, remedy) => {
    await workspace.write('report', content);
    const error = await userErrorOf(read);
    expect(error.message).toBe(`report is ${kind}, not SARIF`);
    expect(error.problems).toMatchObject([{ input: 'sarif-path', remedy: expect.stringContaining(remedy) }]);
  });

  it.each([
    ['{"spdxVersion": "SPDX-2.3"}', 'SPDX', '`attest-sbom`'],
    ['{"specVersion":"1.5","bomFormat":"CycloneDX"}', 'CycloneDX', '`attest-sbom`'],
    ['{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}', 'SPDX 3', 'Name a file in SARIF'],
    ['{"comment":"\\"spdxVersion\\":"}', 'another kind of JSON', 'Name a file in SARIF'],
  ])('is an error of its reader if it is JSON of another kind: %s', async (content, kind, remedy) => {
    await workspace.write('report', content);
    const error = (await read()).createKindError();
    expect(error.message).toBe(`report is ${kind}, not SARIF`);
    expect(error.remedy).toContain(remedy);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', ' is empty'],
    ['white space', ' \n', ' is empty'],
    ['text', 'No issues found.', ' is not JSON'],
    ['bytes', Buffer.from('{"a":"é"}', 'latin1'), ' is not valid UTF-8'],
    ['an early end', '{"runs": [\n{"tool":', ' is not valid JSON: Unexpected end of JSON input'],
    [
      'a wrong character',
      '{\n"runs": [],\n}',
      ' is not valid JSON: Expected double-quoted property name in JSON at position 14 (line 3',
    ],
    ['deep nesting', `{"a":${'['.repeat(1_000_000)}`, ' nests values more than 100 deep'],
    ['very many values', `{"a":[${'0,'.repeat(5_000_000)}0]}`, ' has more than 5000000 keys and values'],
  ])('is an error if it holds %s', async (_what, content, message) => {
    await workspace.write('report', content);
    const error = await userErrorOf(read);
    expect(error.message).toContain(`report${message}`);
    expect(error.problems).toMatchObject([{ input: 'sarif-path' }]);
  });

  it('is an error above 32 MB, with the size and the limit, before it is read', async () => {
    await truncate(await workspace.write('report', '{'), 32 * 1024 * 1024 + 1);
    const error = await userErrorOf(read);
    expect(error.problems).toEqual([
      {
        input: 'sarif-path',
        what: expect.stringMatching(/^report is too large for a report in SARIF: it has 3.*, and the limit is 3/u),
        remedy: 'Write less.',
      },
    ]);
  });
});
