import parse, { type Expression } from 'spdx-expression-parse';
import type { FoundLicenses } from '../../contract/attestations/system.ts';
import { maximumLicenses, maximumNamedComponents } from '../../contract/limits.ts';
import { type Component, cut } from './bill-of-materials.ts';

/** The maximum length of an expression, in characters: real ones are shorter, and the parser takes quadratic time. */
const maximumExpression = 2000;

/** The maximum number of different expressions that are parsed. Further ones count as unreadable. */
const maximumExpressions = 20_000;

/** Parses a licence expression; undefined if it is not one. */
export function parseLicense(text: string): Expression | undefined {
  if (text.length > maximumExpression) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Finds the licences of components, and which of them are not allowed.
 *
 * @param allowed the allowed licences; undefined if all are
 */
export function findLicenses(
  components: readonly Component[],
  allowed: ReadonlySet<string> | undefined,
): FoundLicenses {
  const parsed = new Map<string, Expression | undefined>();
  const licenses = new Set<string>();
  const notAllowed: { component: string; license: string }[] = [];
  const unknown: string[] = [];
  for (const { name, license } of components) {
    if (license !== undefined && !parsed.has(license) && parsed.size < maximumExpressions)
      parsed.set(license, parseLicense(license));
    const expression = license === undefined ? undefined : parsed.get(license);
    if (license === undefined || expression === undefined) {
      unknown.push(license === undefined ? name : cut(`${name} (${license})`));
      continue;
    }
    for (const one of listLicenses(expression)) licenses.add(one);
    if (allowed !== undefined && !isAllowed(expression, allowed))
      notAllowed.push({ component: name, license: cut(license) });
  }
  return {
    licenses: [...licenses].slice(0, maximumLicenses).map(cut),
    not_allowed: notAllowed.slice(0, maximumNamedComponents),
    not_allowed_count: notAllowed.length,
    unknown: unknown.slice(0, maximumNamedComponents),
    unknown_count: unknown.length,
  };
}

/** A choice needs one licence that is allowed; otherwise, all must be. */
function isAllowed(expression: Expression, allowed: ReadonlySet<string>): boolean {
  if ('license' in expression) {
    // A later version may be used under this one, and an exception only permits more.
    const { license, plus = false, exception } = expression;
    const versions = plus ? [license, `${license}+`] : [license];
    return versions.some((one) => allowed.has(one) || allowed.has(`${one} WITH ${exception ?? ''}`));
  }
  const { left, conjunction, right } = expression;
  const isLeft = isAllowed(left, allowed);
  return conjunction === 'or' ? isLeft || isAllowed(right, allowed) : isLeft && isAllowed(right, allowed);
}

/** The licences of an expression as they are written, with `+` and exception. */
export function listLicenses(expression: Expression): readonly string[] {
  if (!('license' in expression)) return [...listLicenses(expression.left), ...listLicenses(expression.right)];
  const { license, plus = false, exception } = expression;
  return [`${license}${plus ? '+' : ''}${exception === undefined ? '' : ` WITH ${exception}`}`];
}
