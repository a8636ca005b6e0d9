import { judge, type Judgement } from './artifact-state.ts';
import { evidenceName } from './binding.ts';
import type { ArtifactDetails } from './records.ts';
import { requiredEvidence } from '../../contract/template.ts';

/** The state of an artifact, by what counts for it now and what its flow asks for now. */
export function judgeArtifact({ flow, evidence }: Pick<ArtifactDetails, 'flow' | 'evidence'>): Judgement {
  const pieces = evidence.map(({ name, verdict, reason }) => ({ name: evidenceName(name), verdict, reason }));
  return judge(requiredEvidence(flow.template), pieces);
}
