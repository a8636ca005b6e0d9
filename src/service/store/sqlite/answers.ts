/** Reads are short and the connection belongs to this thread, so they happen at once; what they throw rejects. */
export async function answer<Result>(read: () => Result): Promise<Result> {
  return Promise.resolve(read());
}

/** The value converted, where there is one. */
export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}
