// A class such as `\p{L}` is a table of hundreds of ranges; setting it up costs as much as this many characters.
const unicodeClassSize = 50;

// If case is ignored, each character of a range is looked up, and that of so many costs as much as one of the pattern.
const foldedInSize = 200;

const token =
  /\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?|\\[pP]|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\{(?<minimum>\d+)(?:,(?<maximum>\d*))?\}|[^]/gu;

/** A range of a class; its ends may also be digits of an octal or a hexadecimal number, whose difference is small. */
const range = /(?<first>\\x\{[^}]*\}|\\?[^])-(?<last>\\x\{[^}]*\}|\\?[^])/gu;

/**
 * Estimates the size of a pattern with its repetitions expanded, in characters: `(ab){3}` is 6. Compiling takes memory
 * and time in proportion to it, so it is checked before.
 */
export function expandedSize(pattern: string): number {
  const ignoresCase = /\(\?[a-zA-Z]*i/u.test(pattern);
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
    else innermost().add(estimateTokenSize(text, ignoresCase));
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

function estimateTokenSize(text: string, ignoresCase: boolean): number {
  const unicodeClasses = text.split(/\\[pP]/u).length - 1;
  if (!text.startsWith('[')) return Math.max(1, unicodeClasses * unicodeClassSize);
  const folded = ignoresCase ? countInRanges(text) / foldedInSize : 0;
  return Math.max(1, unicodeClasses * unicodeClassSize, text.length / 4, folded);
}

function countInRanges(text: string): number {
  const ranges = [...text.matchAll(range)].map(({ groups = {} }) => groups);
  return ranges.reduce((sum, { first = '', last = '' }) => sum + Math.max(0, toCode(last) - toCode(first)), 0);
}

function toCode(end: string): number {
  return end.startsWith('\\x{') ? Number.parseInt(end.slice(3), 16) : (end.replace(/^\\/u, '').codePointAt(0) ?? 0);
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
