/** What an input's value can be: not null and not undefined. */
export type Present = string | number | boolean | object;

/** The value of an input, or why it is invalid. */
export type Parsed<Value> =
  | { readonly value: Value }
  | {
      /** The end of a sentence: `must be …`. */
      readonly problem: string;
      readonly remedy: string;
      /** What an error quotes instead of the whole text: the wrong part, or the text without secrets. */
      readonly part?: string;
      /** True if an error should quote nothing of the text. */
      readonly complete?: true;
    };

/** An input as a workflow author types it. */
export interface Input<Value> {
  readonly name: string;
  /**
   * True if an environment variable can replace it (`withFallback`): the connection, the organization and the flow,
   * which are the same in all steps of a job. Inputs that decide a gate, or name what is judged, have no fallback.
   */
  readonly fallback?: true;
  /** True for keys and tokens, which are masked first. */
  readonly secret?: true | undefined;
  /** True if `parse` gets the text untrimmed, because an empty first or last line of a list is an error. */
  readonly untrimmed?: true;
  /** Parses the text, which is trimmed unless `untrimmed`, and not blank. */
  readonly parse: (text: string) => Parsed<Value>;
}

/** The input with an environment variable as its fallback. */
export function withFallback<Value>(input: Input<Value>): Input<Value> {
  return { ...input, fallback: true };
}

export interface Use<Value> {
  readonly input: Input<NonNullable<Value>>;
  /** What happens if it is not given: an error, or this value. */
  readonly absent: 'error' | { readonly value: Value };
}

/** The inputs of an operation, by the names in its code. */
export type Uses = Readonly<Record<string, Use<unknown>>>;

/** The values of these inputs. */
export type ValuesOf<Used extends Uses> = {
  readonly [Key in keyof Used]: Used[Key] extends Use<infer Value> ? Value : never;
};

/** It is an error if the input is missing. */
export function required<Value extends Present>(input: Input<Value>): Use<Value> {
  return { input, absent: 'error' };
}

/** Undefined if the input is missing. */
export function optional<Value extends Present>(input: Input<Value>): Use<Value | undefined> {
  return { input, absent: { value: undefined } };
}

/** This value if the input is missing. */
export function withDefault<Value extends Present>(input: Input<Value>, value: Value): Use<Value> {
  return { input, absent: { value } };
}
