// A class such as `\p{L}` is a table of hundreds of ranges; setting it up costs as much as this many characters.
const unicodeClassSize = 50;

// If case is ignored, RE2 looks up each character of a range. This many look-ups cost as much as one character.
const foldedInSize = 200;

const token =
  /\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?|\\[pP]|\\[^]|\[(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\{(?<minimum>\d+)(?:,(?<maximum>\d*))?\}|[^]/gu;

/**
 * Estimates the size of a pattern with its repetitions expanded, in characters: `(ab){3}` is 6. Compiling takes memory
 * and time in proportion to it, so it is checked before.
 */
export function expandedSize(pattern: string): number {
  const groups = [new Group()];
  const innermost = (): Group => groups.at(-1) ?? new Group();
  for (const found of pattern.matchAll(token)) {
    const [text] = found;
    const { minimum, maximum } = found.groups ?? {};
    if (text.startsWith('(')) groups.push(new Group());
    else if (text === ')') {
      const closed = groups.length === 1 ? undefined : groups.pop();
      innermost().add(closed?.size ?? innermost().size);
    } else if (minimum !== undefined) innermost().repeatLast(Math.max(1, Number(minimum), Number(maximum ?? 0)));
    else innermost().add(estimateTokenSize(text));
  }
  return Math.ceil(groups.reduce((sum, { size }) => sum + size, countFolded(pattern) / foldedInSize));
}

/**
 * The most characters that the ranges of a pattern can have if it ignores case, else 0. Each hyphen after the first `[`
 * counts as a range that ends with the next character. RE2 looks up the ranges of a class that is not closed, too.
 */
function countFolded(pattern: string): number {
  const classes = pattern.indexOf('[');
  if (classes === -1 || !/\(\?[a-zA-Z]*i/u.test(pattern)) return 0;
  const lasts = pattern.slice(classes).matchAll(/-(?=\\x\{([\da-f]+)\}|\\?([^]))/giu);
  const codes = Array.from(lasts, ([, hex, last = '']) =>
    hex === undefined ? (last.codePointAt(0) ?? 0) : Number.parseInt(hex, 16),
  );
  return codes.reduce((sum, code) => sum + code, 0);
}

function estimateTokenSize(text: string): number {
  const unicodeClasses = text.split(/\\[pP]/u).length - 1;
  return Math.max(1, unicodeClasses * unicodeClassSize, text.startsWith('[') ? text.length / 4 : 1);
}

/** The size so far of the text within a pair of parentheses. */
class Group {
  size = 0;
  #last = 0;

  add(size: number): void {
    this.size += size;
    this.#last = size;
  }

  repeatLast(count: number): void {
    this.size += this.#last * (count - 1);
    this.#last *= count;
  }
}
