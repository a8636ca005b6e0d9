import type { Instance } from '../../domain/environment/running-artifact.ts';
import type { Snapshot } from '../../domain/environment/snapshot.ts';
import { html, type Html } from './html.ts';
import { renderFacts, renderTime } from './layout.ts';

/** Renders a snapshot: what ran in the environment, and the verdict of its policies. */
export function renderSnapshot({ org, environment, number, from, artifacts, judgement }: Snapshot): Html {
  const running = artifacts.map(
    ({ name, fingerprint, instances }) => html`
      <tr>
        <td>${name}</td>
        <td>${fingerprint}</td>
        <td>${describeInstances(instances)}</td>
      </tr>
    `,
  );
  const breaches = judgement.breaches.map(
    ({ policy, name, reason }) => html`<li>${name}: ${reason}, which ${policy} requires</li>`,
  );
  const { unjudgeable, furtherBreaches } = judgement;
  return html`
    <p><strong>${describeVerdict(judgement.compliant)}</strong></p>
    ${renderFacts([
      ['Organization', org],
      ['Environment', environment],
      ['Snapshot', String(number)],
      ['Since', renderTime(from)],
      ['Policies', judgement.policies.map(({ name, version }) => `${name}, version ${version}`).join('; ')],
    ])}
    ${unjudgeable === undefined ? '' : html`<p>It could not be evaluated, so it is not compliant: ${unjudgeable}.</p>`}
    <ul>
      ${breaches}
    </ul>
    ${furtherBreaches === undefined ? '' : html`<p>And ${String(furtherBreaches)} more.</p>`}
    <h2>Running</h2>
    <table>
      <tr>
        <th>Name</th>
        <th>Fingerprint</th>
        <th>Instances</th>
      </tr>
      ${running}
    </table>
  `;
}

/** The names of the instances, and the number of those without a name. */
function describeInstances(instances: readonly Instance[]): string {
  const names = instances.flatMap(({ pod }) => (pod === '' ? [] : [pod]));
  const unnamed = instances.length - names.length;
  return [...names, ...(unnamed === 0 ? [] : [String(unnamed)])].join(', ');
}

function describeVerdict(compliant: boolean | null): string {
  if (compliant === null) return 'No policy is attached, so compliance is not evaluated.';
  return compliant ? 'Compliant' : 'Not compliant';
}
