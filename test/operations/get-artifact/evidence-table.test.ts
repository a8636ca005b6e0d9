import { describe, expect, it } from '@jest/globals';
import type { Artifact } from '../../../src/contract/artifact.ts';
import type { Reason } from '../../../src/contract/reason.ts';
import type { Evidence } from '../../../src/operations/report.ts';
import { withoutMentions } from '../../../src/step/publish/comment-body.ts';
import { renderSummary, toSummaryContent } from '../../../src/step/report/summary.ts';
import { decideResult } from '../../../src/step/run/gate.ts';
import {
  type AnsweredArtifact,
  failedLookup,
  foundArtifact,
  lookUp,
  numberedFingerprint,
  unknownArtifact,
} from '../../support/artifact-lookups.ts';

const ok = { is_compliant: true, status: 'compliant' };

function failed(reason: string, page = 'https://compliance.example.com/sonar'): Readonly<Record<string, unknown>> {
  return { is_compliant: false, status: 'non-compliant', status_info: reason, html_url: page };
}

async function evidenceOf(...artifacts: readonly AnsweredArtifact[]): Promise<Evidence> {
  const { evidence } = (await lookUp(artifacts)).result.report;
  if (evidence === undefined) throw new Error('the report has no evidence');
  return evidence;
}

function cells({ table }: Evidence): readonly (readonly string[])[] {
  return table === undefined ? [] : [table.columns, ...table.rows.map((row) => row.map(({ text }) => text))];
}

const short = (number: number): string => numberedFingerprint(number).slice(0, 12);

describe('the evidence of one artifact', () => {
  const template = ['artifact', 'sonar,unit', 'lint', 'scan'];

  it('is a row with a column for each required attestation and each extra one', async () => {
    const evidence = { sonar: failed('the quality gate is ERROR'), 'web.unit': ok, scan: { status: 'ODD' }, docs: ok };
    const found = await evidenceOf(foundArtifact(1, 'non-compliant', { template, evidence }));
    expect(cells(found)).toEqual([
      ['Artifact', 'Fingerprint', 'State', 'sonar', 'unit', 'lint', 'scan', 'docs'],
      [
        ...['1.tgz', short(1), '❌ NON-COMPLIANT'],
        ...['❌ failed', '✅ compliant', '⬜ missing', '❔ unknown', '➕ extra'],
      ],
    ]);
  });

  it.each(['unit', 'web.unit'])(
    'does not show %s as compliant if it is of another type than required',
    async (about) => {
      const reasons: Reason[] = [
        {
          state: 'missing',
          about,
          value: 'recorded as generic',
          limit: 'junit is required',
          rule: 'template of the flow',
        },
      ];
      const evidence = { sonar: ok, unit: ok };
      const found = await evidenceOf(
        foundArtifact(1, 'incomplete', { template: ['sonar', 'unit'], evidence, reasons }),
      );
      expect(cells(found)).toEqual([
        ['Artifact', 'Fingerprint', 'State', 'sonar', 'unit'],
        ['1.tgz', short(1), '⏳ INCOMPLETE', '✅ compliant', '⚠️ recorded as generic; junit is required'],
      ]);
    },
  );

  it('shows nothing as compliant that a reason speaks against', async () => {
    const reasons: Reason[] = [{ state: 'failed', about: 'sonar', value: 'too old' }];
    const found = await evidenceOf(foundArtifact(1, 'non-compliant', { evidence: { sonar: ok }, reasons }));
    expect(cells(found)[1]?.at(-1)).toBe('❌ failed');
  });

  it('accepts any attestation name, even that of an object property', async () => {
    const evidence: Readonly<Record<string, unknown>> = Object.fromEntries<unknown>([
      ['__proto__', ok],
      ['constructor', { is_compliant: false }],
    ]);
    const found = await evidenceOf(foundArtifact(1, 'non-compliant', { template: [], evidence }));
    expect(cells(found)[0]).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(cells(found)[1]?.slice(-2)).toEqual(['➕ extra', '❌ failed (extra)']);
  });
});

describe('the evidence of several artifacts', () => {
  const template = ['sonar', 'unit'];

  it('has the worst first, and what could not be judged after what is not compliant', async () => {
    const found = await evidenceOf(
      foundArtifact(1, 'compliant', { template, evidence: { sonar: ok, unit: ok } }),
      foundArtifact(2, 'incomplete', { template, evidence: { sonar: ok } }),
      foundArtifact(3, 'non-compliant', { template, evidence: { sonar: failed('ERROR'), unit: ok } }),
      unknownArtifact(4),
      failedLookup(5),
    );
    expect(cells(found).map((row) => [row[0], row[2], ...row.slice(4)])).toEqual([
      ['Artifact', 'State', 'sonar', 'unit'],
      ['3.tgz', '❌ NON-COMPLIANT', '❌ failed', '✅ compliant'],
      [short(5), '⛔ error', '❔ unknown', '❔ unknown'],
      ['2.tgz', '⏳ INCOMPLETE', '✅ compliant', '⬜ missing'],
      [short(4), '⬜ not reported', '❔ unknown', '❔ unknown'],
      ['1.tgz', '✅ COMPLIANT', '✅ compliant', '✅ compliant'],
    ]);
  });
});

describe('the evidence of many artifacts with many attestations', () => {
  const names = Array.from({ length: 30 }, (_, index) => `attestation-${index}`);
  const evidence = Object.fromEntries(names.map((name) => [name, ok]));

  function hundred(change: (index: number) => Partial<Artifact>): readonly AnsweredArtifact[] {
    return Array.from({ length: 100 }, (_, index) => {
      const other = { template: names, evidence, ...change(index) };
      const verdict = other.evidence === evidence ? 'compliant' : 'non-compliant';
      return foundArtifact(index, verdict, { ...other, filename: `build/service-${index}.tar.gz` });
    });
  }

  it('shows the columns in which something is wrong, and counts the others', async () => {
    const { result } = await lookUp(
      hundred((index) => (index % 10 === 0 ? { evidence: { ...evidence, 'attestation-7': failed('ERROR') } } : {})),
    );
    const found = result.report.evidence;
    expect(found?.table?.columns).toEqual(['Artifact', 'Fingerprint', 'State', 'Commit', 'attestation-7', 'Required']);
    expect(found?.table?.rows[0]?.slice(-2).map(({ text }) => text)).toEqual(['❌ failed', '29 of 30']);
    expect(found?.notes).toEqual([
      expect.stringMatching(/^✅ Required and compliant for every artifact \(29\): attestation-0, .*, and 19 more\.$/u),
    ]);
    expect(result.report.reasons).toMatchObject([
      {
        about: 'attestation-7 of build/service-0.tar.gz, build/service-10.tar.gz, build/service-20.tar.gz, and 7 more',
        value: 'ERROR',
      },
    ]);
  });

  it('fits into a summary and a comment, however much is wrong, with the verdict, rows and lines', async () => {
    const { result } = await lookUp(
      hundred((index) => ({
        evidence: Object.fromEntries(
          names.map((name) => [name, failed(`${name} of ${index} is <not> what it must be`.padEnd(500, '!'))]),
        ),
      })),
    );
    const ending = { decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: true };
    for (const room of [65_000, 1024 * 1024]) {
      const html = renderSummary(toSummaryContent(ending), room, withoutMentions);
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(room);
      expect(html).toContain('<h2>❌ Non-compliant: 100 artifacts of flow web</h2>');
      expect(html).toContain('<li>❌ <a href="https://compliance.example.com/sonar">attestation-0 of ');
      expect(html).toMatch(/more are in the|more rows are in the/u);
    }
  });
});

describe('the summary of artifacts', () => {
  async function summaryOf(
    inputs: Readonly<Record<string, string>>,
    ...artifacts: readonly AnsweredArtifact[]
  ): Promise<string> {
    const { result } = await lookUp(artifacts, inputs);
    return renderSummary(
      toSummaryContent({ decision: decideResult(result, 'fail'), result, runUrl: undefined, summary: true }),
      65_536,
    );
  }
  const sonarFailed = { evidence: { sonar: failed('the quality gate is ERROR') }, state_info: 'Not compliant: sonar.' };

  it('has the reasons first, and no sentence that repeats them', async () => {
    const html = await summaryOf({}, foundArtifact(1, 'non-compliant', sonarFailed));
    expect(html).toMatch(
      /^<h2>❌ Non-compliant: .*<\/h2>\n<ul><li>❌ <a .*>sonar<\/a>: .*<\/ul>\n<h3>Evidence<\/h3>\n/u,
    );
    expect(html).not.toContain('Not compliant: sonar');
    expect(html.match(/the quality gate is ERROR/gu)).toHaveLength(1);
    expect(await summaryOf({}, foundArtifact(1, 'compliant'), foundArtifact(2, 'compliant'))).not.toContain('All 2');
  });

  it("has the service's reason if the evidence shows none", async () => {
    const rejected = foundArtifact(1, 'non-compliant', { evidence: {}, state_info: 'Rejected by hand.' });
    expect(await summaryOf({}, rejected)).toContain('1.tgz</a>: Rejected by hand</li>');
  });

  it('says that the time for waiting was up', async () => {
    const html = await summaryOf({ wait: '60' }, foundArtifact(1, 'incomplete'));
    expect(html).toContain('timed out.</p>');
  });

  it('says why artifacts could not be judged', async () => {
    const html = await summaryOf({}, foundArtifact(1, 'compliant'), failedLookup(2));
    expect(html).toContain('<p>1 of 2 artifacts could not be judged');
    expect(html).toContain(`<li>⏳ ${short(2)}: could not be judged: `);
  });
});
