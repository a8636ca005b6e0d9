import type { Proven } from '../../contract/proven.ts';
import { clip, renderFacts } from '../platform/pages/components.ts';
import { type Html, html } from '../platform/pages/html.ts';

/**
 * Renders what the identity token of the sending run proved, apart from what the step says of itself; undefined if the
 * record was sent with a stored key.
 */
export function renderProven(proven: Proven | undefined): Html | undefined {
  if (proven === undefined) return undefined;
  const { repository, repository_id: id, repository_visibility: visibility } = proven;
  const replay =
    'This run delivered evidence of an earlier run. Only the repository is proven for it; the other facts are about the delivery.';
  return html`<h2>Proven by the identity token</h2>
    <p>
      The service has checked these facts about the sender. Everything else that was reported is what the step says of
      itself.
    </p>
    ${proven.is_replay === true ? html`<p><strong>${replay}</strong></p>` : undefined}
    ${renderFacts(
      (
        [
          ['Repository', `${repository} (number ${id}${visibility === undefined ? '' : `, ${visibility}`})`],
          ['Run', `${proven.run_id}, attempt ${proven.run_attempt}`],
          ['Event', proven.event_name],
          ['Ref', proven.ref],
          ['Commit of the ref', proven.sha],
          ['Merge commit, not the judged one', proven.merge_commit],
          ['Workflow', proven.workflow],
          ['Workflow file', proven.workflow_ref],
          ['Workflow file of the job', proven.job_workflow_ref],
          ['GitHub environment', proven.environment],
          ['Started by', proven.actor],
          ['Subject', proven.subject],
          ['Token issuer', proven.issuer],
        ] as const
      ).map(([name, fact]) => [name, fact === undefined ? undefined : clip(fact, 300)]),
    )}`;
}
