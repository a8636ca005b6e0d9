import type { DueTarget } from '../notification.ts';

/** The maximum numbers of deliveries in flight at the same time. */
export interface DeliveryLimits {
  readonly total: number;
  readonly perOrganization: number;
  /** How many of those may be to targets whose latest attempt failed, so that broken targets do not block others. */
  readonly failingPerOrganization: number;
}

export const defaultDeliveryLimits: DeliveryLimits = { total: 64, perOrganization: 8, failingPerOrganization: 4 };

/** Identifies a target in all organizations. */
export function targetKey({ org, number, position }: Omit<DueTarget, 'failing'>): string {
  return `${org}/${number}/${position}`;
}

/** Decides which targets are next, so that slow targets of one organization do not delay those of another. */
export class DeliverySchedule {
  readonly #limits: DeliveryLimits;
  readonly #inFlight = new Map<string, DueTarget>();
  /** The number of the last turn of each organization. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(limits: DeliveryLimits = defaultDeliveryLimits) {
    this.#limits = limits;
  }

  /** How many due targets of each organization to pass to `take` (failing ones and others counted separately). */
  get offersPerOrganization(): number {
    return 2 * this.#limits.perOrganization;
  }

  get isFull(): boolean {
    return this.#inFlight.size >= this.#limits.total;
  }

  /**
   * Takes as many due targets as there are free places, and counts them as in flight. Each place goes to the
   * organization with the fewest deliveries in flight; among equals, to the one that has waited longest. Within an
   * organization the order of `due` applies. Targets that are in flight are left out, so that the deliveries of a
   * target stay in order.
   */
  take(due: readonly DueTarget[]): readonly DueTarget[] {
    const waiting = Map.groupBy(
      due.filter((target) => !this.#inFlight.has(targetKey(target))),
      ({ org }) => org,
    );
    const taken: DueTarget[] = [];
    while (!this.isFull) {
      const next = this.#nextOf(waiting);
      if (next === undefined) break;
      this.#inFlight.set(targetKey(next), next);
      this.#turns.set(next.org, (this.#turn += 1));
      waiting.set(
        next.org,
        (waiting.get(next.org) ?? []).filter((target) => target !== next),
      );
      taken.push(next);
    }
    return taken;
  }

  /** Call it when the delivery to the target has ended. */
  release(target: DueTarget): void {
    this.#inFlight.delete(targetKey(target));
  }

  #nextOf(waiting: ReadonlyMap<string, readonly DueTarget[]>): DueTarget | undefined {
    const candidates = [...waiting].flatMap(([org, targets]) => {
      const inFlight = [...this.#inFlight.values()].filter((target) => target.org === org);
      const failing = inFlight.filter((target) => target.failing).length;
      const fits = (target: DueTarget): boolean => !target.failing || failing < this.#limits.failingPerOrganization;
      const target = inFlight.length < this.#limits.perOrganization ? targets.find(fits) : undefined;
      return target === undefined ? [] : [{ target, inFlight: inFlight.length, turn: this.#turns.get(org) ?? 0 }];
    });
    return candidates.sort((one, other) => one.inFlight - other.inFlight || one.turn - other.turn)[0]?.target;
  }
}
