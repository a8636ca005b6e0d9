import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { isMapping, type Mapping } from '../../src/runtime/values.ts';

/** A text of a workflow with the values of its expressions, evaluated as GitHub does it (its own evaluator). */
export function resolved(text: string, contexts: Mapping): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gu, (_whole, expression: string) => evaluated(expression, contexts));
}

function evaluated(expression: string, contexts: Mapping): string {
  const known = new data.Dictionary(
    ...Object.entries(contexts).map(([key, value]) => ({ key, value: expressionData(value) })),
  );
  const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), []).parse();
  return new Evaluator(parsed, known).evaluate().coerceString();
}

/** Its reviver wants the parts of a value first, as JSON.parse would hand them over. */
function expressionData(value: unknown): data.ExpressionData {
  if (Array.isArray(value)) return data.reviver('', value.map(expressionData));
  if (!isMapping(value)) return data.reviver('', value ?? null);
  return data.reviver('', Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expressionData(part)])));
}
