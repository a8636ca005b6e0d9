/** A part of a list. */
export interface ListPart {
  /** How many entries come before it. */
  readonly offset: number;
  readonly limit: number;
}
