import { maskPython } from './maskPython.ts';
import { isPlaceholder, type Binding, type Declaration, type ModuleScan } from './moduleScan.ts';
import { insideBrackets, splitAtCommas } from './brackets.ts';

const name = '[\\p{ID_Start}_]\\p{ID_Continue}*';
const dotted = `${name}(?:\\s*\\.\\s*${name})*`;
const classStart = new RegExp(`^class\\s+(${name})\\s*`, 'u');
const functionStart = new RegExp(`^(?:async\\s+)?def\\s+(${name})\\s*`, 'u');
const fromImport = new RegExp(`^from\\s+(\\.[.\\s]*(?:${dotted})?|${dotted})\\s+import\\b`, 'u');
const imported = new RegExp(`^(${dotted})(?:\\s+as\\s+(${name}))?$`, 'u');
const assignment = new RegExp(`^(${name})\\s*(?::[^=]*)?=(?!=)\\s*`, 'u');
const onlyDotted = new RegExp(`^${dotted}$`, 'u');
const leadingDotted = new RegExp(`^${dotted}`, 'u');
/** What takes the rest keeps its stars; a star or slash alone is none. */
const parameter = new RegExp(`^\\*{0,2}${name}`, 'u');
/** Blocks whose names are the module's. What only type checkers see is not there when the program runs. */
const sharedBlock =
  /^(?:if(?!\s+(?:typing\.)?TYPE_CHECKING\b)|elif|else|try|except|finally|with|for|while)\b/;

/**
 * The classes, functions and imports at the top of a Python text, those in `if`, `try` and the like included. Reads by
 * logical lines without parsing: takes time linear in the text, and loses no more of a broken one than a statement.
 */
export function scanPython(text: string): ModuleScan {
  return new PythonScanner(text).run();
}

/** One statement: from its first character to the end of its last line, brackets closed. */
interface LogicalLine {
  readonly indent: number;
  readonly start: number;
  readonly code: string;
}

class PythonScanner {
  readonly #text: string;
  readonly #code: string;
  readonly #declarations: Declaration[] = [];
  readonly #names = new Map<string, Binding>();
  readonly #stars: string[] = [];
  #hasMore: boolean;
  #registered: string | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#code = maskPython(text);
    this.#hasMore = /\bglobals\s*\(/.test(this.#code);
  }

  run(): ModuleScan {
    const blocks: { readonly indent: number; readonly shared: boolean }[] = [];
    for (const line of logicalLines(this.#code)) {
      while ((blocks.at(-1)?.indent ?? -1) >= line.indent) blocks.pop();
      const atTop = blocks.every((block) => block.shared);
      if (atTop) this.#statement(line);
      if (/:\s*$/.test(line.code.slice(-80))) {
        blocks.push({ indent: line.indent, shared: sharedBlock.test(line.code) });
      }
    }
    return {
      declarations: this.#declarations,
      names: this.#names,
      hidden: new Map(),
      stars: this.#stars,
      hasMore: this.#hasMore || this.#names.has('__getattr__'),
    };
  }

  #statement(line: LogicalLine): void {
    const { code } = line;
    if (code.startsWith('@')) {
      this.#registered = this.#registration(line) ?? this.#registered;
      return;
    }
    if (code.startsWith('class')) this.#class(line);
    else if (/^(?:async|def)\b/.test(code)) this.#function(line);
    else if (code.startsWith('from')) this.#fromImport(code);
    else if (/^import\b/.test(code)) this.#import(code);
    else this.#assignment(line);
    this.#registered = undefined;
  }

  /** `@WORKFLOWS.register_module("name")`, of whatever registry. */
  #registration({ code, start }: LogicalLine): string | undefined {
    const match = /\.\s*register_module\s*\(\s*(?:name\s*=\s*)?(["'])/.exec(code);
    if (match === null) return undefined;
    const from = start + match.index + match[0].length;
    const end = this.#code.indexOf(match[1] ?? '', from);
    return end < 0 ? undefined : this.#text.slice(from, end);
  }

  #class({ code, start }: LogicalLine): void {
    const match = classStart.exec(code);
    if (match === null) return;
    const own = match[1] ?? '';
    let at = match[0].length;
    if (code[at] === '[') at += (insideBrackets(code, at) ?? '').length + 2;
    const bases = splitAtCommas(insideBrackets(code, code.indexOf('(', at)) ?? '')
      .map((base) => leadingDotted.exec(base))
      .filter((base) => base !== null && !/^\s*=/.test(base.input.slice(base[0].length)))
      .map((base) => (base?.[0] ?? '').replace(/\s/g, ''));
    const offset = start + match[0].indexOf(own, 'class'.length);
    const registered = this.#registered === undefined ? {} : { registered: this.#registered };
    this.#declare({ name: own, kind: 'class', offset, bases, parameters: [], ...registered });
  }

  #function({ code, start }: LogicalLine): void {
    const match = functionStart.exec(code);
    if (match === null) return;
    const own = match[1] ?? '';
    const list = insideBrackets(code, code.indexOf('(', match[0].length)) ?? '';
    const parameters = splitAtCommas(list).flatMap((one) => parameter.exec(one)?.[0] ?? []);
    const offset = start + match[0].indexOf(own, match[0].indexOf('def') + 'def'.length);
    const registered = this.#registered === undefined ? {} : { registered: this.#registered };
    this.#declare({ name: own, kind: 'function', offset, bases: [], parameters, ...registered });
  }

  #fromImport(code: string): void {
    const match = fromImport.exec(code);
    if (match === null) return;
    const module = (match[1] ?? '').replace(/\s/g, '');
    const rest = code.slice(match[0].length).trim();
    if (rest.startsWith('*')) {
      this.#stars.push(module);
      return;
    }
    const list = rest.startsWith('(') ? (insideBrackets(rest, 0) ?? rest.slice(1)) : rest;
    for (const item of splitAtCommas(list)) {
      const [, original, local] = imported.exec(unfolded(item)) ?? [];
      if (original === undefined) continue;
      this.#names.set(local ?? original, { kind: 'imported', module, name: original });
    }
  }

  #import(code: string): void {
    for (const item of splitAtCommas(code.slice('import'.length))) {
      const [, original, local] = imported.exec(unfolded(item)) ?? [];
      const module = original?.replace(/\s/g, '');
      if (module === undefined) continue;
      // Without `as`, the first package is what gets a name.
      const first = module.split('.')[0] ?? module;
      const bound = local === undefined ? { to: first, module: first } : { to: local, module };
      this.#names.set(bound.to, { kind: 'imported', module: bound.module, name: undefined });
    }
  }

  #assignment({ code, start }: LogicalLine): void {
    const match = assignment.exec(code);
    const own = match?.[1];
    if (match === null || own === undefined) return;
    const value = unfolded(code.slice(match[0].length));
    if (isPlaceholder(value) && this.#names.has(own)) return;
    if (onlyDotted.test(value) && !/^(?:None|True|False)$/.test(value)) {
      this.#names.set(own, { kind: 'alias', target: value.replace(/\s/g, '') });
    } else {
      this.#declare({ name: own, kind: 'value', offset: start, bases: [], parameters: [] });
    }
  }

  #declare(declaration: Declaration): void {
    if (declaration.kind !== 'value') this.#declarations.push(declaration);
    this.#names.set(declaration.name, { kind: 'declared', declaration });
  }
}

function unfolded(code: string): string {
  return code.replace(/\\\r?\n/g, ' ').trim();
}

const bracketOrBreak = /[([{]|[)\]}]|\\?\r?\n|\\?\r/g;
/** No line within brackets begins like this unless the brackets were never closed. */
const surelyNew = /^(?:class\s|def\s|async\s+def\s|@|import\s)/;

function* logicalLines(code: string): Generator<LogicalLine> {
  let start = 0;
  let depth = 0;
  bracketOrBreak.lastIndex = 0;
  for (let match = bracketOrBreak.exec(code); match !== null; match = bracketOrBreak.exec(code)) {
    const [found] = match;
    const next = match.index + found.length;
    if (/[([{]/.test(found)) depth += 1;
    else if (/[)\]}]/.test(found)) depth = Math.max(0, depth - 1);
    else if (!found.startsWith('\\') && (depth === 0 || surelyNew.test(code.slice(next, next + 12)))) {
      yield* statementAt(code, start, match.index);
      start = next;
      depth = 0;
      bracketOrBreak.lastIndex = next;
    }
  }
  yield* statementAt(code, start, code.length);
}

function* statementAt(code: string, from: number, to: number): Generator<LogicalLine> {
  const line = code.slice(from, to);
  const start = from + line.length - line.replace(/^[\s\uFEFF]+/, '').length;
  if (start < to)
    yield { indent: code[from] === '\uFEFF' ? 0 : start - from, start, code: code.slice(start, to) };
}
