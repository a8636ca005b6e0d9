import type { ListedAttestation } from '../../src/contract/attestation-list.ts';
import type { ScriptedAnswer, SeenRequest } from './perform-operation.ts';

/** 2026-01-02T03:04:05Z. */
export const start = 1_767_323_045;

/** Number 1 is the oldest; each is of a trail of its own. */
export function attestation(number: number, compliant: boolean | null = true): ListedAttestation {
  return {
    attestation_id: `id-${number}`,
    attestation_name: `sonar-${number}`,
    attestation_type: 'sonar',
    trail_name: `trail-${number}`,
    created_at: start + number + 0.25,
    is_compliant: compliant,
    html_url: `https://compliance.example.com/attestations/${number}`,
    reported_by: 'ann',
  };
}

/** A page of so many entries, out of a total. */
export function pageOf(data: readonly ListedAttestation[], page: number, size: number, total: number): ScriptedAnswer {
  const pagination = { total, page, per_page: size, page_count: Math.ceil(total / size) };
  return { status: 200, body: { data, _links: {}, pagination } };
}

/** Answers pages of what `listed` gives at that time, up to and with the second that is asked for. */
export function serviceOf(listed: () => readonly ListedAttestation[]): (request: SeenRequest) => ScriptedAnswer {
  return ({ path }) => {
    const query = new URL(path, 'https://x').searchParams;
    const [page, size] = [Number(query.get('page')), Number(query.get('per_page') ?? 15)];
    const to = Number(query.get('to_timestamp') ?? Infinity);
    const all = listed().filter(({ created_at: time = 0 }) => time < to + 1);
    return pageOf(all.slice((page - 1) * size, page * size), page, size, all.length);
  };
}

/** So many, the newest first. */
export const numbers = (count: number): readonly ListedAttestation[] =>
  Array.from({ length: count }, (_, index) => attestation(count - index));
