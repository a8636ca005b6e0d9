import type { FlowPayload } from '../../contract/flow.ts';
import type { Tags } from '../../contract/tags.ts';
import type { Template } from '../template/template.ts';

export interface Flow {
  readonly org: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: FlowPayload['visibility'];
  readonly template: Template;
  readonly repoUrl: FlowPayload['repo_url'];
  readonly tags: Tags;
  readonly isArchived: boolean;
  readonly lastModifiedAt: number;
}
