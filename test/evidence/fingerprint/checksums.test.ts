import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maximumChecksums, parseChecksums, readChecksums } from '../../../src/evidence/fingerprint/checksums.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

const digest = 'ab'.repeat(32);

function faultOf(text: string): string {
  try {
    parseChecksums(text, 'SUMS');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'no error';
}

describe('a checksums file', () => {
  it('has the formats of sha256sum', () => {
    const lines = [
      '# built by make',
      `${digest}  dist/web.tar.gz`,
      `${digest.toUpperCase()} *dist/api.tar.gz\r`,
      '',
      `SHA256 (dist/a (copy).tgz) = ${digest}`,
      `\\${digest}  a\\\\b\\nc\\r`,
      `\\SHA256 (d\\\\e) = ${digest}`,
      `${digest}    two spaces in front`,
      `${digest}  dist/web.tar.gz`,
      '',
    ];
    expect(parseChecksums(lines.join('\n'), 'SUMS')).toEqual(
      ['dist/web.tar.gz', 'dist/api.tar.gz', 'dist/a (copy).tgz', 'a\\b\nc\r', 'd\\e', '  two spaces in front'].map(
        (name) => ({ name, fingerprint: digest }),
      ),
    );
  });

  it.each([
    ['text', 'line 1 is not a checksum and a name'],
    [`${digest}  a\n${digest} a`, 'line 2 is not a checksum and a name'],
    [`${digest}  `, 'line 1 has no name'],
    [`${digest.slice(1)}  a`, 'line 1 has a checksum of 63 hex digits; a SHA-256 has 64'],
    [`SHA512 (a) = ${digest}${digest}`, 'line 1 is not a SHA-256 but another kind of checksum'],
    [`\\${digest}  a\\x`, 'line 1 has an escape'],
    [`${digest}  ${'n'.repeat(1_000_000)}`, 'line 1 has a name of more than 4096 characters'],
    [`\\${digest}  ${'\\\\'.repeat(500_000)}`, 'line 1 has a name of more than 4096 characters'],
    [`SHA256 (${')='.repeat(400_000)}`, 'line 1 is not a checksum and a name'],
    ['', 'it has no checksums'],
    ['# nothing\n\n', 'it has no checksums'],
  ])('is refused with the number of a bad line', (text, fault) => {
    expect(faultOf(text)).toContain(`SUMS cannot be used: ${fault}`);
  });

  it('is to be split if it has too many checksums', async () => {
    const lines = Array.from({ length: maximumChecksums + 1 }, (_, index) => `${digest}  ${index}`);
    const error = await userErrorOf(() => parseChecksums(lines.join('\n'), 'SUMS'));
    expect(error).toMatchObject({
      message: `SUMS cannot be used: it has more than ${maximumChecksums} checksums`,
      remedy: 'Split it into several files, each with a step of its own.',
    });
  });

  it('names at most ten bad lines', () => {
    expect(faultOf('bad\n'.repeat(1000)).split('\n')).toHaveLength(10);
  });

  it('is read back as sha256sum writes it', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }).filter((text) => text.isWellFormed());
    const hex = fc.stringMatching(/^[a-f0-9]{64}$/u);
    const entries = fc.uniqueArray(fc.record({ name, fingerprint: hex }), {
      minLength: 1,
      maxLength: 9,
      selector: ({ name: own, fingerprint }) => `${fingerprint} ${own}`,
    });
    fc.assert(
      fc.property(entries, fc.boolean(), (expected, isTagged) => {
        const text = expected.map((entry) => writeLine(entry, isTagged)).join('');
        expect(parseChecksums(text, 'SUMS')).toEqual(expected);
      }),
    );
  });

  it('is read from the workspace', async () => {
    await workspace.write('SHA256SUMS', `${digest}  web\n`);
    await workspace.write('latin1', Buffer.from([0xe9]));
    await workspace.write('large', Buffer.alloc(1024 * 1024 + 1, '#'));
    expect(await readChecksums('SHA256SUMS', workspace.path)).toEqual([{ name: 'web', fingerprint: digest }]);
    for (const [path, words] of [
      ['missing', 'which is not a file'],
      ['.', 'which is not a file'],
      ['latin1', 'not text in UTF-8'],
      ['large', 'too large for checksums'],
    ] as const) {
      const error = await userErrorOf(() => readChecksums(path, workspace.path));
      expect(error.problems).toMatchObject([{ input: 'checksums-path', what: expect.stringContaining(words) }]);
    }
  });
});

/** A line as `sha256sum` writes it (GNU coreutils manual, "md5sum invocation"). */
function writeLine(
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
  isTagged: boolean,
): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  const mark = escaped === name ? '' : '\\';
  return isTagged ? `${mark}SHA256 (${escaped}) = ${fingerprint}\n` : `${mark}${fingerprint}  ${escaped}\n`;
}
