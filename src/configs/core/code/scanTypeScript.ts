import { parametersOf } from './functionForm.ts';
import type { Binding, Declaration, ModuleScan } from './moduleScan.ts';
import {
  childrenOf,
  nodeAfter,
  dottedPath,
  leadingPath,
  parseScript,
  partsOf,
  splitAtCommas,
  stringContent,
  type ParsedText,
  type SyntaxNode,
} from './syntaxTree.ts';

/** Returns the exports of a TypeScript or JavaScript module, as ES module or CommonJS, and its other names. */
export function scanTypeScript(text: string, parsed = parseScript(text)): ModuleScan {
  return new ScriptScanner(parsed).run();
}

/** The name or dotted path that a class extends, without type arguments; of a call, that of the function. */
function baseOf(declaration: SyntaxNode, text: string): string | undefined {
  const base = nodeAfter(declaration.getChild('extends'));
  return base === undefined ? undefined : leadingPath(base, text);
}

export function requiredModule(call: SyntaxNode, text: string): string | undefined {
  const callee = call.name === 'CallExpression' ? call.firstChild : null;
  if (callee?.name !== 'VariableName' || text.slice(callee.from, callee.to) !== 'require') return undefined;
  const literal = call.getChild('ArgList')?.getChild('String');
  return literal === null || literal === undefined ? undefined : stringContent(literal, text);
}

export interface ImportBinding {
  readonly local: string;
  /** Undefined for the module as a whole. */
  readonly original: string | undefined;
  readonly isType: boolean;
  /** The binding in the text, with the comma that goes with it. */
  readonly from: number;
  readonly to: number;
}

export function importBindings(statement: SyntaxNode, text: string): ImportBinding[] {
  const isType = isTypeImport(statement);
  const bindings: ImportBinding[] = [];
  const own = childrenOf(statement)[isType ? 2 : 1];
  if (own?.name === 'VariableDefinition') {
    bindings.push({
      local: nameIn(own, text),
      original: 'default',
      isType,
      from: own.from,
      to: endWithComma(own),
    });
  }
  // The grammar does not know `import a, * as b`.
  const clause = text.slice(statement.from, statement.getChild('from')?.from ?? statement.from);
  const namespace = /,?\s*\*\s*as\s+([\p{ID_Continue}$]+)/u.exec(clause);
  if (namespace !== null) {
    const from = statement.from + namespace.index;
    const [whole, local = ''] = namespace;
    bindings.push({ local, original: undefined, isType, from, to: from + whole.length });
  }
  const group = statement.getChild('ImportGroup');
  for (const part of group === null ? [] : partsOf(group)) {
    const [first] = part;
    const last = part.at(-1);
    if (first === undefined || last === undefined) continue;
    const span = { from: first.from, to: endWithComma(last) };
    const [local, original] = [nameIn(last, text), nameIn(first, text)];
    bindings.push({ local, original, isType: isType || first.name === 'type', ...span });
  }
  return bindings;
}

/** Returns true for `import type …` and `export type …`. */
export function isTypeImport(statement: SyntaxNode): boolean {
  const [, first, second] = childrenOf(statement);
  return first?.name === 'type' && second?.name !== ',';
}

function endWithComma(node: SyntaxNode): number {
  const next = nodeAfter(node);
  return next?.name === ',' ? next.to : node.to;
}

/** A name, which may be written as a string. */
function nameIn(node: SyntaxNode, text: string): string {
  return node.name === 'String' ? stringContent(node, text) : text.slice(node.from, node.to);
}

const functionNames = /^(?:ArrowFunction|Function(?:Expression|Declaration)|AmbientFunctionDeclaration)$/;

/** The code that compilers generate to add exports at run time. */
const addsExports =
  /\b__exportStar\b|\bObject\s*\.\s*(?:assign|definePropert(?:y|ies))\s*\(\s*(?:module\s*\.\s*)?exports\b/;

class ScriptScanner {
  readonly #parsed: ParsedText;
  readonly #text: string;
  readonly #names = new Map<string, Binding>();
  readonly #hidden = new Map<string, Binding>();
  readonly #stars: string[] = [];
  #hasMore = false;

  constructor(parsed: ParsedText) {
    this.#parsed = parsed;
    this.#text = parsed.text;
  }

  run(): ModuleScan {
    for (const statement of childrenOf(this.#parsed.tree.topNode)) this.#statement(statement);
    const names = this.#resolvedNames();
    const declarations = [...names.values()].flatMap((binding) =>
      binding.kind === 'declared' && binding.declaration.kind !== 'value' ? [binding.declaration] : [],
    );
    return {
      declarations: declarations.sort((x, y) => x.offset - y.offset),
      names,
      hidden: this.#hidden,
      stars: this.#stars,
      hasMore: this.#hasMore || addsExports.test(this.#text),
    };
  }

  /** The exports. An alias of a declaration of this file is that declaration under the exported name. */
  #resolvedNames(): Map<string, Binding> {
    const names = new Map<string, Binding>();
    for (const [own, written] of this.#names) {
      const target = written.kind === 'alias' ? this.#hidden.get(written.target) : undefined;
      const binding = target ?? written;
      const declared = binding.kind === 'declared' ? { ...binding.declaration, name: own } : undefined;
      names.set(own, declared === undefined ? binding : { kind: 'declared', declaration: declared });
    }
    return names;
  }

  #statement(statement: SyntaxNode): void {
    if (statement.name === 'ImportDeclaration') {
      const module = this.#moduleOf(statement);
      for (const { original, local, isType } of importBindings(statement, this.#text)) {
        if (!isType) this.#bind(local, { kind: 'imported', module, name: original }, false);
      }
    } else if (statement.name === 'ExportDeclaration') this.#export(statement);
    else if (statement.name === 'ExpressionStatement') this.#assignments(statement);
    else this.#declaration(statement, false);
  }

  #export(statement: SyntaxNode): void {
    const [, first, second] = childrenOf(statement);
    const list = statement.getChild('ExportGroup');
    if (first === undefined || (list !== null && first.name === 'type')) return;
    if (list !== null) this.#exportList(list, statement.getChild('String') === null ? undefined : statement);
    else if (first.name === 'Star') {
      const name = nodeAfter(statement.getChild('as'));
      const module = this.#moduleOf(statement);
      if (name === undefined) this.#stars.push(module);
      else this.#bind(nameIn(name, this.#text), { kind: 'imported', module, name: undefined }, true);
    } else if (first.name === 'default' && second !== undefined) this.#default(second);
    else if (first.name === 'Equals' && second !== undefined) this.#whole(second);
    else this.#declaration(first, true);
  }

  #exportList(list: SyntaxNode, from: SyntaxNode | undefined): void {
    for (const part of partsOf(list)) {
      const [original] = part;
      const exported = part.at(-1);
      // The grammar does not know `type` here.
      if (original === undefined || exported === undefined || part.some(({ type }) => type.isError)) continue;
      const name = nameIn(original, this.#text);
      const binding: Binding =
        from === undefined
          ? { kind: 'alias', target: name }
          : { kind: 'imported', module: this.#moduleOf(from), name };
      this.#bind(nameIn(exported, this.#text), binding, true);
    }
  }

  #default(value: SyntaxNode): void {
    if (/^(?:Class|Function)Declaration$/.test(value.name)) this.#declare(value, true, 'default');
    else this.#value('default', withoutTypes(value).from, value, true);
  }

  #declaration(node: SyntaxNode, exported: boolean): void {
    if (node.name === 'AmbientDeclaration') {
      for (const child of childrenOf(node)) this.#declaration(child, exported);
    } else if (node.name === 'VariableDeclaration') this.#variables(node, exported);
    else if (node.name === 'ClassDeclaration' || functionNames.test(node.name)) {
      this.#declare(node, exported);
    }
  }

  /** @param as the name of an export that goes by another name than the declaration */
  #declare(node: SyntaxNode, exported: boolean, as?: string): void {
    const definition = node.getChild('VariableDefinition');
    const own = definition === null ? undefined : nameIn(definition, this.#text);
    const name = as ?? own;
    if (name === undefined) return;
    const keyword = node.getChild('class') ?? node.getChild('function') ?? node;
    const offset = own === undefined ? keyword.from : (definition?.from ?? node.from);
    this.#bindDeclaration({ name, offset, ...this.#formOf(node) }, exported, own);
  }

  #variables(node: SyntaxNode, exported: boolean): void {
    for (const part of splitAtCommas(childrenOf(node).slice(1))) {
      const [target] = part;
      const equals = part.findIndex(({ name }) => name === 'Equals');
      const value = equals < 0 ? undefined : part[equals + 1];
      if (target === undefined) continue;
      if (target.name === 'ObjectPattern') this.#pattern(target, value, exported);
      else if (target.name === 'VariableDefinition' && (value !== undefined || exported)) {
        this.#value(nameIn(target, this.#text), target.from, value, exported);
      }
    }
  }

  #pattern(pattern: SyntaxNode, value: SyntaxNode | undefined, exported: boolean): void {
    const module = value === undefined ? undefined : requiredModule(value, this.#text);
    for (const property of pattern.getChildren('PatternProperty')) {
      const local = property.getChild('VariableDefinition');
      const original = property.firstChild;
      if (local === null || original === null) continue;
      const own = nameIn(local, this.#text);
      if (module === undefined) this.#value(own, local.from, undefined, exported);
      else this.#bind(own, { kind: 'imported', module, name: nameIn(original, this.#text) }, exported);
    }
  }

  /** Binds what a name is given; undefined for a value that the text does not show. */
  #value(own: string, offset: number, value: SyntaxNode | undefined, exported: boolean): void {
    const plain = value === undefined ? undefined : withoutTypes(value);
    const required = plain === undefined ? undefined : this.#required(plain);
    const target = plain === undefined ? undefined : dottedPath(plain, this.#text);
    if (required !== undefined) this.#bind(own, required, exported);
    else if (target !== undefined && target !== 'undefined') {
      this.#bind(own, { kind: 'alias', target }, exported);
    } else this.#bindDeclaration({ name: own, offset, ...this.#formOf(plain) }, exported, own);
  }

  /** `require('x')`, or a property of it. */
  #required(value: SyntaxNode): Binding | undefined {
    const module = requiredModule(value, this.#text);
    if (module !== undefined) return { kind: 'imported', module, name: undefined };
    const property = value.name === 'MemberExpression' ? value.getChild('PropertyName') : null;
    const object = property === null ? null : value.firstChild;
    const from = object === null ? undefined : requiredModule(object, this.#text);
    if (from === undefined || property === null) return undefined;
    return { kind: 'imported', module: from, name: nameIn(property, this.#text) };
  }

  #formOf(node: SyntaxNode | undefined): Pick<Declaration, 'kind' | 'bases' | 'parameters' | 'isAbstract'> {
    if (node !== undefined && /^Class(?:Declaration|Expression)$/.test(node.name)) {
      const base = baseOf(node, this.#text);
      const isAbstract = node.getChild('abstract') !== null;
      return { kind: 'class', bases: base === undefined ? [] : [base], parameters: [], isAbstract };
    }
    const list = node?.getChild('ParamList');
    if (list === null || list === undefined) {
      const isFunction = node !== undefined && functionNames.test(node.name);
      return { kind: isFunction ? 'function' : 'value', bases: [], parameters: [] };
    }
    return { kind: 'function', bases: [], parameters: parametersOf(list, this.#text).names };
  }

  /** The assignments to `exports` in a statement, outside functions and classes. */
  #assignments(node: SyntaxNode): void {
    if (functionNames.test(node.name) || node.name === 'ClassExpression') return;
    const [target, , value] = node.name === 'AssignmentExpression' ? childrenOf(node) : [];
    const path = target === undefined ? undefined : dottedPath(target, this.#text);
    if (target !== undefined && value !== undefined && path !== undefined) {
      const [, name] = /^(?:module\.)?exports\.([^.]+)$/.exec(path) ?? [];
      const property = target.getChild('PropertyName');
      if (path === 'module.exports') this.#whole(lastValue(value));
      else if (name !== undefined && property !== null)
        this.#value(name, property.from, lastValue(value), true);
    }
    for (const child of childrenOf(node)) this.#assignments(child);
  }

  /** `module.exports = …` and `export = …`: the properties of an object are names, anything else is the default. */
  #whole(value: SyntaxNode): void {
    if (value.name !== 'ObjectExpression') {
      this.#value('default', value.from, value, true);
      return;
    }
    for (const property of value.getChildren('Property')) {
      const key = property.getChild('PropertyDefinition');
      const given = nodeAfter(property.getChild(':'));
      if (key === null) {
        this.#hasMore ||= property.firstChild?.name === 'Spread';
        continue;
      }
      const own = nameIn(key, this.#text);
      if (given !== undefined) this.#value(own, key.from, given, true);
      else if (property.getChild('ParamList') === null) this.#bind(own, { kind: 'alias', target: own }, true);
      else this.#bindDeclaration({ name: own, offset: key.from, ...this.#formOf(property) }, true, undefined);
    }
  }

  #moduleOf(statement: SyntaxNode): string {
    const literal = childrenOf(statement).findLast(({ name }) => name === 'String');
    return literal === undefined ? '' : stringContent(literal, this.#text);
  }

  #bindDeclaration(declaration: Declaration, exported: boolean, own: string | undefined): void {
    const binding: Binding = { kind: 'declared', declaration };
    this.#bind(declaration.name, binding, exported);
    if (own !== undefined) this.#hidden.set(own, binding);
  }

  #bind(own: string, binding: Binding, exported: boolean): void {
    // An import that is passed on under its own name must not lead to itself.
    if (exported && !(binding.kind === 'alias' && this.#names.has(own))) this.#names.set(own, binding);
    if (!exported || binding.kind === 'declared') this.#hidden.set(own, binding);
  }
}

/** The value that all targets of `a = b = value` get. */
function lastValue(value: SyntaxNode): SyntaxNode {
  let last = value;
  while (last.name === 'AssignmentExpression' && last.lastChild !== null) last = last.lastChild;
  return last;
}

/** The value in `(value)`, `value as T`, `value satisfies T`, `value!` and `value<T>`. */
function withoutTypes(value: SyntaxNode): SyntaxNode {
  const [first, second] = childrenOf(value);
  // A default class without a name is parsed as `+class { }`.
  const isSecond = value.name === 'ParenthesizedExpression' || second?.name === 'ClassExpression';
  const isTyped =
    /^(?:Instantiation|Postfix)Expression$/.test(value.name) || /^(?:as|satisfies)$/.test(second?.name ?? '');
  const inner = isSecond ? second : isTyped ? first : undefined;
  return inner === undefined ? value : withoutTypes(inner);
}
