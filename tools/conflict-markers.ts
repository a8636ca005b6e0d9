/** A line that a merge left behind. */
export interface ConflictMarker {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

// Quantifiers keep this file free of what it looks for.
const markers: readonly RegExp[] = [
  // Git's own: ours, the common ancestor (diff3), theirs; a name follows, or nothing.
  /^\s*(?:<{7}|\|{7}|>{7})(?:\s|$)/u,
  // The separator has nothing beside it. A longer line underlines a heading.
  /^\s*={7}$/u,
  // The end as Prettier writes it in Markdown, where it reads a quotation within quotations.
  /^\s*(?:> ?){4}/u,
];

/** The conflict markers in a text, in any form: as git writes them, indented, or reformatted by Prettier. */
export function conflictMarkers(text: string): readonly ConflictMarker[] {
  return text.split(/\r?\n/u).flatMap((line, index) => {
    const content = line.trimEnd();
    return markers.some((marker) => marker.test(content)) ? [{ line: index + 1, text: content }] : [];
  });
}
