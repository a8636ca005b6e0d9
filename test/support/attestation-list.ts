import type { ListedAttestation } from '../../src/contract/attestation-list.ts';
import type { ScriptedAnswer, SeenRequest } from './perform-operation.ts';

/** 2026-01-02T03:04:05Z. */
export const start = 1_767_323_045;

/** Number 1 is the oldest. Each has its own trail. */
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

export function pageOf(data: readonly ListedAttestation[], page: number, size: number, total: number): ScriptedAnswer {
  const pagination = { total, page, per_page: size, page_count: Math.ceil(total / size) };
  return { status: 200, body: { data, _links: {}, pagination } };
}

/** Responds with pages of the entries that `listed` returns at that time, until the requested time. */
export function serviceOf(listed: () => readonly ListedAttestation[]): (request: SeenRequest) => ScriptedAnswer {
  return ({ path }) => {
    const query = new URL(path, 'https://x').searchParams;
    const [page, size] = [Number(query.get('page')), Number(query.get('per_page') ?? 15)];
    const to = Number(query.get('to_timestamp') ?? Infinity);
    const all = listed().filter(({ created_at: time = 0 }) => time < to + 1);
    return pageOf(all.slice((page - 1) * size, page * size), page, size, all.length);
  };
}

/** This many attestations, the newest first. */
export const numbers = (count: number): readonly ListedAttestation[] =>
  Array.from({ length: count }, (_, index) => attestation(count - index));
