import { importBindings, isTypeImport, requiredModule } from '../../../configs/core/code/scanTypeScript.ts';
import {
  blank,
  dottedPath,
  nodesNamed,
  partsOf,
  stringContent,
  walk,
  type ParsedText,
  type SyntaxNode,
} from '../../../configs/core/code/syntaxTree.ts';

/** The syntax of a JavaScript or TypeScript text that decides how it is compiled. */
export interface ModuleSyntax {
  /** The text has syntax that only an ES module has. */
  readonly isModule: boolean;
  /** It uses names that only CommonJS has, and nothing that only an ES module has. */
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
    else if (node.name === 'CallExpression')
      usesCommonJs ||= node.firstChild !== null && dottedPath(node.firstChild, text) === 'require';
    else if (node.name === 'MemberExpression') {
      usesCommonJs ||= /^(?:module\.exports|exports\.)/.test(dottedPath(node, text) ?? '');
    } else if (/^Variable(?:Name|Definition)$/.test(node.name)) {
      usesMeta ||= code() === 'createRequire';
      usesCommonJs ||= commonJsNames.includes(code());
    }
  });
  return { isModule, needsCommonJs: usesCommonJs && !usesMeta, hasDecorators };
}

/**
 * Replaces imports that are never used as a value, with everything else in types, by blanks, so that positions stay.
 * TypeScript drops such imports. Node's type stripping keeps them, because it does not see types, and linking then
 * fails.
 *
 * @param parsed JavaScript without types
 * @returns undefined when there is nothing to drop
 */
export function dropUnusedImports(parsed: ParsedText): string | undefined {
  const { text } = parsed;
  const used = wordsOutsideImports(parsed);
  let result = text;
  for (const statement of nodesNamed(parsed, 'ImportDeclaration')) {
    const bindings = importBindings(statement, text);
    const unused = bindings.filter(({ local }) => !used.has(local));
    const end = statement.getChild('String')?.to;
    if (unused.length === 0 || end === undefined) continue;
    if (unused.length === bindings.length) result = blankAt(result, statement.from, end);
    for (const { from, to } of unused) result = blankAt(result, from, to);
  }
  return result === text ? undefined : result;
}

/** Returns all names in the code outside imports, including unparsed text. */
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

function blankAt(text: string, from: number, to: number): string {
  return text.slice(0, from) + blank(text.slice(from, to)) + text.slice(to);
}

export interface ImportSource {
  readonly specifier: string;
  readonly isForTypes: boolean;
}

/** Returns the imports, re-exports and calls of `require` with a string literal as module. */
export function importSources(parsed: ParsedText): ImportSource[] {
  const { text } = parsed;
  const statements = ['ImportDeclaration', 'ExportDeclaration', 'DynamicImport', 'CallExpression'];
  return nodesNamed(parsed, ...statements).flatMap((node): ImportSource[] => {
    if (node.name === 'CallExpression') {
      const specifier = requiredModule(node, text);
      return specifier === undefined ? [] : [{ specifier, isForTypes: false }];
    }
    const literal = node.getChild('String', node.name === 'ExportDeclaration' ? 'from' : null);
    return literal === null
      ? []
      : [{ specifier: stringContent(literal, text), isForTypes: isForTypes(node, text) }];
  });
}

/** Returns true for `import type X from`, or a list in braces with types only. */
function isForTypes(statement: SyntaxNode, text: string): boolean {
  // The types of a list of exports are not in the tree.
  const list = statement.getChild('ExportGroup');
  const bindings = importBindings(statement, text);
  const isOnlyTypes = bindings.length > 0 && bindings.every(({ isType }) => isType);
  return isTypeImport(statement) || isOnlyTypes || (list !== null && partsOf(list).length === 0);
}
