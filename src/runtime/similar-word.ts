/**
 * The word that a misspelt one most likely stands for; undefined if none is close. Words are close if at most one in
 * four letters of the longer one, and always one, is wrong, missing, added or swapped with its neighbour: `flwo` is
 * close to `flow`, `min-approvals` to `minimum-approvals`, and `commit` not to `comment`.
 */
export function findSimilarWord(misspelt: string, words: Iterable<string>): string | undefined {
  let closest: { readonly word: string; readonly distance: number } | undefined;
  for (const word of words) {
    const distance = editDistance(misspelt, word);
    const limit = Math.max(1, Math.floor(Math.max(misspelt.length, word.length) / 4));
    if (distance <= limit && distance < (closest?.distance ?? Infinity)) closest = { word, distance };
  }
  return closest?.word;
}

/** The optimal string alignment distance, a restricted Damerau–Levenshtein distance. */
export function editDistance(one: string, other: string): number {
  let [beforePrevious, previous]: readonly number[][] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          valueAt(previous, column) + 1,
          valueAt(current, column - 1) + 1,
          valueAt(previous, column - 1) + (isSame ? 0 : 1),
          isSwapped ? valueAt(beforePrevious, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return valueAt(previous, other.length);
}

function valueAt(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Infinity;
}
