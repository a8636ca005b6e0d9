/** A table of a Markdown page, without the padding of its cells. */
export interface MarkdownTable {
  /** The heading above it. */
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A fenced block of a Markdown page, without its indentation. */
export interface Fence {
  /** The heading above it. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

const fencePattern = /^( *)```(\w*)\n(.*?)^ *```$/gmsu;

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): readonly Fence[] {
  return [...page.matchAll(fencePattern)].map(({ 1: indentation = '', 2: language = '', 3: text = '', index }) => ({
    heading: headingsOf(page.slice(0, index)).at(-1) ?? '',
    language,
    text: text.replaceAll(new RegExp(`^${indentation}`, 'gmu'), ''),
  }));
}

/** The tables of a page, in order. */
export function tablesOf(page: string): readonly MarkdownTable[] {
  const tables: { heading: string; columns: readonly string[]; rows: (readonly string[])[] }[] = [];
  let heading = '';
  let inTable = false;
  for (const line of withoutFences(page)) {
    heading = /^#+ (.*)$/u.exec(line)?.[1] ?? heading;
    const isRow = line.startsWith('|');
    if (isRow && !inTable) tables.push({ heading, columns: cellsOf(line), rows: [] });
    else if (isRow && !/^[|\s:-]+$/u.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
    inTable = isRow;
  }
  return tables;
}

/** The anchors of the headings of a page, as GitHub generates them. */
export function anchorsOf(page: string): readonly string[] {
  return headingsOf(page).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/gu, '-'),
  );
}

/** The targets of the links of a page, as written. */
export function linksOf(page: string): readonly string[] {
  const prose = withoutFences(page).join('\n');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(([, target]) => target ?? []);
}

/** The words between backticks. */
export function codeWordsOf(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].flatMap(([, word]) => word ?? []);
}

function headingsOf(page: string): readonly string[] {
  return withoutFences(page).flatMap((line) => /^#+ (.*)$/u.exec(line)?.[1] ?? []);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function withoutFences(page: string): readonly string[] {
  return page.replaceAll(fencePattern, '').split('\n');
}
