import {
  createSourceFile,
  isArrayLiteralExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAssignment,
  ScriptTarget,
  type Expression,
  type Node,
} from 'typescript';

/**
 * A script without the lists of choices in the declarations of endpoints and of kinds of attestations, which have a
 * title as well. The lists are what the documentation says about the interface, and no step reads them. They were 36
 * kB, a third of it in the file that every step reads.
 */
export function withoutChoices(script: string): string {
  const parsed = createSourceFile('script.js', script, ScriptTarget.Latest);
  const pieces: string[] = [];
  let end = 0;
  const visit = (node: Node): void => {
    const choices = choicesOf(node);
    if (choices !== undefined) {
      pieces.push(script.slice(end, choices.getStart(parsed)), '[]');
      end = choices.end;
    }
    node.forEachChild(visit);
  };
  visit(parsed);
  return [...pieces, script.slice(end)].join('');
}

/** The list of choices of a declaration; undefined if the node is not a declaration, or refers to a list. */
function choicesOf(node: Node): Expression | undefined {
  if (!isObjectLiteralExpression(node)) return undefined;
  const values = new Map<string, Expression>();
  for (const property of node.properties)
    if (isPropertyAssignment(property) && isIdentifier(property.name))
      values.set(property.name.text, property.initializer);
  const choices = values.get('choices');
  return values.has('title') && choices !== undefined && isArrayLiteralExpression(choices) ? choices : undefined;
}
