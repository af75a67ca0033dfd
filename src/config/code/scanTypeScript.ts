import { insideBrackets, splitAtCommas } from './brackets.ts';
import { readParameters } from './functionForm.ts';
import { maskSource } from './maskSource.ts';
import type { Binding, Declaration, ModuleScan } from './moduleScan.ts';
import { extendedBase } from './workflowScan.ts';

const name = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
/** Where a statement that matters here may begin. */
const statement = new RegExp(
  [
    `(?<![\\p{ID_Continue}$.])(?:`,
    [
      `(?<from>import|export)\\b(?<clause>(?:(?!\\b(?:import|export)\\b)[^;'"()=]){0,2000}?)\\bfrom\\s*(?=["'])`,
      `export\\s*(?=(?<list>\\{))`,
      `(?<exported>export\\s+(?<isDefault>default\\s+)?)?(?:declare\\s+)?(?:abstract\\s+)?class\\b(?!\\s*[=:.,)])(?:\\s+(?!extends\\b|implements\\b)(?<class>${name}))?`,
      `(?<exported2>export\\s+(?<isDefault2>default\\s+)?)?(?:async\\s+)?function\\b\\s*\\*?\\s*(?<function>${name})?`,
      `(?<exported3>export\\s+)?(?:declare\\s+)?(?:const|let|var)\\s+(?<variable>${name})\\s*(?::[^=;]{0,500})?=(?![=>])\\s*`,
      `(?:const|let|var)\\s*(?<pattern>\\{[^}]{0,2000}\\})\\s*=\\s*require\\s*\\(\\s*(?=["'])`,
      `(?<whole>module\\s*\\.\\s*exports|export)\\s*=\\s*`,
      `(?:module\\s*\\.\\s*)?exports\\s*\\.\\s*(?<property>${name})\\s*=(?!=)\\s*`,
      `export\\s+default\\s+(?!class\\b|function\\b|abstract\\b|async\\s+function\\b)(?<expression>)`,
    ].join('|'),
    ')',
  ].join(''),
  'gu',
);
/** What compilers write to add exports at run time. */
const addsExports =
  /\b__exportStar\b|\bObject\s*\.\s*(?:assign|definePropert(?:y|ies))\s*\(\s*(?:module\s*\.\s*)?exports\b/;
const identifier = new RegExp(
  `^${name}(?:\\s*\\.\\s*${name})*(?=\\s*(?:[;,})\\r\\n]|$|as\\b|satisfies\\b))`,
  'u',
);
const leadingName = new RegExp(`^(?:\\.\\.\\.)?(${name})`, 'u');
const classValue = new RegExp(`^class\\b(?:\\s+(?!extends\\b|implements\\b)${name})?`, 'u');
const functionValue = new RegExp(
  `^(?:async\\s+)?(?:function\\b\\s*\\*?\\s*(?:${name})?\\s*(?=\\()|(?=\\()|(${name})\\s*=>)`,
  'u',
);

/** A list of parameters that is longer was never closed, or is not read. */
const longestParameters = 2000;

/**
 * The exports of a TypeScript or JavaScript module, as ES module or CommonJS. A scan, not a parse: takes time linear in
 * the text, and on broken text it is wrong for a statement or so.
 */
export function scanTypeScript(text: string): ModuleScan {
  return new TypeScriptScanner(text).run();
}

type Groups = Readonly<Record<string, string | undefined>>;

class TypeScriptScanner {
  readonly #text: string;
  readonly #code: string;
  readonly #names = new Map<string, Binding>();
  readonly #hidden = new Map<string, Binding>();
  readonly #stars: string[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#code = maskSource(text);
  }

  run(): ModuleScan {
    let depth = 0;
    let counted = 0;
    for (const match of this.#code.matchAll(statement)) {
      for (; counted < match.index; counted += 1) {
        const character = this.#code.charAt(counted);
        if (character === '{') depth += 1;
        else if (character === '}') depth = Math.max(0, depth - 1);
      }
      if (depth === 0) this.#statement(match);
    }
    const names = this.#resolvedNames();
    const declarations = [...names.values()].flatMap((binding) =>
      binding.kind === 'declared' && binding.declaration.kind !== 'value' ? [binding.declaration] : [],
    );
    return {
      declarations: declarations.sort((x, y) => x.offset - y.offset),
      names,
      hidden: this.#hidden,
      stars: this.#stars,
      hasMore: addsExports.test(this.#code),
    };
  }

  /** Exports by what they are, as far as this file tells; what is declared here goes by the name it is exported under. */
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

  #statement(match: RegExpExecArray): void {
    const groups: Groups = match.groups ?? {};
    const end = match.index + match[0].length;
    if (groups['from'] !== undefined) this.#from(groups['from'], groups['clause'] ?? '', this.#literal(end));
    else if (groups['list'] !== undefined) this.#exportList(end);
    else if (groups['pattern'] !== undefined) this.#require(groups['pattern'], this.#literal(end));
    else if (groups['whole'] !== undefined) this.#whole(end);
    else if (groups['expression'] !== undefined) this.#value('default', end, end, true);
    else if (groups['property'] !== undefined) {
      this.#value(groups['property'], match.index + match[0].lastIndexOf(groups['property']), end, true);
    } else if (groups['variable'] !== undefined) {
      const at =
        match.index + match[0].indexOf(groups['variable'], /\b(?:const|let|var)\s/.exec(match[0])?.index);
      const exported = groups['exported3'] !== undefined;
      this.#value(groups['variable'], at, end, exported);
    } else this.#declaration(match, groups, end);
  }

  #declaration(match: RegExpExecArray, groups: Groups, end: number): void {
    const isClass = /class\b/.test(match[0].slice(0, match[0].length - (groups['class'] ?? '').length));
    const own = isClass ? groups['class'] : groups['function'];
    const exported = groups['exported'] ?? groups['exported2'];
    const isDefault = (groups['isDefault'] ?? groups['isDefault2']) !== undefined;
    if (own === undefined && !isDefault) return;
    const offset = own === undefined ? end - (isClass ? 'class' : 'function').length : end - own.length;
    const base = isClass ? extendedBase(this.#code, end) : undefined;
    const parameters = isClass ? [] : this.#parameters(this.#code.indexOf('(', end));
    const kind = isClass ? 'class' : 'function';
    const bases = base === undefined ? [] : [base];
    const found = {
      name: isDefault ? 'default' : (own ?? 'default'),
      kind,
      offset,
      bases,
      parameters,
    } as const;
    this.#declare(found, exported !== undefined, own);
  }

  /** What stands behind `=` or `export default`. */
  #value(own: string, offset: number, at: number, exported: boolean): void {
    const code = this.#code.slice(at, at + 400);
    const required = /^require\s*\(\s*(?=["'])/.exec(code);
    const target = identifier.exec(code)?.[0].replace(/\s/g, '');
    const [classHead] = classValue.exec(code) ?? [];
    const functionHead = functionValue.exec(code);
    if (required !== null) {
      const module = this.#literal(at + required[0].length);
      this.#bind(own, { kind: 'imported', module, name: undefined }, exported);
    } else if (classHead !== undefined) {
      const base = extendedBase(this.#code, at + classHead.length);
      const bases = base === undefined ? [] : [base];
      this.#declare({ name: own, kind: 'class', offset, bases, parameters: [] }, exported, own);
    } else if (functionHead !== null) {
      const parameters =
        functionHead[1] === undefined ? this.#parameters(this.#code.indexOf('(', at)) : [functionHead[1]];
      this.#declare({ name: own, kind: 'function', offset, bases: [], parameters }, exported, own);
    } else if (target !== undefined && !/^(?:null|undefined|true|false|this|new)$/.test(target)) {
      this.#bind(own, { kind: 'alias', target }, exported);
    } else {
      this.#declare({ name: own, kind: 'value', offset, bases: [], parameters: [] }, exported, own);
    }
  }

  /** `module.exports = …` and `export = …`: an object's properties are names, anything else is the default. */
  #whole(at: number): void {
    const object = this.#code.charAt(at) === '{' ? insideBrackets(this.#code, at) : undefined;
    if (object === undefined) {
      this.#value('default', at, at, true);
      return;
    }
    for (const part of splitAtCommas(object)) {
      const [, own, value] = new RegExp(`^(${name})\\s*(?::\\s*(${name}))?$`, 'u').exec(part) ?? [];
      if (own !== undefined) this.#bind(own, { kind: 'alias', target: value ?? own }, true);
    }
  }

  #from(keyword: string, clause: string, module: string): void {
    const exported = keyword === 'export';
    if (/^\s*type\s*[{*]/.test(clause)) return;
    const braces = /\{([^}]*)\}/.exec(clause);
    const rest = clause.replace(braces?.[0] ?? '', '').trim();
    for (const [original, local] of renamed(braces?.[1] ?? '', /\s+as\s+/)) {
      this.#bind(local, { kind: 'imported', module, name: original }, exported);
    }
    const namespace = new RegExp(`\\*\\s*as\\s+(${name})`, 'u').exec(rest)?.[1];
    if (namespace !== undefined)
      this.#bind(namespace, { kind: 'imported', module, name: undefined }, exported);
    else if (exported && rest === '*') this.#stars.push(module);
    const own = exported ? undefined : leadingName.exec(rest.replace(/^type\s+(?!,)/, ''))?.[1];
    if (own !== undefined) this.#bind(own, { kind: 'imported', module, name: 'default' }, false);
  }

  #exportList(at: number): void {
    for (const [original, exported] of renamed(insideBrackets(this.#code, at) ?? '', /\s+as\s+/)) {
      this.#bind(exported, { kind: 'alias', target: original }, true);
    }
  }

  #require(pattern: string, module: string): void {
    for (const [original, local] of renamed(pattern.slice(1, -1), /\s*:\s*/)) {
      this.#bind(local, { kind: 'imported', module, name: original }, false);
    }
  }

  #declare(declaration: Declaration, exported: boolean, own: string | undefined): void {
    const binding: Binding = { kind: 'declared', declaration };
    this.#bind(declaration.name, binding, exported);
    if (own !== undefined) this.#hidden.set(own, binding);
  }

  #bind(own: string, binding: Binding, exported: boolean): void {
    // An import that is passed on under its own name must not lead to itself.
    if (exported && !(binding.kind === 'alias' && this.#names.has(own))) this.#names.set(own, binding);
    if (!exported || binding.kind === 'declared') this.#hidden.set(own, binding);
  }

  /** The text of the literal whose quote is at `at`. */
  #literal(at: number): string {
    const end = this.#code.indexOf(this.#code.charAt(at), at + 1);
    return end < 0 ? '' : this.#text.slice(at + 1, end);
  }

  #parameters(open: number): readonly string[] {
    const code = this.#code.slice(open, open + longestParameters);
    return readParameters(insideBrackets(code, 0, 'with-angles') ?? '', 'with-angles').names;
  }
}

/** `a, b as c` as pairs of what it is elsewhere and what it is here; types are left out. */
function renamed(list: string, renaming: RegExp): [string, string][] {
  return splitAtCommas(list)
    .filter((part) => !/^type\s+(?!as\b)/.test(part))
    .map((part) => part.split(renaming))
    .map(([original = '', local = original]): [string, string] => [original, local])
    .filter(([original]) => leadingName.test(original));
}
