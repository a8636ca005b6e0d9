/** Where the samples are recorded. */
export interface SampleTarget {
  /** Ends in `/api/v2`. */
  readonly baseUrl: string;
  readonly org: string;
  /** The key of an administrator. */
  readonly key: string;
}

/** Sends a request with JSON or a form, and returns the JSON of the response. */
export type Send = (method: string, path: string, body: unknown) => Promise<unknown>;

/**
 * Creates the function that sends requests to a service.
 *
 * @returns a function that throws an Error if the response is not a success
 */
export function createSend({ baseUrl, key }: SampleTarget): Send {
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    return answer;
  };
}

/** Creates a multipart body: a JSON part, and files by the name of their part. */
export function toForm(
  part: string,
  document: unknown,
  files: Readonly<Record<string, readonly [name: string, content: string]>> = {},
): FormData {
  const form = new FormData();
  form.set(part, JSON.stringify(document));
  for (const [field, [name, content]] of Object.entries(files)) form.set(field, new Blob([content]), name);
  return form;
}
