/**
 * Outputs in the format of the `GITHUB_OUTPUT` file (GitHub's documentation, "Multiline strings"): each value stands
 * between two lines with a delimiter that is not a line of the value. @actions/core uses a random delimiter; this one
 * is chosen by searching the value, which saves loading Node's `crypto`.
 */
export function outputLines(outputs: Readonly<Record<string, string>>): string {
  return Object.entries(outputs)
    .map(([name, value]) => {
      const delimiter = delimiterFor(value);
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join('');
}

/** Scans the value once, because searching for each candidate in turn would take quadratic time. */
function delimiterFor(value: string): string {
  const taken = new Set(
    Array.from(value.matchAll(/end-of-output-(?<number>\d+)/gu), ({ groups }) => groups?.['number']),
  );
  let number = 0;
  while (taken.has(String(number))) number += 1;
  return `end-of-output-${number}`;
}
