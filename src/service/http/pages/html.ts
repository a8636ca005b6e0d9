import { escapeHtml } from '../../../runtime/escape-html.ts';

/** A piece of HTML that is safe to send. `html` makes it of what is not known to be. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a hole of `html`: a text is escaped, a piece of HTML stays, nothing leaves nothing. */
export type Hole = string | number | Html | readonly Html[] | undefined;

/** HTML from a template; every text in its holes is escaped, so that nothing that was reported can become markup. */
export function html(literals: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  return new Html(literals.reduce((text, literal, index) => text + renderHole(holes[index - 1]) + literal));
}

function renderHole(hole: Hole): string {
  if (hole === undefined) return '';
  if (hole instanceof Html) return hole.text;
  if (typeof hole === 'object') return hole.map((piece) => piece.text).join('');
  return escapeHtml(String(hole));
}

/** A link where the address is one of the web; the plain words where it is not, because a reported address can be anything. */
export function link(address: string | undefined | null, words: string): Html {
  if (address === undefined || address === null || !isWebAddress(address)) return html`${words}`;
  return html`<a href="${address}" rel="noreferrer">${words}</a>`;
}

function isWebAddress(address: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '');
}
