/** The maximum number of alternatives of one pattern: braces multiply. */
const maximumAlternatives = 10_000;

/**
 * Expands the braces in a pattern, in the order written: `{a,b}/c` becomes `a/c` and `b/c`. Braces can be nested and
 * can contain slashes and empty alternatives. As in a shell, braces without a comma, unbalanced braces and escaped
 * braces are ordinary characters.
 *
 * @returns undefined if there are more than ten thousand alternatives
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  const finished: string[] = [];
  // Depth first, leftmost braces first; `from` is where the search continues, so that nothing is read twice.
  const waiting = [{ text: pattern, from: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { text, from } = next;
    const group = findGroup(text, from);
    if (group === undefined) {
      finished.push(text);
    } else {
      const tail = text.slice(group.end);
      const head = text.slice(0, group.start);
      const expanded = group.alternatives.map((inner) => ({ text: head + inner + tail, from: group.start }));
      waiting.push(...expanded.reverse());
    }
    if (finished.length + waiting.length > maximumAlternatives) return undefined;
  }
  return finished;
}

interface Group {
  readonly start: number;
  /** The position after the closing brace. */
  readonly end: number;
  readonly alternatives: readonly string[];
}

function findGroup(text: string, from: number): Group | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') {
      const group = readGroup(text, at);
      if (group !== undefined) return group;
    }
  }
  return undefined;
}

function readGroup(text: string, start: number): Group | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let begin = start + 1;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      alternatives.push(text.slice(begin, at));
      begin = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      return alternatives.length === 0
        ? undefined
        : { start, end: at + 1, alternatives: [...alternatives, text.slice(begin, at)] };
    }
  }
  return undefined;
}
