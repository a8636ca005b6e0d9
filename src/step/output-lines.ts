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

function delimiterFor(value: string): string {
  let number = 0;
  while (value.includes(`end-of-output-${number}`)) number += 1;
  return `end-of-output-${number}`;
}
