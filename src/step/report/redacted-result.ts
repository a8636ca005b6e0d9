import type { Report, Table, Text } from '../../operations/report.ts';
import type { StepResult } from '../run/step-result.ts';
import { safeHref } from './escape.ts';

/**
 * An ending as it may be shown where everybody reads it: in summaries, comments and statuses. Its texts are redacted while
 * they are plain: what is written around and into them later (HTML, breaks in mentions, an end that is cut off) can hide a
 * secret from the search and not from the reader. A link that holds one is left out, for half a link leads nowhere.
 */
export function redactResult(stepResult: StepResult, redact: (text: string) => string): StepResult {
  const { decision, result, runUrl } = stepResult;
  const { verdict, conclusion, remedy, annotation } = decision;
  return {
    ...stepResult,
    decision: {
      ...decision,
      verdict: redact(verdict),
      conclusion: redact(conclusion),
      ...(remedy === undefined ? {} : { remedy: redact(remedy) }),
      ...(annotation === undefined ? {} : { annotation: { ...annotation, title: redact(annotation.title) } }),
    },
    runUrl: redactHref(runUrl, redact),
    ...(result === undefined
      ? {}
      : {
          result: {
            ...result,
            conclusion: redact(result.conclusion),
            // Shown nowhere but in the outputs and the file of the answer, which are written before.
            response: undefined,
            htmlUrl: redactHref(result.htmlUrl, redact),
            commits: result.commits?.map(redact),
            report: redactReport(result.report, redact),
          },
        }),
  };
}

function redactReport({ subject, evidence, facts, tables, copies }: Report, redact: (text: string) => string): Report {
  const shown = (value: Text): Text => ({
    ...value,
    text: redact(value.text),
    href: redactHref(value.href, redact),
  });
  const shownTable = (table: Table): Table => ({
    ...table,
    title: redact(table.title),
    columns: table.columns.map(redact),
    rows: table.rows.map((row) => row.map(shown)),
  });
  return {
    subject: redact(subject),
    ...(evidence === undefined
      ? {}
      : {
          evidence: {
            ...evidence,
            table: shownTable(evidence.table),
            notes: evidence.notes.map(redact),
            problems: evidence.problems.map((line) => line.map(shown)),
          },
        }),
    facts: facts.map(({ label, value }) => ({ label: redact(label), value: shown(value) })),
    tables: tables.map(shownTable),
    ...(copies === undefined
      ? {}
      : { copies: copies.map(({ label, text }) => ({ label: redact(label), text: redact(text) })) }),
  };
}

/** The link, in the form that it is followed in; undefined where it may not be followed, or holds a secret in any form. */
function redactHref(href: string | undefined, redact: (text: string) => string): string | undefined {
  const safe = safeHref(href);
  if (href === undefined || safe === undefined) return undefined;
  const forms = [href, safe, decoded(href), decoded(safe)];
  return forms.every((form) => redact(form) === form) ? safe : undefined;
}

/** The text with its percent-encoded characters as they are, be they written in capitals or not. */
function decoded(href: string): string {
  return href.replaceAll(/(?:%[0-9a-f]{2})+/giu, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
