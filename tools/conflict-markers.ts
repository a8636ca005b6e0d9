export interface ConflictMarker {
  /** The first line is 1. */
  readonly line: number;
  readonly text: string;
}

// Written with quantifiers, so that this file contains no conflict marker.
const markers: readonly RegExp[] = [
  // Git's markers: ours, the common ancestor (diff3), theirs; each with or without a name.
  /^\s*(?:<{7}|\|{7}|>{7})(?:\s|$)/u,
  // The separator, alone on its line. A longer line would be the underline of a heading.
  /^\s*={7}$/u,
  // The last marker as Prettier writes it in Markdown, where it looks like nested quotations.
  /^\s*(?:> ?){4}/u,
];

/** Finds the conflict markers in a text: as git writes them, indented, or reformatted by Prettier. */
export function conflictMarkers(text: string): readonly ConflictMarker[] {
  return text.split(/\r?\n/u).flatMap((line, index) => {
    const content = line.trimEnd();
    return markers.some((marker) => marker.test(content)) ? [{ line: index + 1, text: content }] : [];
  });
}
