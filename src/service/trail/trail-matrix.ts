import { type Evidence, type EvidenceStatus, withoutMismatched } from '../artifact/artifact-state.ts';
import { type AppliedTemplate, isListTemplate } from '../template/template.ts';
import { listRequiredArtifacts, type TrailJudgement } from './trail-state.ts';

/** How well a trail meets one of its requirements, from good to bad. */
export type CellState = 'compliant' | 'missing' | 'incomplete' | 'non-compliant';

/** The evidence of a trail for one required artifact or attestation. */
export interface MatrixCell<Piece extends Evidence> {
  readonly state: CellState;
  /** The evidence that decides the state; if evidence is missing, what has its name but another type. */
  readonly evidence: readonly Piece[];
}

/** A row of the matrix: a trail, with its cells by column. */
export interface MatrixRow<Piece extends Evidence> {
  readonly cells: ReadonlyMap<string, MatrixCell<Piece>>;
  /** The evidence that the template does not require, the worst first, because a page shows only a few. */
  readonly extra: readonly Piece[];
}

export interface MatrixTrail<Piece extends Evidence> {
  readonly applied: AppliedTemplate;
  readonly judgement: TrailJudgement<Piece>;
}

const order: readonly CellState[] = ['compliant', 'missing', 'incomplete', 'non-compliant'];

/**
 * Compares a trail with what its template requires. The columns are named as in the template: `unit` for evidence of
 * the trail, `web` for an artifact, `web.unit` for evidence of an artifact. A list names evidence of all artifacts at
 * once; the worst of them decides.
 */
export function toMatrixRow<Piece extends Evidence>({ applied, judgement }: MatrixTrail<Piece>): MatrixRow<Piece> {
  const { template } = applied;
  const isList = isListTemplate(template);
  const cells = new Map<string, MatrixCell<Piece>>();
  const extra = new Set<Piece>();
  const take = (column: string, cell: MatrixCell<Piece>): void => {
    cells.set(column, merge(cells.get(column), cell));
  };
  const takeStatus = (column: string, status: EvidenceStatus<Piece>): void => {
    const { isRequired, evidence } = status;
    if (isRequired) take(column, toCell(status));
    else if (evidence !== undefined) extra.add(evidence);
  };
  for (const status of withoutMismatched(judgement.evidence)) takeStatus(status.name, status);
  const required = new Set(listRequiredArtifacts(template));
  for (const status of judgement.artifacts) {
    const { name, reported } = status.artifact;
    // A list only requires an artifact, whatever its name.
    const column = isList ? 'artifact' : name;
    if (required.has(column)) take(column, { state: reported === undefined ? 'missing' : 'compliant', evidence: [] });
    for (const piece of withoutMismatched(status.evidence))
      takeStatus(isList ? piece.name : `${column}.${piece.name}`, piece);
  }
  const byVerdict = [...extra].sort((one, other) => order.indexOf(other.verdict) - order.indexOf(one.verdict));
  return { cells, extra: byVerdict };
}

function toCell<Piece extends Evidence>({ evidence, mismatched }: EvidenceStatus<Piece>): MatrixCell<Piece> {
  if (evidence !== undefined) return { state: evidence.verdict, evidence: [evidence] };
  return { state: 'missing', evidence: mismatched === undefined ? [] : [mismatched] };
}

/** Keeps the worse of two cells; of equal ones, all the evidence, each piece once. */
function merge<Piece extends Evidence>(
  one: MatrixCell<Piece> | undefined,
  other: MatrixCell<Piece>,
): MatrixCell<Piece> {
  if (one === undefined) return other;
  const difference = order.indexOf(one.state) - order.indexOf(other.state);
  if (difference !== 0) return difference > 0 ? one : other;
  return { state: one.state, evidence: [...new Set([...one.evidence, ...other.evidence])] };
}

/** The columns of several rows, in the order in which they first appear. */
export function listColumns(rows: readonly MatrixRow<Evidence>[]): readonly string[] {
  return [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
}
