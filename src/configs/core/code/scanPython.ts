import { isPlaceholder, type Binding, type Declaration, type ModuleScan } from './moduleScan.ts';
import {
  childrenOf,
  dottedPath,
  leadingPath,
  nodesNamed,
  parsePython,
  partsOf,
  splitAtCommas,
  stringContent,
  type ParsedText,
  type SyntaxNode,
} from './syntaxTree.ts';

/** Returns the classes, functions and imports at the top of a Python text, those in `if`, `try` and the like included. */
export function scanPython(text: string, parsed = parsePython(text)): ModuleScan {
  return new PythonScanner(parsed).run();
}

/** Statements whose blocks bind names of the module. */
const transparent = /^(?:(?:If|Try|With|For|While)Statement|StatementGroup|Body)$/;

class PythonScanner {
  readonly #parsed: ParsedText;
  readonly #text: string;
  readonly #declarations: Declaration[] = [];
  readonly #names = new Map<string, Binding>();
  readonly #stars: string[] = [];

  constructor(parsed: ParsedText) {
    this.#parsed = parsed;
    this.#text = parsed.text;
  }

  run(): ModuleScan {
    this.#block(this.#parsed.tree.topNode);
    return {
      declarations: this.#declarations,
      names: this.#names,
      hidden: new Map(),
      stars: this.#stars,
      hasMore: this.#names.has('__getattr__') || this.#usesGlobals(),
    };
  }

  #usesGlobals(): boolean {
    return (
      this.#text.includes('globals') &&
      nodesNamed(this.#parsed, 'CallExpression').some(
        ({ firstChild }) => firstChild !== null && dottedPath(firstChild, this.#text) === 'globals',
      )
    );
  }

  #block(block: SyntaxNode): void {
    const statements = childrenOf(block);
    for (const [index, statement] of statements.entries()) {
      // The code of `if TYPE_CHECKING:` does not exist when the program runs.
      const condition = statements[index - 2]?.name === 'if' ? statements[index - 1] : undefined;
      const isForTypes =
        condition !== undefined && /^(?:typing\s*\.\s*)?TYPE_CHECKING\b/.test(this.#textOf(condition));
      if (!isForTypes) this.#statement(statement);
    }
  }

  #statement(statement: SyntaxNode): void {
    const { name } = statement;
    if (transparent.test(name)) this.#block(statement);
    else if (name === 'DecoratedStatement') {
      const definition = statement.getChild('ClassDefinition') ?? statement.getChild('FunctionDefinition');
      const registered = statement.getChildren('Decorator').flatMap((one) => this.#registration(one) ?? []);
      if (definition !== null) this.#definition(definition, registered.at(-1));
    } else if (name === 'ClassDefinition' || name === 'FunctionDefinition') this.#definition(statement);
    else if (name === 'ImportStatement') this.#import(statement);
    else if (name === 'AssignStatement') this.#assignment(statement);
  }

  /** The name in `@WORKFLOWS.register_module("name")`, for any registry. */
  #registration(decorator: SyntaxNode): string | undefined {
    const path = decorator.getChildren('VariableName');
    const last = path.at(-1);
    const list = decorator.getChild('ArgList');
    if (path.length < 2 || last === undefined || list === null) return undefined;
    if (this.#textOf(last) !== 'register_module') return undefined;
    const [first = []] = partsOf(list);
    const [key] = first;
    const value = first.at(-1);
    const isName = first.length === 1 || (key !== undefined && this.#textOf(key) === 'name');
    return isName && value?.name === 'String' ? stringContent(value, this.#text) : undefined;
  }

  #definition(node: SyntaxNode, registered?: string): void {
    const name = node.getChild('VariableName');
    if (name === null) return;
    const isClass = node.name === 'ClassDefinition';
    const list = node.getChild(isClass ? 'ArgList' : 'ParamList');
    const parts = list === null ? [] : partsOf(list);
    this.#declare({
      name: this.#textOf(name),
      kind: isClass ? 'class' : 'function',
      offset: name.from,
      bases: isClass ? parts.flatMap((part) => this.#base(part) ?? []) : [],
      parameters: isClass ? [] : parts.flatMap((part) => this.#parameter(part) ?? []),
      ...(registered !== undefined && { registered }),
    });
  }

  /** Undefined for keywords and for what is unpacked. */
  #base([first, second]: readonly SyntaxNode[]): string | undefined {
    return first === undefined || second?.name === 'AssignOp' ? undefined : leadingPath(first, this.#text);
  }

  /** A rest parameter keeps its stars. A star or slash alone is not a parameter. */
  #parameter([first, second]: readonly SyntaxNode[]): string | undefined {
    if (first?.name === 'VariableName') return this.#textOf(first);
    const isRest = (first?.name === '*' || first?.name === '**') && second?.name === 'VariableName';
    return isRest ? first.name + this.#textOf(second) : undefined;
  }

  #import(statement: SyntaxNode): void {
    const nodes = childrenOf(statement).filter(({ name }) => name !== '(' && name !== ')');
    const at = nodes.findIndex(({ name }) => name === 'import');
    const isFrom = nodes[0]?.name === 'from';
    const module = isFrom ? this.#joined(nodes.slice(1, at)) : '';
    for (const part of splitAtCommas(nodes.slice(at + 1))) {
      const as = part.findIndex(({ name }) => name === 'as');
      const original = this.#joined(as < 0 ? part : part.slice(0, as));
      const local = as < 0 ? undefined : part[as + 1];
      if (original === '*') this.#stars.push(module);
      else if (part[0]?.name === 'VariableName') {
        const own = local?.name === 'VariableName' ? this.#textOf(local) : undefined;
        if (isFrom) this.#names.set(own ?? original, { kind: 'imported', module, name: original });
        else this.#importModule(original, own);
      }
    }
  }

  /** Without `as`, the first package gets the name. */
  #importModule(module: string, as: string | undefined): void {
    const [first = module] = module.split('.');
    const bound = as === undefined ? first : module;
    this.#names.set(as ?? first, { kind: 'imported', module: bound, name: undefined });
  }

  #assignment(statement: SyntaxNode): void {
    const nodes = childrenOf(statement);
    const last = nodes.findLastIndex(({ name }) => name === 'AssignOp');
    const value = nodes.slice(last + 1);
    const written = this.#joined(value);
    const [only] = value;
    const target = value.length === 1 && only !== undefined ? dottedPath(only, this.#text) : undefined;
    for (const node of nodes.slice(0, Math.max(0, last))) {
      if (node.name !== 'VariableName') continue;
      const name = this.#textOf(node);
      if (isPlaceholder(written) && this.#names.has(name)) continue;
      if (target !== undefined) this.#names.set(name, { kind: 'alias', target });
      else this.#declare({ name, kind: 'value', offset: node.from, bases: [], parameters: [] });
    }
  }

  #declare(declaration: Declaration): void {
    if (declaration.kind !== 'value') this.#declarations.push(declaration);
    this.#names.set(declaration.name, { kind: 'declared', declaration });
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#text.slice(from, to);
  }

  #joined(nodes: readonly SyntaxNode[]): string {
    return nodes.map((node) => this.#textOf(node)).join('');
  }
}
