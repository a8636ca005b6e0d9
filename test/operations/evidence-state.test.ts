import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evidenceLabel, toEvidenceItem } from '../../src/operations/evidence-state.ts';

describe('an entry of the evidence', () => {
  it.each([
    ['a flag for it', { is_compliant: true }, 'compliant'],
    ['a flag against it', { is_compliant: false }, 'failed'],
    ['our service’s compliant one', { is_compliant: true, status: 'compliant' }, 'compliant'],
    ['our service’s unproven one', { is_compliant: false, status: 'incomplete' }, 'incomplete'],
    ['a flag for it, and a word against it', { is_compliant: true, status: 'NON-COMPLIANT' }, 'failed'],
    ['a flag against it, and a word for it', { is_compliant: false, status: 'COMPLIANT' }, 'failed'],
    ['a flag beside a strange word', { is_compliant: true, status: 'COMPLETE' }, 'compliant'],
    ['a word', 'NON_COMPLIANT', 'failed'],
    ['a word for nothing', 'MISSING', 'missing'],
    ['nothing', null, 'missing'],
    ['a strange word', { status: 'COMPLETE' }, 'unknown'],
    ['a flag that is none', { is_compliant: 'yes' }, 'unknown'],
    ['a list', [{ is_compliant: true }], 'unknown'],
    ['a number', 1, 'unknown'],
  ])('that is %s is %j: %s', (_what, entry, state) => {
    expect(toEvidenceItem(entry).state).toBe(state);
  });

  it('keeps the reason, the description and the page', () => {
    const entry = {
      is_compliant: false,
      status_info: 'so it is',
      description: '2 high',
      html_url: 'https://c.example.com',
    };
    expect(toEvidenceItem(entry)).toEqual({
      state: 'failed',
      reason: 'so it is',
      description: '2 high',
      href: 'https://c.example.com',
    });
    expect(toEvidenceItem('COMPLETE').reason).toBe('the service calls it "COMPLETE"');
  });

  it('is never taken for compliant unless it says so', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (entry) => {
        const says = JSON.stringify(entry).toLowerCase();
        fc.pre(!says.includes('compliant'));
        expect(toEvidenceItem(entry).state).not.toBe('compliant');
      }),
    );
  });

  it('has a mark and a word in each state', () => {
    expect(
      (['compliant', 'failed', 'missing', 'incomplete', 'unknown', 'mismatched'] as const).map((state) =>
        evidenceLabel(state),
      ),
    ).toEqual(['✅ compliant', '❌ failed', '⬜ missing', '⏳ incomplete', '❔ unknown', '⚠️ of another type']);
    expect(evidenceLabel('compliant', true)).toBe('➕ extra');
    expect(evidenceLabel('failed', true)).toBe('❌ failed (extra)');
  });
});
