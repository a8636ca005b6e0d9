import { escapeHtml } from '../../../runtime/escape-html.ts';
import { printable } from '../../../runtime/printable.ts';

/** Safe HTML. Use the template tag `html` to create it from untrusted values. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template of `html`: texts are escaped, HTML is kept, undefined renders nothing. */
export type Hole = string | number | Html | readonly Html[] | undefined;

/**
 * Template tag for HTML. Escapes every text, so that reported data cannot become markup, and replaces the characters
 * that would reorder what is around them. Leaves out the indentation of
 * the template, which would double the size of tables.
 */
export function html(literals: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  return new Html(
    literals.map(withoutIndentation).reduce((text, literal, index) => text + renderHole(holes[index - 1]) + literal),
  );
}

function withoutIndentation(literal: string): string {
  return literal.includes('\n') ? literal.replace(/\n\s*/g, '\n') : literal;
}

function renderHole(hole: Hole): string {
  if (hole === undefined) return '';
  if (hole instanceof Html) return hole.text;
  if (typeof hole === 'object') return hole.map((piece) => piece.text).join('');
  return escapeHtml(printable(String(hole)));
}

/** Renders a link if the address is an http(s) URL, else only the text, because a reported address can be anything. */
export function link(address: string | undefined | null, text: string | Html): Html {
  if (address === undefined || address === null || !isWebAddress(address)) return html`${text}`;
  return html`<a href="${address}" rel="noreferrer">${text}</a>`;
}

function isWebAddress(address: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '');
}
