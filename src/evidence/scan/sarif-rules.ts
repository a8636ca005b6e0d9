import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';

interface Component {
  readonly rules: readonly unknown[];
  readonly byId: ReadonlyMap<string, unknown>;
}

/** The maximum number of parts that are removed from the end of an identifier to find its rule. */
const maximumParts = 8;

/** The rules of a run: those of the scanner itself (its driver), and those of its extensions (SARIF 2.1.0, 3.18). */
export class SarifRules {
  readonly #driver: Component;
  readonly #extensions: readonly Component[];

  constructor(run: unknown) {
    this.#driver = toComponent(valueAt(run, 'tool', 'driver'));
    this.#extensions = listAt(run, 'tool', 'extensions').map(toComponent);
  }

  /** The rule of a result (SARIF 2.1.0, 3.27.5 to 3.27.7 and 3.52); undefined if the file does not have it. */
  find(result: unknown): unknown {
    const reference = valueAt(result, 'rule');
    const id = textAt(result, 'ruleId') ?? textAt(reference, 'id');
    const index = numberAt(reference, 'index') ?? numberAt(result, 'ruleIndex');
    const extension = numberAt(reference, 'toolComponent', 'index');
    const named = extension === undefined ? this.#driver : this.#extensions[extension];
    const indexed = index === undefined ? undefined : named?.rules[index];
    if (indexed !== undefined && (id === undefined || belongsTo(id, textAt(indexed, 'id')))) return indexed;
    const components = named === undefined ? [this.#driver] : [named, this.#driver];
    return id === undefined ? undefined : findById(id, [...components, ...this.#extensions]);
  }
}

function toComponent(component: unknown): Component {
  const rules = listAt(component, 'rules');
  const byId = new Map<string, unknown>();
  for (const rule of rules) {
    const id = textAt(rule, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, rule);
  }
  return { rules, byId };
}

/** Index -1 means that there is none. */
function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === 'number' && found >= 0 ? found : undefined;
}

/** The rule `CA2000` also has the results `CA2000/1`. */
function belongsTo(id: string, ruleId: string | undefined): boolean {
  return ruleId === undefined || id === ruleId || id.startsWith(`${ruleId}/`);
}

function findById(id: string, components: readonly Component[]): unknown {
  let part = id;
  for (let removed = 0; removed < maximumParts; removed += 1) {
    for (const { byId } of components) if (byId.has(part)) return byId.get(part);
    const slash = part.lastIndexOf('/');
    if (slash < 0) return undefined;
    part = part.slice(0, slash);
  }
  return undefined;
}
