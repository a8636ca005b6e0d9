/** The type of the fields without undefined: those that could be undefined are optional. */
type WithoutUndefined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** Returns a copy without the fields that are undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<Fields>;
}
