import fc from 'fast-check';
import type { OperationResult } from '../../../src/operations/operation.ts';

/** Texts that could become commands of the runner, or break its files. */
export function hostileText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      '\n::set-output name=outcome::compliant',
      '\r::stop-commands::x',
      '\noutcome<<E\ncompliant\nE\n',
      '##[error]x',
      '%0A::error::x',
      'a\r\nb\r',
    ),
    fc.string(),
    // Without lone surrogates, which cannot be encoded in UTF-8.
    fc.string({ unit: 'grapheme' }),
  );
}

/** A result of which every text is arbitrary. */
export function hostileResult(text: fc.Arbitrary<string>): fc.Arbitrary<OperationResult & { readonly state: string }> {
  const cell = fc.record({ text, href: text, code: fc.boolean() });
  const reason = fc.record({ state: fc.constant('failed' as const), about: text, value: text, html_url: text });
  return fc.record({
    outcome: fc.constant('non-compliant'),
    conclusion: text,
    state: text,
    response: fc.record({ message: text, nested: fc.array(text, { maxLength: 2 }) }),
    fingerprint: text,
    htmlUrl: text,
    report: fc.record({
      subject: text,
      evidence: fc.record({
        table: fc.record({ title: text, columns: fc.tuple(text), rows: fc.array(fc.tuple(cell), { maxLength: 2 }) }),
        notes: fc.array(text, { maxLength: 1 }),
      }),
      reasons: fc.array(reason, { maxLength: 2 }),
      copies: fc.array(fc.record({ label: text, text }), { maxLength: 2 }),
      facts: fc.array(fc.record({ label: text, value: cell }), { maxLength: 2 }),
      tables: fc.array(
        fc.record({ title: text, columns: fc.tuple(text), rows: fc.array(fc.tuple(cell), { maxLength: 2 }) }),
        { maxLength: 1 },
      ),
    }),
  });
}
