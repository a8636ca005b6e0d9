/** What an input's value can be: anything but nothing. */
export type Present = string | number | boolean | object;

/** The value of an input, or what is wrong with it. */
export type Parsed<Value> =
  | { readonly value: Value }
  | {
      /** The end of a sentence: `must be …`. */
      readonly problem: string;
      readonly remedy: string;
      /** What an error repeats of the text, where not the whole: the part that is to blame, or all but a password. */
      readonly part?: string;
      /** True where the problem says all there is to say, and an error repeats nothing of the text. */
      readonly complete?: true;
    };

/** An input as a workflow author types it. */
export interface Input<Value> {
  /** Its name in `with:`. */
  readonly name: string;
  /**
   * True if a variable of the job may take its place (`withFallback`): the connection, the organization and the flow, which
   * are the same in all steps of a job. What decides a gate, or names what is judged, stands in the step itself.
   */
  readonly fallback?: true;
  /** True for keys and tokens: masked before anything else happens. */
  readonly secret: boolean;
  /** True where `parse` gets the text as it was given: in a list, an empty line at either end says something, too. */
  readonly untrimmed?: true;
  /** Reads the text, which is more than white space; trimmed, unless said otherwise. */
  readonly parse: (text: string) => Parsed<Value>;
}

/** The input, with a variable of the job as its environment fallback. */
export function withFallback<Value>(input: Input<Value>): Input<Value> {
  return { ...input, fallback: true };
}

/** An input in the place where an operation uses it. */
export interface Use<Value> {
  readonly input: Input<NonNullable<Value>>;
  /** What happens where none is given: the step ends with an error, or goes on with this value. */
  readonly absent: 'error' | { readonly value: Value };
}

/** The inputs of an operation, by the name that its code gives them. */
export type Uses = Readonly<Record<string, Use<unknown>>>;

/** The values of these inputs. */
export type ValuesOf<Used extends Uses> = {
  readonly [Key in keyof Used]: Used[Key] extends Use<infer Value> ? Value : never;
};

/** The step cannot go on without it. */
export function required<Value extends Present>(input: Input<Value>): Use<Value> {
  return { input, absent: 'error' };
}

/** May be left out. */
export function optional<Value extends Present>(input: Input<Value>): Use<Value | undefined> {
  return { input, absent: { value: undefined } };
}

/** Has a value when it is left out. */
export function withDefault<Value extends Present>(input: Input<Value>, value: Value): Use<Value> {
  return { input, absent: { value } };
}
