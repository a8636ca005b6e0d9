import { getArtifact } from '../../contract/artifact.ts';
import { assertArtifact } from '../../contract/artifact-assertion.ts';
import { type Caller, mayAccess } from '../account/access.ts';
import { toReadableDetails, toReadableEvaluations } from '../account/readable-parts.ts';
import type { CountedAttestation } from '../attestation/attestation.ts';
import {
  compareStatuses,
  renderAddress,
  renderAnnotations,
  renderEvidence,
  renderExternalLinks,
  renderJudgement,
  renderRepository,
  renderSentences,
  renderUserData,
} from '../attestation/evidence-html.ts';
import { renderPackageLink } from '../audit-package/audit-package-html.ts';
import { renderProven } from '../login/proven-html.ts';
import { apiRequest } from '../platform/pages/api-request.ts';
import {
  type BadgeState,
  clip,
  describeCountsFor,
  pageLink,
  renderBadge,
  renderFacts,
  renderLinks,
  renderResult,
  renderTime,
} from '../platform/pages/components.ts';
import { type Hole, type Html, html, link } from '../platform/pages/html.ts';
import type { Page, PageContext } from '../platform/pages/page.ts';
import { addPage, type PageHost } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import type { RuleResult } from '../policy/compile-policy.ts';
import type { PolicyEvaluation } from '../policy/judge-environment.ts';
import { describePolicy } from '../policy/provenance-requirement.ts';
import type { Appearance, ArtifactDetails } from './artifact.ts';
import * as assertions from './artifact-assertion-use-cases.ts';
import { requireArtifact, requireReportId } from './artifact-routes.ts';
import { type EvidenceStatus, judgeArtifact, listArtifactEvidence, withoutMismatched } from './artifact-state.ts';
import { maximumHistory } from './artifact-use-cases.ts';

export function addArtifactPage(host: PageHost): void {
  const { dependencies } = host;
  addPage(
    host,
    { url: '/:org/flows/:flow_name/artifacts/:fingerprint', path: getArtifact.parameters, query: getArtifact.query },
    async ({ path: { org, flow_name: flow, fingerprint }, query, context, caller }) => {
      const narrow = { trail: query.trail, attestationId: requireReportId(query) };
      const found = await requireArtifact(dependencies, { org, flow, fingerprint, ...narrow });
      const details = toReadableDetails(caller, found.details);
      return toArtifactPage(context, { details, ...(await judgeInEnvironments(dependencies, details, caller)) });
    },
  );
}

/** The maximum number of environments by whose policies an artifact is judged. */
const maximumEnvironments = 4;

/** Judges an artifact by the policies of the environments that it runs in, and that the caller may read. */
async function judgeInEnvironments(
  dependencies: RouteDependencies,
  { artifact, appearances }: ArtifactDetails,
  caller: Caller,
): Promise<Pick<ArtifactView, 'verdicts' | 'others'>> {
  const { org, flow, report } = artifact;
  const running = appearances.filter(({ exitedAt }) => exitedAt === undefined);
  const environments = [...new Set(running.map(({ environment }) => environment))].filter((environment) =>
    mayAccess(caller, org, 'read', { flows: [flow], environments: [environment] }),
  );
  const verdicts: EnvironmentVerdict[] = [];
  for (const environment of environments.slice(0, maximumEnvironments)) {
    const { fingerprint } = report;
    const assertion = await assertions.assertArtifact(dependencies, { org, fingerprint, environment });
    if (assertion.outcome !== 'judged') continue;
    const { compliant, info } = assertion;
    verdicts.push({ environment, compliant, info, policies: toReadableEvaluations(caller, assertion.policies ?? []) });
  }
  return { verdicts, others: environments.slice(maximumEnvironments) };
}

interface EnvironmentVerdict {
  readonly environment: string;
  readonly compliant: boolean;
  readonly info: string;
  readonly policies: readonly PolicyEvaluation[];
}

interface ArtifactView {
  readonly details: ArtifactDetails;
  /** By the policies of the environments that it runs in. */
  readonly verdicts: readonly EnvironmentVerdict[];
  /** The other environments that it runs in. */
  readonly others: readonly string[];
}

/** Creates the page of an artifact: its state and why, rule by rule, its evidence, and where it runs and ran. */
function toArtifactPage(context: PageContext, view: ArtifactView): Page {
  const { details, verdicts, others } = view;
  const { artifact, appearances, history } = details;
  const { org, flow, id, report } = artifact;
  const { paths } = context;
  const { fingerprint } = report;
  return {
    title: clip(report.filename, 200),
    kind: 'Artifact',
    section: 'flows',
    crumbs: [
      { name: 'Flows', path: paths.flows(org) },
      { name: flow, path: paths.flow(org, flow) },
      { name: report.trail_name, path: paths.trail(org, flow, report.trail_name) },
    ],
    api: [
      apiRequest(getArtifact, { org, flow_name: flow, fingerprint }, { attestation_id: id }),
      ...verdicts.map(({ environment }) =>
        apiRequest(assertArtifact, { org, fingerprint }, { environment_name: environment }),
      ),
    ],
    content: html`${renderJudgement(context, org, judgeArtifact(details))} ${renderArtifactFacts(context, details)}
      ${renderProven(report.proven)}
      <h2>Evidence</h2>
      ${renderAllEvidence(context, listArtifactEvidence(details))}
      ${verdicts.map((verdict) => renderEnvironmentVerdict(context, org, verdict))}
      ${
        others.length === 0
          ? undefined
          : html`<p>
              It is not judged here by the policies of other environments that it runs in:
              ${renderLinks(others, (name) => paths.environment(org, name))}
            </p>`
      }
      <h2>Where it runs and ran</h2>
      ${renderAppearances(context, org, appearances)}
      <h2>Reported about it, the latest first</h2>
      ${renderHistory(context, details)}
      ${
        history.length < maximumHistory
          ? undefined
          : html`<p>At most the latest ${maximumHistory} are shown. The audit package has all.</p>`
      }
      ${renderUserData(report.user_data)}`,
  };
}

function renderArtifactFacts(context: PageContext, { artifact }: ArtifactDetails): Html {
  const { org, flow, createdAt, reportedBy, countsFor, report } = artifact;
  return renderFacts([
    ['Fingerprint', html`<code>${report.fingerprint}</code>`],
    ['Trail', pageLink(context.paths.trail(org, flow, report.trail_name), report.trail_name)],
    ['Name in the template', report.template_reference_name],
    ['Commit', link(report.commit_url, report.git_commit)],
    ['Commit message', report.git_commit_info?.message],
    ['Author', report.git_commit_info?.author],
    ['Branch', report.git_commit_info?.branch],
    ['Build', renderAddress(report.build_url)],
    ['Repository', renderRepository(report.repo_info)],
    ['Links', renderExternalLinks(report.external_urls)],
    ['Remarks', renderAnnotations(report.annotations)],
    ['Reported', html`${renderTime(createdAt, context)} by ${reportedBy}`],
    ['Counts for', describeCountsFor(countsFor)],
    ['Audit package', renderPackageLink(context.paths.artifact(org, flow, report.fingerprint))],
  ]);
}

function renderAllEvidence(context: PageContext, statuses: readonly EvidenceStatus<CountedAttestation>[]): Html {
  return renderTable({
    label: 'Evidence',
    columns: ['Evidence', 'State', 'Why', 'Type', 'Required', 'Reported'],
    rows: withoutMismatched(statuses.toSorted(compareStatuses)).map((status): readonly Hole[] => {
      const { name, state, why, required, reported } = renderEvidence(context, status.label, status);
      return [name, state, why, status.type === '*' ? 'any' : status.type, required, reported];
    }),
    empty: 'The template requires no evidence, and none was reported.',
    maximumBytes: 14_000,
  });
}

function renderEnvironmentVerdict(context: PageContext, org: string, verdict: EnvironmentVerdict): Html {
  const { environment, compliant, policies } = verdict;
  const info = clip(assertions.describeAssertion(verdict), 500);
  return html`<h2>Policies of ${environment}</h2>
    ${renderResult(policies.length === 0 ? 'unjudged' : compliant ? 'COMPLIANT' : 'NON-COMPLIANT', info)}
    ${policies.length === 0 ? undefined : renderRules(context, org, verdict)}`;
}

function renderRules(context: PageContext, org: string, { environment, policies }: EnvironmentVerdict): Html {
  return renderTable({
    label: `Rules of the policies of ${environment}`,
    columns: ['Rule', 'Policy', 'Result', 'Why'],
    rows: policies.flatMap(({ policy, version, rules, unjudgeable }): readonly (readonly Hole[])[] => {
      const source = describePolicy(policy, version);
      if (unjudgeable !== undefined)
        return [['all rules', source, renderBadge('NON-COMPLIANT', 'Not applied'), clip(unjudgeable, 300)]];
      return rules.map(({ definition, result }) => {
        const [state, words, reason] = describeRule(context, org, result);
        const { name, type } = definition;
        return [type === 'artifact' ? name : `${type} ${name}`, source, renderBadge(state, words), reason];
      });
    }),
    empty: 'The policies have no rules.',
    maximumBytes: 8000,
  });
}

const maximumRuleReasons = 3;

function describeRule(
  context: PageContext,
  org: string,
  result: RuleResult,
): readonly [state: BadgeState, words: string, reason: Hole] {
  switch (result.outcome) {
    case 'kept':
      return ['COMPLIANT', 'Kept', ''];
    case 'broken':
      return ['NON-COMPLIANT', 'Broken', renderSentences(context, org, result.reasons, maximumRuleReasons)];
    case 'announced': {
      const reasons = renderSentences(context, org, result.reasons, maximumRuleReasons);
      return ['unjudged', 'Not enforced yet', html`From ${result.from} on, it breaks the rule: ${reasons}`];
    }
    case 'excepted':
      return ['unjudged', 'Exception', 'An exception of the policy applies to the artifact.'];
    case 'not applicable':
      return ['unjudged', 'Does not apply', 'Its condition does not hold for the artifact.'];
  }
}

function renderAppearances(context: PageContext, org: string, appearances: readonly Appearance[]): Html {
  const { paths } = context;
  return renderTable({
    label: 'Where it runs and ran',
    columns: ['Environment', 'State', 'From', 'To'],
    rows: appearances.map(({ environment, started, startedAt, last, exitedAt }): readonly Hole[] => [
      pageLink(paths.environment(org, environment), environment),
      exitedAt === undefined ? 'Runs now' : 'No longer runs',
      html`${renderTime(startedAt, context)},
      ${pageLink(paths.snapshot(org, environment, started), `snapshot ${started}`)}`,
      exitedAt === undefined
        ? html`now, ${pageLink(paths.snapshot(org, environment, last), `snapshot ${last}`)}`
        : html`${renderTime(exitedAt, context)}, ${pageLink(paths.snapshot(org, environment, last), `snapshot ${last}`)}`,
    ]),
    empty: `No environment${context.viewer?.isLimited === true ? ' that you may see' : ''} has reported that it runs this artifact.`,
    maximumBytes: 8000,
  });
}

function renderHistory(context: PageContext, { artifact: { org, flow }, history }: ArtifactDetails): Html {
  const { paths } = context;
  return renderTable({
    label: 'Reported about it',
    columns: ['Attestation', 'State', 'Type', 'By', 'Reported'],
    rows: history.map(({ trail, id, name, type, verdict, createdAt, reportedBy }): readonly Hole[] => [
      pageLink(paths.attestation(org, flow, trail, id), name),
      renderBadge(verdict),
      type,
      reportedBy,
      renderTime(createdAt, context),
    ]),
    empty: 'No attestation applies to it yet.',
    maximumBytes: 8000,
  });
}
