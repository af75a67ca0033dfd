import {
  blank,
  childrenOf,
  dottedPath,
  nodeAfter,
  nodesNamed,
  partsOf,
  walk,
  type ParsedText,
  type SyntaxNode,
} from '../../config/code/syntaxTree.ts';

/** The syntax in a JavaScript or TypeScript text that decides how it is compiled. */
export interface ModuleSyntax {
  /** Whether the text has syntax that only an ES module has. */
  readonly isModule: boolean;
  /** Whether it uses names that only CommonJS has, and nothing that only an ES module has. */
  readonly needsCommonJs: boolean;
  readonly hasDecorators: boolean;
}

const commonJsNames = ['__dirname', '__filename'];

export function moduleSyntaxOf(parsed: ParsedText): ModuleSyntax {
  const { text } = parsed;
  let [isModule, usesMeta, usesCommonJs, hasDecorators] = [false, false, false, false];
  walk(parsed, (node) => {
    const code = (): string => text.slice(node.from, node.to);
    if (node.name === 'Decorator') hasDecorators = true;
    else if (node.name === 'ImportDeclaration') isModule = true;
    else if (node.name === 'ExportDeclaration') {
      if (node.getChild('Equals') === null) isModule = true;
      else usesCommonJs = true;
    } else if (node.name === 'ImportMeta') isModule = usesMeta = true;
    else if (node.name === 'CallExpression') usesCommonJs ||= calleeOf(node, text) === 'require';
    else if (node.name === 'MemberExpression') {
      usesCommonJs ||= /^(?:module\.exports|exports\.)/.test(dottedPath(node, text) ?? '');
    } else if (/^Variable(?:Name|Definition)$/.test(node.name)) {
      usesMeta ||= code() === 'createRequire';
      usesCommonJs ||= commonJsNames.includes(code());
    }
  });
  return { isModule, needsCommonJs: usesCommonJs && !usesMeta, hasDecorators };
}

function calleeOf({ firstChild }: SyntaxNode, text: string): string | undefined {
  return firstChild === null ? undefined : dottedPath(firstChild, text);
}

/**
 * Blanks the imports that are never used as a value, above all types, so that all positions stay. TypeScript drops them.
 * Node's type stripping keeps them, since it does not see types, and linking then fails.
 *
 * @param parsed JavaScript without types
 * @returns undefined when there is nothing to drop
 */
export function dropUnusedImports(parsed: ParsedText): string | undefined {
  const { text } = parsed;
  const used = wordsOutsideImports(parsed);
  let result = text;
  for (const statement of nodesNamed(parsed, 'ImportDeclaration')) {
    const bindings = bindingsOf(statement, text);
    const unused = bindings.filter(({ local }) => !used.has(local));
    const end = statement.getChild('String')?.to;
    if (unused.length === 0 || end === undefined) continue;
    if (unused.length === bindings.length) result = blankAt(result, statement.from, end);
    for (const { from, to } of unused) result = blankAt(result, from, to);
  }
  return result === text ? undefined : result;
}

/** All names in the code outside imports. What the parser could not read counts as well. */
function wordsOutsideImports(parsed: ParsedText): ReadonlySet<string> {
  const words = new Set<string>();
  walk(parsed, (node) => {
    if (node.name === 'ImportDeclaration') return false;
    const hidden = node.type.isError ? (node.parent ?? node) : node;
    if (!node.type.isError && (node.firstChild !== null || literals.test(node.name))) return undefined;
    for (const [word] of parsed.text.slice(hidden.from, hidden.to).matchAll(/[\p{ID_Continue}$]+/gu)) {
      words.add(word);
    }
    return undefined;
  });
  return words;
}

const literals = /^(?:(?:Template)?String|RegExp|(?:Line|Block)Comment)$/;

interface ImportBinding {
  readonly local: string;
  /** The binding in the text, with the comma that goes with it. */
  readonly from: number;
  readonly to: number;
}

const namespaceBinding = /,?\s*\*\s*as\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/u;

function bindingsOf(statement: SyntaxNode, text: string): ImportBinding[] {
  const bindings: ImportBinding[] = [];
  const add = (local: string, from: number, to: number): void => void bindings.push({ local, from, to });
  const clauseEnd = statement.getChild('from')?.from ?? statement.from;
  const own = nodeAfter(statement.firstChild);
  if (own?.name === 'VariableDefinition') {
    add(text.slice(own.from, own.to), own.from, endWithComma(own));
  }
  // The grammar does not know `import a, * as b`.
  const namespace = namespaceBinding.exec(text.slice(statement.from, clauseEnd));
  if (namespace !== null) {
    const from = statement.from + namespace.index;
    add(namespace[1] ?? '', from, from + namespace[0].length);
  }
  const group = statement.getChild('ImportGroup');
  for (const part of group === null ? [] : partsOf(group)) {
    const [first] = part;
    const last = part.at(-1);
    if (first === undefined || last === undefined) continue;
    add(text.slice(last.from, last.to), first.from, endWithComma(last));
  }
  return bindings;
}

function endWithComma(node: SyntaxNode): number {
  const next = nodeAfter(node);
  return next?.name === ',' ? next.to : node.to;
}

function blankAt(text: string, from: number, to: number): string {
  return text.slice(0, from) + blank(text.slice(from, to)) + text.slice(to);
}

/** The string that a statement or a call imports from, and whether the import is of types only. */
export interface ImportSource {
  readonly literal: SyntaxNode;
  readonly isForTypes: boolean;
}

/** The imports, re-exports and calls of `require` in a text whose module is a string literal. */
export function importSources(parsed: ParsedText): ImportSource[] {
  const { text } = parsed;
  const statements = ['ImportDeclaration', 'ExportDeclaration', 'DynamicImport', 'CallExpression'];
  return nodesNamed(parsed, ...statements).flatMap((node) => {
    const isCall = node.name === 'CallExpression';
    if (isCall && calleeOf(node, text) !== 'require') return [];
    const list = isCall ? node.getChild('ArgList') : node;
    const literal = list?.getChild('String', node.name === 'ExportDeclaration' ? 'from' : null);
    if (literal === null || literal === undefined) return [];
    return [{ literal, isForTypes: !isCall && isForTypes(node) }];
  });
}

/** `import type X from`, or a list in braces that has nothing but types. */
function isForTypes(statement: SyntaxNode): boolean {
  const [, first, second] = childrenOf(statement);
  if (first?.name === 'type' && second?.name !== ',') return true;
  // The types of a list of exports are not in the tree.
  if (first?.name === 'ExportGroup') return partsOf(first).length === 0;
  const parts = first?.name === 'ImportGroup' ? partsOf(first) : [];
  return parts.length > 0 && parts.every(([head]) => head?.name === 'type');
}
