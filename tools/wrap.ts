const width = 120;

/**
 * Breaks a line of Markdown at spaces, also within code, because Markdown joins its lines.
 *
 * @param indentation of all lines but the first
 */
export function wrap(text: string, indentation = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line.trim() === '') lines[lines.length - 1] = longer;
    else lines.push(`${indentation}${word}`);
  }
  return lines.join('\n');
}
