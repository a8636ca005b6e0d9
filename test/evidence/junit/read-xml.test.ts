import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseJunit } from '../../support/junit.ts';
import { userErrorOf } from '../../support/user-error.ts';

const suite = '<testsuite name="Prüfung ✓"><testcase name="1"/></testsuite>';

async function nameIn(content: string | Uint8Array): Promise<string | undefined> {
  // Three bytes: chunks end inside characters.
  return (await parseJunit(content, 3)).results[0]?.name;
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

describe('the encoding of a file', () => {
  it.each([
    ['UTF-8', suite],
    ['UTF-8 with a byte order mark', `\uFEFF${suite}`],
    ['UTF-8 as declared', `<?xml version="1.0" encoding="utf-8"?>\n${suite}`],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${suite}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(suite, 'utf16le')],
    ['big-endian UTF-16', utf16be(`\uFEFF${suite}`)],
    ['big-endian UTF-16 without a byte order mark', utf16be(suite)],
  ])('may be %s', async (_what, content) => {
    expect(await nameIn(content)).toBe('Prüfung ✓');
  });

  it('is an error if it is another one', async () => {
    const error = await userErrorOf(() => parseJunit(`<?xml version="1.0" encoding="ISO-8859-1"?>${suite}`));
    expect(error.problems).toEqual([
      {
        input: 'junit-path',
        what: 'junit.xml has the encoding ISO-8859-1, but only UTF-8 and UTF-16 are read',
        remedy: 'Let the tests write their results in UTF-8, which is the default of most tools.',
      },
    ]);
  });

  it('is an error if the bytes do not have it', async () => {
    await expect(parseJunit(Buffer.from(suite, 'latin1'))).rejects.toThrow('junit.xml is not valid UTF-8');
    await expect(parseJunit(Buffer.from('<testsuite>é', 'utf8').subarray(0, -1))).rejects.toThrow('not valid UTF-8');
  });
});

describe('a document that is not well-formed', () => {
  it.each([
    ['an open element', '<testsuite>\n<testcase>', 'line 2: it is not well-formed XML (Unclosed root tag)'],
    ['an element that another one ends', '<testsuite>\n\n</testcase>', 'line 3: it is not well-formed XML (Unexpected'],
    ['an end in the middle of a tag', '<testsuite name="a', 'it is not well-formed XML (Unexpected end)'],
    ['text around it', 'Results: <testsuite/>', 'line 1: it is not well-formed XML (Non-whitespace before first tag)'],
    ['an attribute without quotes', '<testsuite name=a/>', 'it is not well-formed XML (Unquoted attribute value)'],
    ['a second document', '<testsuite/>\n<testsuite/>', 'line 2: '],
    ['nothing but white space', ' \n ', 'junit.xml is empty'],
    ['only a declaration', '<?xml version="1.0"?>', 'junit.xml is empty'],
  ])('is an error: %s', async (_what, xml, message) => {
    const error = await userErrorOf(() => parseJunit(xml));
    expect(error.message).toContain(message);
    expect(error.problems).toMatchObject([{ input: 'junit-path' }]);
  });

  it('is an error if there is nothing at all', async () => {
    await expect(parseJunit('')).rejects.toThrow('junit.xml is empty');
  });
});

describe('a file of another kind', () => {
  it.each([
    [
      '{"version":"2.1.0","runs":[]}',
      'SARIF',
      'Record it with `attest-scan`, or name a file in JUnit XML in `junit-path`.',
    ],
    ['[{}]', 'another kind of JSON', 'Name a file in JUnit XML in `junit-path`.'],
  ])('is named as what it is: %s', async (content, kind, remedy) => {
    const error = await userErrorOf(() => parseJunit(content));
    expect(error.problems).toEqual([{ input: 'junit-path', what: `junit.xml is ${kind}, not JUnit XML`, remedy }]);
  });
});

describe('characters that XML does not allow', () => {
  it('are read without NUL, which the service refuses in texts', async () => {
    expect(await nameIn('<testsuite name="a\0b"><testcase name="1"/></testsuite>')).toBe('a\uFFFDb');
    expect(await nameIn('<testsuite name="\u001B[31mred"><testcase name="1"/></testsuite>')).toBe('\u001B[31mred');
  });
});

describe('a document that could be an attack', () => {
  const bomb = `<!DOCTYPE testsuite [
    <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">
  ]>\n<testsuite name="&c;"/>`;

  const long = 'x'.repeat(900_000);
  const half = 'x'.repeat(300_000);
  const tooLong = 'a DOCTYPE, a comment, or the attributes of the open elements have more than 524,288 characters';

  it.each([
    ['an entity bomb', bomb, 'line 3: the DOCTYPE has an internal subset'],
    [
      'an external entity',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>',
      'the DOCTYPE has',
    ],
    ['an entity of a DTD elsewhere', '<!DOCTYPE a SYSTEM "https://x.example/a.dtd"><testsuite name="&x;"/>', 'entity'],
    ['an entity of HTML', '<testsuite name="a&nbsp;b"/>', 'it is not well-formed XML (Invalid character entity'],
    ['very deep elements', `<testsuite>${'<a>'.repeat(100_000)}`, 'elements are nested more than 100 deep'],
    [
      'very many attributes',
      `<testsuite ${Array.from({ length: 1001 }, (_, at) => `a${at}=""`).join(' ')}/>`,
      'an element has more than 1000 attributes',
    ],
    ['a very long comment', `<!--${long}--><testsuite/>`, tooLong],
    ['a very long DOCTYPE', `<!DOCTYPE ${long}><testsuite/>`, tooLong],
    ['a very long attribute', `<testsuite name="${long}"/>`, tooLong],
    ['long attributes', `<testsuite ${'a b c d'.replaceAll(/\w/gu, (name) => `${name}="${half}"`)}/>`, tooLong],
    ['long attributes of the same name', `<testsuite ${`a="${half}" `.repeat(4)}/>`, tooLong],
    ['long attributes of nested elements', `<testsuite>${`<a b="${half}">`.repeat(4)}`, tooLong],
  ])('is refused: %s', async (_what, xml, message) => {
    await expect(parseJunit(xml, 65_536)).rejects.toThrow(message);
  });

  it.each(['attributes', 'attributes of one name', 'doctype'])(
    'is refused within 64 MB of memory and long before its end: %s',
    (attack) => {
      const script = join(import.meta.dirname, '..', '..', 'support', 'hostile-junit.ts');
      const begin = performance.now();
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--max-old-space-size=64', script, attack], {
        encoding: 'utf8',
      });
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
      const [megabytesRead, message] = stdout.split('\n');
      expect(message).toContain(tooLong);
      expect(Number(megabytesRead)).toBeLessThan(1);
      // The crash took 135 seconds, and the DOCTYPE 26; a busy machine may need some.
      expect(performance.now() - begin).toBeLessThan(15_000);
    },
    30_000,
  );

  it('is not refused for long attributes one after the other', async () => {
    const cases = `<testcase name="${half}"/>`.repeat(20);
    expect((await parseJunit(`<testsuite name="a">${cases}</testsuite>`, 65_536)).results).toMatchObject([
      { total: 20 },
    ]);
  });

  it('is not refused for a DOCTYPE that defines nothing, and for the entities of XML', async () => {
    expect(await nameIn('<!DOCTYPE testsuite><testsuite name="&lt;a&gt; &amp;&#33;"><testcase/></testsuite>')).toBe(
      '<a> &!',
    );
  });
});
