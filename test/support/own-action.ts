/** How a step names this action: the root action, or the action of one operation. */
export interface OwnAction {
  /** The operation that the action fixes; undefined for the root action, which has it as an input. */
  readonly operation: string | undefined;
}

/** Parses the `uses` of a step; undefined if it is not this action. */
export function parseOwnAction(uses: string): OwnAction | undefined {
  if (uses === './') return { operation: undefined };
  const [, operation] = /^OWNER\/compliance-action(?:\/actions\/([a-z\d-]+))?@/u.exec(uses) ?? [];
  return /^OWNER\/compliance-action[@/]/u.test(uses) ? { operation } : undefined;
}

/** The inputs that the action of one operation sets. */
export function fixedInputs({ operation }: OwnAction): Readonly<Record<string, string>> {
  return operation === undefined ? {} : { operation };
}
