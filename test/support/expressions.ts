import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { truthy } from '@actions/expressions/result';
import { isMapping, type Mapping } from '../../src/runtime/untrusted-data.ts';

/** What the status functions of a condition return: how the earlier steps, or the needed jobs, ended. */
export interface ConditionStatus {
  readonly success: boolean;
  readonly failure: boolean;
}

/** Replaces the expressions in a text of a workflow by their values, with GitHub's own evaluator. */
export function resolveExpressions(text: string, contexts: Mapping): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gsu, (_whole, expression: string) =>
    evaluated(expression, contexts).coerceString(),
  );
}

/**
 * Whether a condition under `if:` is met. Without a status function it is met only after success (GitHub's
 * documentation, "Status check functions").
 */
export function isConditionMet(condition: unknown, contexts: Mapping, status: ConditionStatus): boolean {
  if (condition === undefined) return status.success;
  const text = typeof condition === 'string' ? condition.trim() : JSON.stringify(condition);
  const expression = /^\$\{\{(.*)\}\}$/su.exec(text)?.[1] ?? text;
  const names = Object.keys(statusFunctions(status));
  const decidesItself = new RegExp(`\\b(?:${names.join('|')})\\(`, 'iu').test(expression);
  return (decidesItself || status.success) && truthy(evaluated(expression, contexts, status));
}

function statusFunctions({ success, failure }: ConditionStatus): Readonly<Record<string, boolean>> {
  return { success, failure, always: true, cancelled: false };
}

function evaluated(expression: string, contexts: Mapping, status?: ConditionStatus): data.ExpressionData {
  const known = new data.Dictionary(
    ...Object.entries(contexts).map(([key, value]) => ({ key, value: expressionData(value) })),
  );
  const functions = Object.entries(status === undefined ? {} : statusFunctions(status)).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
  const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse();
  return new Evaluator(parsed, known, new Map(functions.map((one) => [one.name, one]))).evaluate();
}

/** GitHub's reviver expects the parts of a value first, in the order of JSON.parse. */
function expressionData(value: unknown): data.ExpressionData {
  if (Array.isArray(value)) return data.reviver('', value.map(expressionData));
  if (!isMapping(value)) return data.reviver('', value ?? null);
  return data.reviver('', Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expressionData(part)])));
}
