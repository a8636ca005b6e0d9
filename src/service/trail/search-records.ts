import { parseExactJson } from '../../runtime/exact-json.ts';
import { defineStatements, either, lookUp, Repository, valuesOf } from '../platform/database/database.ts';
import { number, optionalText, text, toRecord } from '../platform/database/rows.ts';
import { toSearchWords } from './search-words.ts';
import type { Trail, TrailReference } from './trail.ts';
import { toTrail, trailColumns } from './trail-records.ts';

const place = either('rowid', 'place');

/** The maximum number of trails that are searched: with a word, and with a word that begins with it. */
const maximumCandidates = 1000;

/** How many records of a trail are read to index it later. */
const maximumRecords = 1000;

/** The fields of an attestation that are searched; the rest of its document can be large. */
const searched = ['git_commit_info', 'origin_url', 'pull_requests'];
const searchedDocument = either(
  `json_object(${searched.map((name) => `'${name}', document -> '$.${name}'`).join(', ')})`,
  `json_build_object(${searched.map((name) => `'${name}', document::json -> '${name}'`).join(', ')})::text`,
);

const ofTrail = 'org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4';

const statements = defineStatements('search', {
  // No letter sorts after U+10FFFF.
  find: `SELECT ${trailColumns} FROM (
      SELECT DISTINCT u.place FROM (
        SELECT e.place FROM (SELECT place FROM search_words WHERE org = $1 AND word = $2 ORDER BY place DESC LIMIT $4) e
        UNION ALL SELECT b.place FROM (SELECT place FROM search_words
          WHERE org = $1 AND word > $2 AND word < $2 || '\u{10ffff}' ORDER BY word, place LIMIT $4) b
      ) u WHERE NOT EXISTS (SELECT 1 FROM ${valuesOf('$3')} WHERE NOT EXISTS (
        SELECT 1 FROM search_words o WHERE o.org = $1 AND o.word = m.value AND o.place = u.place))
    ) l ${lookUp('trails', 't', `t.org = $1 AND t.${place} = l.place`)} ORDER BY l.place DESC LIMIT $5`,
  add: `INSERT INTO search_words (org, word, place)
    SELECT $1, m.value, (SELECT ${place} FROM trails WHERE org = $1 AND flow = $2 AND name = $3) FROM ${valuesOf('$4')}
    WHERE true ON CONFLICT DO NOTHING`,
  findBacklog: `SELECT org, place FROM search_words WHERE word = '' AND org >= $1 ORDER BY org LIMIT 1`,
  listOlder: `SELECT ${trailColumns}, t.${place} AS place FROM trails t WHERE t.org = $1 AND t.${place} <= $2
    ORDER BY t.${place} DESC LIMIT $3`,
  listArtifacts: `SELECT report AS document, NULL AS filename FROM artifacts WHERE ${ofTrail}`,
  listAttestations: `SELECT ${searchedDocument} AS document, attachment_filename AS filename FROM attestations WHERE ${ofTrail}`,
  deleteBacklog: "DELETE FROM search_words WHERE org = $1 AND word = ''",
  addBacklog: "INSERT INTO search_words (org, word, place) VALUES ($1, '', $2)",
});

/** The trails of an organization, up to a place in the order of creation, that are not indexed yet. */
export interface SearchBacklog {
  readonly org: string;
  readonly place: number;
}

export class SearchReader extends Repository {
  /**
   * The latest trails that have all of these words. The longest one may also be the beginning of a word. If many trails
   * have it, only the latest are searched; if many have a word that begins with it, only the first in the order of words.
   */
  async find(org: string, words: readonly string[], limit: number): Promise<readonly Trail[]> {
    const [longest, ...others] = words.toSorted((one, other) => other.length - one.length);
    if (longest === undefined) return [];
    return this.queryAll(statements.find, [org, longest, others, maximumCandidates, limit], toTrail);
  }

  /** The backlog of `org`, or else of the next organization by name that has one. */
  findBacklog(org = ''): Promise<SearchBacklog | undefined> {
    return this.queryFirst(statements.findBacklog, [org], toSearchBacklog);
  }
}

export class SearchWriter extends SearchReader {
  /** Indexes the trail, which must exist, by the words. */
  async add({ org, flow, name }: TrailReference, words: readonly string[]): Promise<void> {
    if (words.length > 0) await this.run(statements.add, [org, flow, name, words]);
  }

  /** Indexes the latest trails of the backlog. */
  async addOlder({ org, place: latest }: SearchBacklog, limit: number): Promise<void> {
    const rows = await this.query(statements.listOlder, [org, latest, limit]);
    for (const trail of rows.map(toTrail)) {
      const values = [org, trail.flow, trail.name, maximumRecords];
      const records = [
        ...(await this.query(statements.listArtifacts, values)),
        ...(await this.query(statements.listAttestations, values)),
      ];
      const words = records.map((row) =>
        toSearchWords(parseExactJson(text(row, 'document')), optionalText(row, 'filename')),
      );
      await this.add(trail, [...new Set([...toSearchWords(trail.report), ...words.flat()])]);
    }
    await this.run(statements.deleteBacklog, [org]);
    const last = rows.at(-1);
    if (last !== undefined) await this.run(statements.addBacklog, [org, number(last, 'place') - 1]);
  }
}

const toSearchBacklog = toRecord<SearchBacklog>({ org: text, place: number });
