import type { PolicyPreview, PreviewedArtifact } from '../../contract/policy-preview.ts';
import { toReasonResponses } from '../attestation/reason-response.ts';
import type { Links } from '../platform/links.ts';
import type { ArtifactChange } from './compare-policies.ts';
import type * as previews from './policy-preview-use-cases.ts';

export function toPreviewResponse(
  { presentVersion, isAttached, environments, environmentsLeftOut }: previews.PolicyPreview,
  { org, name }: { readonly org: string; readonly name: string },
  links: Links,
): PolicyPreview {
  const toArtifact = (change: ArtifactChange): PreviewedArtifact => {
    const { artifact, compliantBefore, compliantAfter, failsFrom, reasons } = change;
    const [known] = artifact.flows;
    return {
      name: artifact.name,
      fingerprint: artifact.fingerprint,
      compliant_before: compliantBefore,
      compliant_after: compliantAfter,
      ...(failsFrom === undefined ? {} : { fails_from: failsFrom }),
      reasons: toReasonResponses(reasons, org, links),
      ...(known === undefined ? {} : { html_url: links.pages.artifact(org, known.flow, artifact.fingerprint) }),
    };
  };
  const total = (field: 'changed' | 'failingLater'): number =>
    environments.reduce((sum, environment) => sum + environment[field], 0);
  return {
    policy: name,
    ...(presentVersion === undefined ? {} : { present_version: presentVersion }),
    attached: isAttached,
    changed_environments: environments.filter(({ before, after }) => before !== after).length,
    changed_artifacts: total('changed'),
    failing_later: total('failingLater'),
    environments: environments.map((environment) => ({
      name: environment.name,
      compliant_before: environment.before,
      compliant_after: environment.after,
      artifact_count: environment.artifactCount,
      changed_artifacts: environment.changed,
      failing_later: environment.failingLater,
      reasons: toReasonResponses(environment.reasons, org, links),
      artifacts: environment.changes.map(toArtifact),
      artifacts_left_out: environment.changesLeftOut,
      html_url: links.pages.environment(org, environment.name),
    })),
    environments_left_out: environmentsLeftOut,
  };
}
