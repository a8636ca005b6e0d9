import type { Artifact } from '../../contract/artifact.ts';
import type { Verdict } from '../../contract/compliance.ts';
import { type Reason, sortReasons } from '../../contract/reason.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { unexplainedReason } from '../reasons.ts';
import { listEvidence } from './artifact-evidence.ts';

/**
 * Why an artifact is not compliant, from the evidence and the template of an answer without reasons. If they explain
 * nothing, the service's words about the state do.
 *
 * @param name what the reasons call the artifact
 */
export function deriveArtifactReasons(
  artifact: Artifact,
  verdict: Exclude<Verdict, 'compliant'>,
  name: string,
): readonly Reason[] {
  const { items } = listEvidence(artifact);
  const found = [...items].flatMap(([about, { state, reason, description, href }]): readonly Reason[] => {
    if (state === 'compliant') return [];
    const more = omitUndefined({ description, html_url: href });
    switch (state) {
      case 'missing':
      case 'mismatched':
        return [{ state: 'missing', about, rule: 'template', value: reason ?? 'not recorded', ...more }];
      case 'failed':
        return [{ state, about, value: reason ?? 'not compliant', ...more }];
      case 'incomplete':
      case 'unknown':
        return [{ state: 'incomplete', about, value: reason ?? 'not judged yet', ...more }];
    }
  });
  if (found.length > 0) return sortReasons(found);
  return [unexplainedReason(name, verdict, artifact.state_info, artifact.html_url)];
}
