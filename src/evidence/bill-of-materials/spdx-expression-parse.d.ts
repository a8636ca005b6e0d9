declare module 'spdx-expression-parse' {
  /** An expression, as far as it is used here. */
  export type Expression =
    | { readonly license: string; readonly plus?: true; readonly exception?: string }
    | { readonly left: Expression; readonly conjunction: 'and' | 'or'; readonly right: Expression };

  /** @throws Error if it is not an SPDX licence expression */
  export default function parse(source: string): Expression;
}
