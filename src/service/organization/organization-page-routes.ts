import { bareFingerprint } from '../../contract/names.ts';
import { Type } from '../../contract/schema.ts';
import { findGrants, listOpenOrganizations } from '../account/access-use-cases.ts';
import type { StoredKey } from '../account/account.ts';
import { readsEverything } from '../account/readable-parts.ts';
import { searchArtifacts } from '../artifact/artifact-use-cases.ts';
import type { JudgementReason } from '../attestation/reasons.ts';
import {
  type JudgedEnvironment,
  listEnvironments,
  loadVerdictHistories,
} from '../environment/environment-reading-use-cases.ts';
import { listFlows } from '../flow/flow-use-cases.ts';
import { addOwnPage, addPage, orgPath, type PageHost } from '../platform/pages/page-host.ts';
import { toTrendChoice, trendQuery } from '../platform/pages/trend-html.ts';
import type { TrendChoice } from '../platform/rate.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { listPolicies } from '../policy/policy-use-cases.ts';
import { listSnapshots } from '../snapshot/snapshot-use-cases.ts';
import { findTrails, listFlowOverviews } from '../trail/trail-state-use-cases.ts';
import { listFrequentFaults } from '../trail/trail-trend-use-cases.ts';
import { type OpenOrganization, toHomePage } from './home-page.ts';
import { listFailing, type OrganizationOverview, toOrganizationPage } from './organization-page.ts';
import { listResults, maximumFound, type SearchView, toSearchPage } from './search-page.ts';

/** How many organizations are counted on the home page. */
const maximumCounted = 20;

const overviewFlows = 100;

const overviewTrails = 1;

const overviewFaults = 10;

export function addOrganizationPages(host: PageHost): void {
  const { dependencies } = host;

  addOwnPage(host, '/', async (context, key) => {
    const memberships = await listOpenOrganizations(dependencies, { key });
    const organizations: OpenOrganization[] = [];
    for (const [index, membership] of memberships.entries()) {
      const { org } = membership;
      const isCounted = index < maximumCounted && (await mayReadAll(dependencies, key, org));
      const environments = isCounted ? await countEnvironments(dependencies, org) : undefined;
      organizations.push({ ...membership, environments });
    }
    return toHomePage(context, key, organizations);
  });

  addPage(host, { url: '/:org', path: orgPath, query: trendQuery }, async ({ path: { org }, query, context }) => {
    const choice = toTrendChoice(query);
    const part = { offset: 0, limit: overviewFlows, trails: overviewTrails };
    const [{ flows, total }, environments] = await Promise.all([
      listFlowOverviews(dependencies, { org, ...part, choice }),
      listJudgedEnvironments(dependencies, org, choice),
    ]);
    const trends = new Map(flows.map(({ flow, trend }) => [flow.name, trend]));
    const [faults, reasons] = await Promise.all([
      dependencies.storage.read((records) => listFrequentFaults(records, org, trends, overviewFaults)),
      loadReasons(dependencies, org, listFailing(environments), context.now),
    ]);
    return toOrganizationPage(context, { org, flows, totalFlows: total, environments, reasons, faults, choice });
  });

  const query = Type.Object({ q: Type.Optional(Type.String({ maxLength: 255 })) });
  addPage(
    host,
    {
      ...{ url: '/:org/search', path: orgPath, query },
      lists: {
        results: async ({ path: { org }, query: { q = '' } }) =>
          listResults(dependencies.links.pages, await search(dependencies, org, q.trim())),
      },
    },
    async ({ path: { org }, query: { q = '' }, context }) =>
      toSearchPage(context, await search(dependencies, org, q.trim())),
  );
}

/** Whether a key that opens the organization is not limited to some of its flows and environments. */
async function mayReadAll({ storage }: RouteDependencies, key: StoredKey, org: string): Promise<boolean> {
  return readsEverything({ org, grants: await storage.read((records) => findGrants(records, key, org)) });
}

async function countEnvironments(
  dependencies: RouteDependencies,
  org: string,
): Promise<NonNullable<OpenOrganization['environments']>> {
  const { environments } = await listEnvironments(dependencies, { org, sort: 'name', descending: false });
  return {
    total: environments.length,
    failing: environments.filter(({ compliant }) => compliant === false).length,
  };
}

export async function listJudgedEnvironments(
  dependencies: RouteDependencies,
  org: string,
  { days }: TrendChoice,
): Promise<readonly JudgedEnvironment[]> {
  const { environments } = await listEnvironments(dependencies, { org, sort: 'name', descending: false });
  return loadVerdictHistories(dependencies, environments, days);
}

async function loadReasons(
  dependencies: RouteDependencies,
  org: string,
  failing: readonly JudgedEnvironment[],
  now: number,
): Promise<OrganizationOverview['reasons']> {
  const reasons = new Map<string, readonly JudgementReason[]>();
  const part = { offset: 0, limit: 1, ascending: false };
  for (const { environment } of failing) {
    const current = await listSnapshots(dependencies, { org, environment: environment.name, part, now });
    reasons.set(environment.name, current?.reasons ?? []);
  }
  return reasons;
}

async function search(dependencies: RouteDependencies, org: string, text: string): Promise<SearchView> {
  const bare = bareFingerprint(text);
  const digits = /^[a-f0-9]{5,64}$/.test(bare) ? bare : undefined;
  const nothing = { flows: [], environments: [], policies: [], trails: [], artifacts: [] };
  if (text === '') return { org, text, digits, ...nothing };
  const found = digits === undefined ? undefined : await searchArtifacts(dependencies, org, digits);
  const part = { offset: 0, limit: maximumFound };
  const { flows } = await listFlows(dependencies, { org, search: text, isCaseSensitive: false, part });
  const byName = { name: text, sort: 'name', descending: false } as const;
  const { environments } = await listEnvironments(dependencies, { org, ...byName, part });
  const policies = (await listPolicies(dependencies, { org })).filter(({ name }) =>
    name.toLowerCase().includes(text.toLowerCase()),
  );
  return {
    ...{ org, text, digits },
    artifacts: found?.artifacts ?? [],
    trails: await findTrails(dependencies, { org, text, limit: maximumFound }),
    flows: flows.map(({ name }) => name),
    environments: environments.map(({ name }) => name),
    policies: policies.slice(0, maximumFound).map(({ name }) => name),
  };
}
