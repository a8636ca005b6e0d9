import type { Reason } from '../../contract/reason.ts';
import type { Report, Table, Text } from '../../operations/report.ts';
import type { StepResult } from '../run/step-result.ts';
import { safeHref } from './escape.ts';

/**
 * Removes secrets from a result that is to be shown in summaries, comments and statuses. The plain texts are redacted
 * before they are rendered, because escaping, broken mentions and truncation can hide a secret from the search but not
 * from a reader. A link with a secret is left out as a whole.
 */
export function redactResult(stepResult: StepResult, redact: (text: string) => string): StepResult {
  const { decision, result, runUrl, checkpoint } = stepResult;
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
    checkpoint: checkpoint === undefined ? undefined : redact(checkpoint),
    ...(result === undefined
      ? {}
      : {
          result: {
            ...result,
            conclusion: redact(result.conclusion),
            // Only for the outputs and the response file, which are already written.
            response: undefined,
            htmlUrl: redactHref(result.htmlUrl, redact),
            attestationUrl: redactHref(result.attestationUrl, redact),
            commits: result.commits?.map(redact),
            report: redactReport(result.report, redact),
          },
        }),
  };
}

function redactReport(
  { subject, reasons, evidence, facts, tables, copies }: Report,
  redact: (text: string) => string,
): Report {
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
    ...(reasons === undefined ? {} : { reasons: reasons.map((reason) => redactReason(reason, redact)) }),
    ...(evidence === undefined
      ? {}
      : {
          evidence: {
            ...(evidence.table === undefined ? {} : { table: shownTable(evidence.table) }),
            notes: evidence.notes.map(redact),
          },
        }),
    facts: facts.map(({ label, value }) => ({ label: redact(label), value: shown(value) })),
    tables: tables.map(shownTable),
    ...(copies === undefined
      ? {}
      : { copies: copies.map(({ label, text }) => ({ label: redact(label), text: redact(text) })) }),
  };
}

function redactReason({ state, html_url: page, ...texts }: Reason, redact: (text: string) => string): Reason {
  const { about, rule, value, limit, description } = texts;
  const href = redactHref(page, redact);
  return {
    state,
    about: redact(about),
    value: redact(value),
    ...(rule === undefined ? {} : { rule: redact(rule) }),
    ...(limit === undefined ? {} : { limit: redact(limit) }),
    ...(description === undefined ? {} : { description: redact(description) }),
    ...(href === undefined ? {} : { html_url: href }),
  };
}

/** The normalized link; undefined if it is unsafe, or contains a secret, encoded or not. */
function redactHref(href: string | undefined, redact: (text: string) => string): string | undefined {
  const safe = safeHref(href);
  if (href === undefined || safe === undefined) return undefined;
  const forms = [href, safe, decoded(href), decoded(safe)];
  return forms.every((form) => redact(form) === form) ? safe : undefined;
}

/** Decodes percent-encoded characters and, unlike `decodeURIComponent`, accepts malformed ones. */
function decoded(href: string): string {
  return href.replaceAll(/(?:%[0-9a-f]{2})+/giu, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
