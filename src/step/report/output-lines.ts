/**
 * Outputs in the form that the runner reads from `GITHUB_OUTPUT` (GitHub's documentation, "Multiline strings"): each between
 * two lines with a word that is no line of the value. @actions/core takes a random word, and Node's `crypto` for it, which
 * takes longer to load than a step takes to say how it ended; this one is looked for in the value instead.
 */
export function outputLines(outputs: Readonly<Record<string, string>>): string {
  return Object.entries(outputs)
    .map(([name, value]) => {
      const delimiter = delimiterFor(value);
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join('');
}

/** Looks at the value once, however many such words are in it: a search for each would take its length squared. */
function delimiterFor(value: string): string {
  const taken = new Set(
    Array.from(value.matchAll(/end-of-output-(?<number>\d+)/gu), ({ groups }) => groups?.['number']),
  );
  let number = 0;
  while (taken.has(String(number))) number += 1;
  return `end-of-output-${number}`;
}
