import type { Tags } from '../../contract/tags.ts';
import {
  defineStatements,
  either,
  type ListPart,
  Repository,
  type Value,
  valuesOf,
} from '../platform/database/database.ts';
import { column, isSet, json, number, optionalText, type Row, text, toRecord } from '../platform/database/rows.ts';
import type { Flow } from './flow.ts';

/** A flow without its template and repository. */
export type FlowHead = Pick<Flow, 'org' | 'name' | 'description' | 'visibility' | 'tags' | 'isArchived'>;

export interface FlowFilter {
  /** A part of the name. */
  readonly search?: string | undefined;
  /** Whether the case of `search` matters. */
  readonly isCaseSensitive?: boolean | undefined;
  /** Only flows with all of these tags, each `key` or `key:value`. */
  readonly tags?: readonly string[] | undefined;
  /** Only flows that are archived, or (by default) only those that are not. */
  readonly isArchived?: boolean | undefined;
  /** Only flows whose names sort after this one. */
  readonly after?: string | undefined;
}

const columns = 'org, name, description, visibility, template, repo_url, last_modified_at';
const position = either('instr', 'strpos');
const hasTags = `NOT EXISTS (SELECT 1 FROM ${valuesOf('$4')} WHERE NOT EXISTS (
    SELECT 1 FROM ${either('json_each(tags) t', 'json_each_text(tags::json) t')}
    WHERE m.value IN (t.key, t.key || ':' || t.value)))`;
const matches = `org = $1 AND (archived_at IS NOT NULL) = $5 AND ($2::text IS NULL OR
  ${position}(CASE WHEN $3 THEN name ELSE lower(name) END, CASE WHEN $3 THEN $2 ELSE lower($2) END) > 0)
  AND ($6::text IS NULL OR name > $6) AND ${hasTags}`;

const statements = defineStatements('flows', {
  exists: 'SELECT 1 FROM flows WHERE org = $1 AND name = $2',
  find: `SELECT ${columns}, tags, archived_at FROM flows WHERE org = $1 AND name = $2`,
  list: `SELECT org, name, description, visibility, tags, archived_at FROM flows WHERE ${matches}
    ORDER BY name LIMIT $7 OFFSET $8`,
  count: `SELECT count(*) AS count FROM flows WHERE ${matches}`,
  // If the template changes, the trails are judged again.
  save: `INSERT INTO flows (${columns}, created_at, rejudge_before) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, NULL)
    ON CONFLICT (org, name) DO UPDATE SET description = excluded.description, visibility = excluded.visibility,
      rejudge_before =
        CASE WHEN flows.template = excluded.template THEN flows.rejudge_before ELSE ${Number.MAX_SAFE_INTEGER} END,
      template = excluded.template, repo_url = excluded.repo_url, last_modified_at = excluded.last_modified_at,
      archived_at = NULL`,
  saveTags: 'UPDATE flows SET tags = $3, last_modified_at = $4 WHERE org = $1 AND name = $2',
});

export class FlowReader extends Repository {
  async exists(org: string, name: string): Promise<boolean> {
    return (await this.query(statements.exists, [org, name])).length > 0;
  }

  find(org: string, name: string): Promise<Flow | undefined> {
    return this.queryFirst(statements.find, [org, name], toFlow);
  }

  /** Flows sorted by name. */
  list(org: string, filter: FlowFilter, { offset, limit }: ListPart): Promise<readonly FlowHead[]> {
    return this.queryAll(statements.list, [...toParameters(org, filter), limit, offset], toFlowHead);
  }

  count(org: string, filter: FlowFilter): Promise<number> {
    return this.queryNumber(statements.count, toParameters(org, filter), 'count');
  }
}

function toParameters(
  org: string,
  { search, isCaseSensitive = true, tags = [], isArchived = false, after }: FlowFilter,
): readonly Value[] {
  return [org, search ?? null, isCaseSensitive, tags, isArchived, after ?? null];
}

export class FlowWriter extends FlowReader {
  /** Inserts or replaces the flow, except its tags and time of creation. It is not archived then. Its organization must exist. */
  save(flow: Omit<Flow, 'tags' | 'isArchived'>): Promise<void> {
    const { org, name, description, visibility = null, repoUrl = null, lastModifiedAt } = flow;
    const template = JSON.stringify(flow.template);
    return this.run(statements.save, [org, name, description, visibility, template, repoUrl, lastModifiedAt]);
  }

  /** Replaces the tags of a flow, which must exist. */
  saveTags(org: string, name: string, tags: Tags, at: number): Promise<void> {
    return this.run(statements.saveTags, [org, name, JSON.stringify(tags), at]);
  }
}

const headFields = {
  ...{ org: text, name: text, description: text, visibility: toVisibility, tags: json },
  isArchived: column('archived_at', isSet),
};

const toFlowHead = toRecord<FlowHead>(headFields);

const toFlow = toRecord<Flow>({
  ...headFields,
  ...{ template: json, repoUrl: optionalText, lastModifiedAt: number },
});

function toVisibility(row: Row): 'public' | 'private' | undefined {
  const visibility = optionalText(row, 'visibility');
  return visibility === 'public' || visibility === 'private' ? visibility : undefined;
}
