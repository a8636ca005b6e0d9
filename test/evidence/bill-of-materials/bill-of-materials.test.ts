import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LicenseRule } from '../../../src/contract/attestations/system.ts';
import { type BillEvidence, gatherBill } from '../../../src/evidence/bill-of-materials/gather-bill.ts';
import { findLicenses } from '../../../src/evidence/bill-of-materials/licenses.ts';
import { resolveOnlyFile } from '../../../src/evidence/files/resolve-files.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { collectingLog } from '../../support/log.ts';
import { readText } from '../../support/repository.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

const samples = 'test/evidence/bill-of-materials/samples';

function allow(...licenses: string[]): LicenseRule {
  return { allowed_licenses: licenses, unknown_licenses: 'refuse' };
}

async function gather(content: unknown, rule?: LicenseRule): Promise<BillEvidence> {
  await workspace.write('bom.json', typeof content === 'string' ? content : JSON.stringify(content));
  return gatherBill(await resolveOnlyFile(['bom.json'], workspace.path, 'the bill'), rule, collectingLog());
}

function gatherSample(name: string, ...licenses: string[]): Promise<BillEvidence> {
  return gather(readText(`${samples}/${name}.json`), allow(...licenses));
}

describe('the files of real tools', () => {
  it('are read: npm, in SPDX', async () => {
    const { format, summary, licenses } = await gatherSample('npm.spdx', 'MIT', 'BlueOak-1.0.0');
    expect(format).toBe('spdx-2.3');
    expect(summary).toEqual({
      created_at: expect.any(String),
      tools: ['npm/cli-11.19.1'],
      subject: { name: 'shop', version: '1.4.0', purl: 'pkg:npm/shop@1.4.0', sha256: null },
      package_count: 4,
    });
    expect(licenses).toEqual({
      licenses: ['MIT', 'GPL-3.0-or-later', 'Zlib', 'BlueOak-1.0.0'],
      not_allowed: [{ component: expect.stringMatching(/^pako@/u), license: '(MIT AND Zlib)' }],
      not_allowed_count: 1,
      unknown: [],
      unknown_count: 0,
    });
  });

  it('are read: npm, in CycloneDX', async () => {
    const { format, summary, licenses } = await gatherSample('npm.cyclonedx', 'MIT', 'Zlib', 'BlueOak-1.0.0');
    expect(format).toBe('cyclonedx-1.5');
    expect(summary).toMatchObject({
      tools: ['cli 11.19.1'],
      subject: { name: 'js', version: '1.4.0' },
      package_count: 3,
    });
    expect(licenses).toMatchObject({ not_allowed_count: 0, unknown_count: 0 });
  });

  it('are read: cyclonedx-py', async () => {
    const { summary, licenses } = await gatherSample('python.cyclonedx', 'MIT', 'Apache-2.0');
    expect(summary).toMatchObject({
      tools: ['cyclonedx-py 7.5.0', 'cyclonedx-python-lib 11.12.0'],
      subject: null,
      package_count: 5,
    });
    expect(licenses).toMatchObject({
      not_allowed: [{ component: 'typing_extensions@4.16.0', license: 'PSF-2.0' }],
      unknown_count: 0,
    });
  });

  it('are read: an image, in SPDX', async () => {
    const { summary, licenses } = await gatherSample('syft.spdx', 'GPL-2.0-only', 'MIT');
    expect(summary).toEqual({
      created_at: '2026-10-20T08:00:00Z',
      tools: ['syft-1.33.0'],
      subject: {
        name: 'acme/web',
        version: `sha256:${'ab'.repeat(32)}`,
        purl: `pkg:oci/web@sha256%3A${'ab'.repeat(32)}?arch=amd64&repository_url=https%3A%2F%2Fregistry.example%2Fweb`,
        sha256: 'ab'.repeat(32),
      },
      package_count: 6,
    });
    expect(licenses).toMatchObject({
      not_allowed: [
        { component: 'ca-certificates@20250911-r0', license: 'MPL-2.0 AND MIT' },
        { component: 'fonts@2.0', license: 'LicenseRef-custom-fonts' },
      ],
      unknown: ['shop'],
    });
  });

  it('are read: nested components, in CycloneDX', async () => {
    const { summary, licenses } = await gatherSample('trivy.cyclonedx', 'MIT', 'Apache-2.0');
    expect(summary).toMatchObject({
      tools: ['trivy 0.67.2'],
      subject: { name: 'acme/web', sha256: 'cd'.repeat(32) },
      package_count: 7,
    });
    expect(licenses).toMatchObject({
      not_allowed: [{ component: 'right@2.0.0', license: '(GPL-3.0-only) AND (MIT)' }],
      unknown: ['alpine@3.22.1', 'package-lock.json', 'named@4.0.0 (The Apache Software License, Version 2.0)'],
    });
  });

  it('are all tested', () => {
    expect(readdirSync(samples)).toHaveLength(5);
  });
});

describe('the licence of a component', () => {
  it.each<[string, string, boolean]>([
    ['MIT', 'MIT', true],
    ['MIT', 'ISC', false],
    ['MIT OR GPL-3.0-only', 'MIT', true],
    ['GPL-3.0-only OR MIT', 'MIT', true],
    ['MIT AND Zlib', 'MIT', false],
    ['MIT AND Zlib', 'MIT\nZlib', true],
    ['(MIT OR Zlib) AND ISC', 'Zlib\nISC', true],
    ['MIT OR Zlib AND ISC', 'Zlib', false],
    ['GPL-2.0+', 'GPL-2.0', true],
    ['GPL-2.0+', 'GPL-2.0+', true],
    ['GPL-2.0', 'GPL-2.0+', false],
    ['GPL-2.0-or-later', 'GPL-2.0-only', false],
    ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-only', true],
    ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-only WITH Classpath-exception-2.0', true],
    ['GPL-2.0-only', 'GPL-2.0-only WITH Classpath-exception-2.0', false],
    ['GPL-2.0+ WITH Classpath-exception-2.0', 'GPL-2.0+', true],
    ['LicenseRef-own', 'LicenseRef-own', true],
    ['DocumentRef-a:LicenseRef-own', 'LicenseRef-own', false],
  ])('%s is compared with %j', (license, allowed, expected) => {
    const found = findLicenses([{ name: 'a', license }], new Set(allowed.split('\n')));
    expect(found).toMatchObject({ not_allowed_count: expected ? 0 : 1, unknown_count: 0 });
  });

  it.each(['MIT/ISC', '__proto__', `MIT${' OR MIT'.repeat(1000)}`])(
    'is unknown if it is no SPDX expression, or too long: %#',
    (license) => {
      const found = findLicenses([{ name: 'a', license }], new Set(['MIT']));
      expect(found).toMatchObject({ licenses: [], not_allowed_count: 0, unknown_count: 1 });
      expect(found.unknown[0]?.length).toBeLessThan(400);
    },
  );

  it.each<[object, unknown]>([
    [{ licenseConcluded: 'ISC', licenseDeclared: 'MIT' }, ['ISC']],
    [{ licenseConcluded: 'NOASSERTION', licenseDeclared: 'MIT' }, ['MIT']],
    [{ licenseDeclared: 'MIT' }, ['MIT']],
    [{ licenseConcluded: 'NONE', licenseDeclared: 'MIT' }, []],
    [{}, []],
  ])('is the concluded one, or else the declared one: %j', async (one, licenses) => {
    const document = { spdxVersion: 'SPDX-2.2', SPDXID: 'SPDXRef-DOCUMENT', packages: [{ name: 'a', ...one }] };
    expect((await gather(document)).licenses.licenses).toEqual(licenses);
  });

  it('is unknown in CycloneDX if one of several is no SPDX expression, whatever parentheses it has', async () => {
    const licenses = [{ license: { name: 'MIT) OR (MIT' } }, { license: { id: 'GPL-3.0-only' } }];
    const document = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ name: 'a', licenses }] };
    expect((await gather(document, allow('MIT'))).licenses).toMatchObject({
      licenses: [],
      unknown: ['a (MIT) OR (MIT, GPL-3.0-only)'],
    });
  });

  it('names 100 components of each sort at most, and counts all', () => {
    const all = Array.from({ length: 300 }, (_, index) => ({
      name: `c${index}`,
      license: index % 3 === 0 ? undefined : 'ISC',
    }));
    const found = findLicenses(all, new Set(['MIT']));
    expect(found).toMatchObject({ not_allowed_count: 200, unknown_count: 100 });
    expect([found.not_allowed.length, found.unknown.length]).toEqual([100, 100]);
  });
});

describe('a file that is no such bill', () => {
  it.each<[unknown, string]>([
    [{}, 'bom.json is another kind of JSON, not SPDX or CycloneDX JSON'],
    [{ version: '2.1.0', runs: [] }, 'bom.json is SARIF, not SPDX or CycloneDX JSON'],
    ['<bom xmlns="http://cyclonedx.org/schema/bom/1.5"/>', 'bom.json is CycloneDX in XML, not SPDX or CycloneDX JSON'],
    [{ spdxVersion: 'SPDX-2.3' }, 'bom.json is not SPDX or CycloneDX JSON'],
    [{ spdxVersion: 'SPDX-2.1', SPDXID: 'a' }, 'bom.json has the version SPDX-2.1, and SPDX 2.2 and 2.3 are read'],
    [{ bomFormat: 'CycloneDX' }, 'bom.json has the version (none), and CycloneDX 1.2 to 1.7 are read'],
    [
      { bomFormat: 'CycloneDX', specVersion: '1.10' },
      'bom.json has the version 1.10, and CycloneDX 1.2 to 1.7 are read',
    ],
    [{ bomFormat: 'CycloneDX', specVersion: '1.5', components: {} }, 'bom.json has `components` that are not a list'],
    [{ spdxVersion: 'SPDX-2.3', SPDXID: 'a', packages: 'none' }, 'bom.json has `packages` that are not a list'],
  ])('is an error: %j', async (content, message) => {
    const error = await userErrorOf(() => gather(content));
    expect(error.problems).toMatchObject([{ input: 'sbom-path', what: message }]);
  });

  it.each(['Apache 2.0', 'mit', 'MIT OR ISC', ''])('an allowed licence must be one: %s', async (license) => {
    const error = await userErrorOf(() => gather({}, allow('MIT', license)));
    expect(error.problems).toMatchObject([
      { input: 'allowed-licenses', what: expect.stringContaining(JSON.stringify(license)) },
    ]);
  });

  it('does not matter to the reader: any values are read, or are the error of a user', async () => {
    const keys = [
      'packages',
      'components',
      'licenses',
      'license',
      'id',
      'metadata',
      'tools',
      'component',
      'relationships',
      '__proto__',
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('MIT', '\0\uD800', 1, null, true),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 5 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, fc.boolean(), async (value, isSpdx) => {
        const head = isSpdx ? { spdxVersion: 'SPDX-2.3', SPDXID: 'D' } : { bomFormat: 'CycloneDX', specVersion: '1.6' };
        const document = {
          components: [value],
          packages: [value, value],
          metadata: value,
          creationInfo: value,
          ...head,
        };
        const done = await gather(document, allow('MIT')).catch((thrown: unknown) => thrown);
        if (done instanceof Error) expect(done).toBeInstanceOf(UserError);
        expect(JSON.stringify(done)).not.toContain('\\u0000');
      }),
      { numRuns: 50 },
    );
  });
});
