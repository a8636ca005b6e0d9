import type { Endpoint } from '../../../contract/endpoint.ts';

/** A request of the API as a page names it: `GET /trails/acme/web/main`, relative to the base URL of the API. */
export function apiRequest(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  parameters: Readonly<Record<string, string>>,
  query: Query = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (hole, name: string) => encodeURIComponent(parameters[name] ?? hole));
  return `${method} ${withQuery(filled, query)}`;
}

/** The parameters of an address. Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export function withQuery(address: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return given.length === 0 ? address : `${address}?${given.join('&')}`;
}
