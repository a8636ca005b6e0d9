import type { Scope } from '../domain/evidence-scope.ts';
import type { Appearance } from '../domain/records.ts';
import type { FileTemplate } from '../domain/template/template.ts';
import type { ArtifactReader } from './artifacts.ts';
import type { AttestationReader, RecordedSummary } from './attestations.ts';
import type { TrailReader } from './trails.ts';

/** Where to find what belongs to a report of an artifact. */
export interface ReportPlace {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  readonly fingerprint: string;
  /** The scopes in which its evidence is found. */
  readonly scopes: readonly Scope[];
}

/** The maximum lengths of the lists of a context. */
export interface ContextLimits {
  readonly history: number;
  readonly appearances: number;
}

/** What belongs to a report of an artifact, besides the report itself and its flow. */
export interface ReportContext {
  /** The template of its trail; undefined if that has none of its own. */
  readonly template: FileTemplate | undefined;
  /** See `AttestationReader.listCurrent`. */
  readonly current: ReadonlyMap<Scope, readonly RecordedSummary[]>;
  /** See `AttestationReader.listBound`. */
  readonly history: readonly RecordedSummary[];
  /** See `ArtifactReader.listAppearances`. */
  readonly appearances: readonly Appearance[];
}

/** Reads what belongs to reports, at once: every artifact that is looked up needs it. */
export interface ReportContextReader {
  read(place: ReportPlace, limits: ContextLimits): Promise<ReportContext>;
}

/** Reads contexts with the other repositories, for databases that take no round trip for a statement. */
export class ComposedReportContextReader implements ReportContextReader {
  readonly #trails: Pick<TrailReader, 'listTemplates'>;
  readonly #attestations: Pick<AttestationReader, 'listCurrent' | 'listBound'>;
  readonly #artifacts: Pick<ArtifactReader, 'listAppearances'>;

  constructor(repositories: {
    readonly trails: Pick<TrailReader, 'listTemplates'>;
    readonly attestations: Pick<AttestationReader, 'listCurrent' | 'listBound'>;
    readonly artifacts: Pick<ArtifactReader, 'listAppearances'>;
  }) {
    this.#trails = repositories.trails;
    this.#attestations = repositories.attestations;
    this.#artifacts = repositories.artifacts;
  }

  async read({ org, flow, trail, fingerprint, scopes }: ReportPlace, limits: ContextLimits): Promise<ReportContext> {
    const [templates, current, history, appearances] = await Promise.all([
      this.#trails.listTemplates(org, flow, [trail]),
      this.#attestations.listCurrent({ org, flow }, scopes),
      this.#attestations.listBound({ org, flow }, scopes, limits.history),
      this.#artifacts.listAppearances(org, fingerprint, limits.appearances),
    ]);
    return { template: templates.get(trail), current, history, appearances };
  }
}
