import {
  createSourceFile,
  type Expression,
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isMetaProperty,
  isPropertyAccessExpression,
  isStringLiteralLike,
  type Node,
  ScriptTarget,
  SyntaxKind,
} from 'typescript';

/** The packages whose code a source loads. Imports of types, which are removed, and Node's own modules do not count. */
export function importedPackages(source: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: Node): void => {
    const module = loadedModule(node);
    if (module !== undefined && isStringLiteralLike(module)) names.push(module.text);
    node.forEachChild(visit);
  };
  visit(createSourceFile('source.ts', source, ScriptTarget.ESNext));
  return names
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0] ?? name);
}

/** What names the module that an import or export loads, or whose file `import.meta.resolve` finds. */
function loadedModule(node: Node): Expression | undefined {
  if (isImportDeclaration(node))
    return node.importClause?.phaseModifier === SyntaxKind.TypeKeyword ? undefined : node.moduleSpecifier;
  if (isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  if (!isCallExpression(node)) return undefined;
  const { expression } = node;
  const isResolved = isPropertyAccessExpression(expression) && isMetaProperty(expression.expression);
  if (expression.kind === SyntaxKind.ImportKeyword || isResolved) return node.arguments[0];
  return undefined;
}
