import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { listAt, textAt } from '../../src/runtime/untrusted-data.ts';
import { everyEndpoint } from './every-endpoint.ts';
import type { TestService } from './service.ts';
import { call } from './service-call.ts';

/** An answer, with the same host whatever the service. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends every request of the API that only reads, for each organization, and opens all pages and files that the answers
 * link to. Returns the answers by organization and path.
 *
 * @param keys the key for each organization
 */
export async function readAnswers(
  service: TestService,
  keys: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (const [org, key] of Object.entries(keys)) {
    const { body } = await call(service, { path: `/attestations/${org}/web`, key });
    const ids = listAt(body, 'data').map((entry) => textAt(entry, 'attestation_id') ?? '');
    const keyPath = `/service-accounts/${org}/ci/api-keys`;
    const keyList = (await call(service, { path: keyPath, key })).body;
    const found = [
      ...ids.map((id) => `/attestations/${org}?attestation_id=${id}`),
      ...(Array.isArray(keyList) ? keyList : []).map((entry) => `${keyPath}/${textAt(entry, 'id') ?? ''}`),
    ];
    const addresses = new Set([...listPaths(org), ...found].map((path) => service.baseUrl + path));
    addresses.add(`${service.url}/`);
    // Those that are added meanwhile are visited, too.
    for (const address of addresses) {
      const { status, text } = await call(service, { path: '', at: address, key });
      answers.set(`${org} ${address.slice(service.url.length)}`, toAnswer(service, status, text));
      for (const link of listLinks(text, address)) if (link.startsWith(`${service.url}/`)) addresses.add(link);
    }
  }
  return answers;
}

/** Sends the requests that had these answers in an organization again. Returns the new answers. */
export async function readAgain(
  service: TestService,
  answers: ReadonlyMap<string, Answer>,
): Promise<ReadonlyMap<string, Answer>> {
  const again = new Map<string, Answer>();
  for (const place of answers.keys()) {
    const at = service.url + place.slice(service.org.length + 1);
    const { status, text } = await call(service, { path: '', at });
    again.set(place, toAnswer(service, status, text));
  }
  return again;
}

const toAnswer = ({ url }: TestService, status: number, text: string): Answer => ({
  status,
  text: text.replaceAll(url, 'http://service'),
});

/** The links of a page or of a JSON document. */
function listLinks(text: string, address: string): readonly string[] {
  // Statements have the address of the service in base64, and packages in a ZIP.
  return [...text.matchAll(/(?:href|_url)"?[=:] ?"([^"#]+)(?<!\/(?:statement|audit-package))"/gu)].flatMap(
    ([, link = '']) => {
      const url = URL.parse(link.replaceAll('&amp;', '&'), address);
      return url === null ? [] : [url.href];
    },
  );
}

/** The paths of every endpoint that only reads, as far as they can be known. */
function listPaths(org: string): readonly string[] {
  const sampled = everyEndpoint
    .filter(({ endpoint }) => endpoint.method === 'GET' && !endpoint.path.endsWith('/audit-package'))
    .map(({ request }) => request(org).path);
  const [notifications, environments] = [`/organizations/${org}/environments_notifications`, `/snapshots/${org}`];
  const more = [
    ...['/stage', '/all', '/prod'].flatMap((name) => [1, 2, 3].map((number) => `${environments}${name}/${number}`)),
    ...[1, 2, 3].flatMap((number) => [`${notifications}/${number}`, `${notifications}/${number}/deliveries`]),
    ...[`/trails/${org}?flow=web`, `/trails/${org}/web/main`, `/trails/${org}/web/begun`, `/trails/${org}?per_page=2`],
    ...[`/artifacts/${org}?repo_name=acme/web`, `/policies/${org}/strict`, `/environments/${org}/stage/events`],
    `/organizations/${org}/github-gates/shop`,
    ...[`/organizations/${org}/members/ann/api-keys`, `/service-accounts/${org}/ci/api-keys`],
  ];
  const own = apiEndpoints
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .map(({ path }) => path);
  return [...sampled, ...more, ...own];
}
