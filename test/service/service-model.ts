/** The states of an artifact. */
export type ModelState = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';

interface ModelFlow {
  template: readonly string[];
  /** In the order of their reports. The latest one of a fingerprint counts. */
  readonly artifacts: { readonly fingerprint: string; readonly trail: string }[];
  readonly attestations: { readonly trail: string; readonly name: string; readonly compliant: boolean }[];
}

interface ModelEnvironment {
  readonly policies: Set<string>;
  /** What each snapshot runs and whether it is compliant, oldest first. */
  readonly snapshots: { readonly running: readonly string[]; readonly compliant: boolean | null }[];
}

/** What a policy of the model requires; `trails` requires provenance as well. */
export const modelPolicies = ['known', 'trails'] as const;

export type ModelPolicy = (typeof modelPolicies)[number];

/**
 * One organization as the interface describes it, written independently of the service: everything is stored as
 * reported, and judged again on each request. Results are statuses, or the part of a body that is compared.
 */
export class ServiceModel {
  readonly #flows = new Map<string, ModelFlow>();
  readonly #environments = new Map<string, ModelEnvironment>();
  readonly #policies = new Set<ModelPolicy>();

  saveFlow(name: string, template: readonly string[]): number {
    const flow = this.#flows.get(name);
    if (flow === undefined) this.#flows.set(name, { template, artifacts: [], attestations: [] });
    else flow.template = template;
    this.#evidenceChanged();
    return flow === undefined ? 201 : 200;
  }

  reportArtifact(name: string, fingerprint: string, trail: string): number {
    const flow = this.#flows.get(name);
    if (flow === undefined) return 404;
    flow.artifacts.push({ fingerprint, trail });
    this.#evidenceChanged();
    return 201;
  }

  attest(name: string, trail: string, attestation: string, compliant: boolean): number {
    const flow = this.#flows.get(name);
    if (flow === undefined) return 404;
    flow.attestations.push({ trail, name: attestation, compliant });
    this.#evidenceChanged();
    return 201;
  }

  /** The state of the latest report; 404 if there is none. */
  artifact(name: string, fingerprint: string): ModelState | 404 {
    const flow = this.#flows.get(name);
    const trail = flow?.artifacts.findLast((artifact) => artifact.fingerprint === fingerprint)?.trail;
    return flow === undefined || trail === undefined ? 404 : stateIn(flow, trail);
  }

  /** Names and verdicts, newest first, and their number; 404 for an unknown flow. */
  attestations(
    name: string,
    page: number,
    size: number,
  ): { readonly total: number; readonly page: readonly string[] } | 404 {
    const all = this.#flows.get(name)?.attestations;
    if (all === undefined) return 404;
    const words = all.toReversed().map((attestation) => `${attestation.name} ${attestation.compliant}`);
    return { total: all.length, page: words.slice((page - 1) * size, page * size) };
  }

  saveEnvironment(name: string): number {
    if (!this.#environments.has(name)) this.#environments.set(name, { policies: new Set(), snapshots: [] });
    return 201;
  }

  report(name: string, running: readonly string[]): number {
    const environment = this.#environments.get(name);
    if (environment === undefined) return 404;
    const wanted = [...new Set(running)].sort();
    if (environment.snapshots.at(-1)?.running.join() === wanted.join()) return 200;
    this.#addSnapshot(environment, wanted);
    return 201;
  }

  savePolicy(name: ModelPolicy): number {
    const isNew = !this.#policies.has(name);
    this.#policies.add(name);
    // A new version, so the environments are judged again.
    for (const environment of this.#environments.values()) if (environment.policies.has(name)) this.#next(environment);
    return isNew ? 201 : 200;
  }

  attach(name: string, policies: readonly ModelPolicy[]): number {
    const environment = this.#environments.get(name);
    if (environment === undefined || !policies.every((policy) => this.#policies.has(policy))) return 404;
    const added = policies.filter((policy) => !environment.policies.has(policy));
    for (const policy of added) environment.policies.add(policy);
    if (added.length > 0) this.#next(environment);
    return 201;
  }

  detach(name: string, policies: readonly ModelPolicy[]): number {
    const environment = this.#environments.get(name);
    if (environment === undefined || !policies.every((policy) => this.#policies.has(policy))) return 404;
    const removed = policies.filter((policy) => environment.policies.delete(policy));
    if (removed.length > 0) this.#next(environment);
    return 200;
  }

  /** Numbers and verdicts, newest first unless reversed; 404 for an unknown environment. */
  snapshots(name: string, page: number, size: number, reverse: boolean): readonly string[] | 404 {
    const all = this.#environments.get(name)?.snapshots.map(({ compliant }, index) => `${index + 1} ${compliant}`);
    if (all === undefined) return 404;
    return (reverse ? all : all.toReversed()).slice((page - 1) * size, page * size);
  }

  /** What runs only in the first of two snapshots, and only in the second; 404 if one is missing. */
  difference(
    name: string,
    first: number,
    second: number,
  ): { readonly first: readonly string[]; readonly second: readonly string[] } | 404 {
    const snapshots = this.#environments.get(name)?.snapshots;
    const [one, other] = [snapshots?.[first - 1]?.running, snapshots?.[second - 1]?.running];
    if (one === undefined || other === undefined) return 404;
    return { first: one.filter((each) => !other.includes(each)), second: other.filter((each) => !one.includes(each)) };
  }

  /** Makes another snapshot of the same artifacts, if there is one. */
  #next(environment: ModelEnvironment): void {
    const latest = environment.snapshots.at(-1);
    if (latest !== undefined) this.#addSnapshot(environment, latest.running);
  }

  #addSnapshot(environment: ModelEnvironment, running: readonly string[]): void {
    environment.snapshots.push({ running, compliant: this.#verdict(environment, running) });
  }

  /** Makes another snapshot of each environment whose verdict has changed. */
  #evidenceChanged(): void {
    for (const environment of this.#environments.values()) {
      const latest = environment.snapshots.at(-1);
      if (latest !== undefined && this.#verdict(environment, latest.running) !== latest.compliant) {
        this.#next(environment);
      }
    }
  }

  #verdict({ policies }: ModelEnvironment, running: readonly string[]): boolean | null {
    if (policies.size === 0) return null;
    return running.every((fingerprint) => {
      const states = [...this.#flows.keys()].map((name) => this.artifact(name, fingerprint));
      const known = states.filter((state) => state !== 404);
      return known.length > 0 && (!policies.has('trails') || known.every((state) => state === 'COMPLIANT'));
    });
  }
}

/** The state of an artifact by the attestations of its trail. The latest one of a name counts. */
function stateIn({ template, attestations }: ModelFlow, trail: string): ModelState {
  const latest = new Map(
    attestations.filter((each) => each.trail === trail).map((each) => [each.name, each.compliant]),
  );
  if ([...latest.values()].includes(false)) return 'NON-COMPLIANT';
  return template.every((name) => name === 'artifact' || latest.has(name)) ? 'COMPLIANT' : 'INCOMPLETE';
}
