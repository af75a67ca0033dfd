import { isAlias, isMap, isScalar, isSeq, parseDocument, Scalar, type YAMLMap } from 'yaml';
import type { Entry, MappingNode, Node, OpaqueNode, ScalarNode } from './node.ts';
import { resolvePlain, type ScalarType } from './scalar.ts';
import { LineMap, type LinedText, type Span } from './text.ts';
import { syntaxMessage } from './yamlProblems.ts';

/** A YAML text as far as it can be read: `root` is undefined when the text holds no value at all. */
export interface ConfigDocument extends LinedText {
  readonly root: Node | undefined;
  readonly problems: readonly ParseProblem[];
}

export interface ParseProblem {
  readonly rule: 'yaml-syntax' | 'duplicate-key' | 'alias' | 'yaml-tag';
  readonly severity: 'error' | 'warning';
  readonly span: Span;
  readonly message: string;
}

/** Whether the text could not be read as a whole, so that what seems to be missing may be there. */
export function isBroken({ problems }: ConfigDocument): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** Values that aliases may bring in, all told; a text that asks for more is taken for an attack. */
const mostAliasedValues = 20_000;
const deepestNesting = 200;
const unreadable = 'This text is nested too deeply to be read.';

/** Reads a text whatever is in it: what cannot be read is reported and left out. Never throws. */
export function parseConfig(text: string): ConfigDocument {
  const lines = new LineMap(text);
  try {
    const document = parseDocument(text, {
      // Everything stays text here: what a scalar means follows upstream's loader, in `resolvePlain`.
      schema: 'failsafe',
      prettyErrors: false,
      uniqueKeys: false,
    });
    const problems = document.errors.map((error): ParseProblem => ({
      rule: 'yaml-syntax',
      severity: 'error',
      span: { start: error.pos[0], end: Math.max(error.pos[1], error.pos[0]) },
      message: syntaxMessage(error),
    }));
    const reader = new Reader(text, problems);
    const root = document.contents === null ? undefined : reader.read(document.contents, 0);
    return { text, lines, root: isEmpty(root) ? undefined : root, problems };
  } catch (error) {
    // The parser recurses: a text made of thousands of brackets ends in a RangeError.
    if (!(error instanceof RangeError)) throw error;
    const problem: ParseProblem = {
      rule: 'yaml-syntax',
      severity: 'error',
      span: { start: 0, end: 0 },
      message: unreadable,
    };
    return { text, lines, root: undefined, problems: [problem] };
  }
}

function isEmpty(root: Node | undefined): boolean {
  return root?.kind === 'scalar' && root.type === 'null' && root.span.start === root.span.end;
}

class Reader {
  readonly #text: string;
  readonly #problems: ParseProblem[];
  readonly #anchors = new Map<string, Node>();
  /** How many values a node holds, itself included, aliases counted each time. */
  readonly #sizes = new Map<Node, number>();
  #aliased = 0;

  constructor(text: string, problems: ParseProblem[]) {
    this.#text = text;
    this.#problems = problems;
  }

  read(source: unknown, depth: number): Node {
    if (isAlias(source)) return this.#alias(source.source, spanOf(source));
    const span = spanOf(source);
    if (depth > deepestNesting) {
      this.#report('yaml-syntax', 'error', span, unreadable);
      return opaque(span);
    }
    const node = this.#readOwn(source, span, depth);
    this.#sizes.set(node, 1 + sum(childrenOf(node).map((child) => this.#sizes.get(child) ?? 1)));
    const anchor = isScalar(source) || isMap(source) || isSeq(source) ? source.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #readOwn(source: unknown, span: Span, depth: number): Node {
    if (isMap(source)) return this.#mapping(source, span, depth);
    if (isSeq(source)) {
      return { kind: 'sequence', span, items: source.items.map((item) => this.read(item, depth + 1)) };
    }
    return isScalar(source) ? this.#scalar(source, span) : nullAt(span);
  }

  #mapping(source: YAMLMap, span: Span, depth: number): MappingNode | OpaqueNode {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    for (const { key, value } of source.items) {
      if (isMap(key) || isSeq(key) || isAlias(key)) return this.#unreadableKey(span, spanOf(key));
      const keySpan = key === null ? spanOf(value) : spanOf(key);
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : '';
      const node =
        value === null ? nullAt({ start: keySpan.end, end: keySpan.end }) : this.read(value, depth + 1);
      if (name === '<<' && isScalar(key) && key.type === Scalar.PLAIN) {
        merged.push(...this.#merge(node, keySpan));
      } else entries.push({ key: name, keySpan, value: node });
    }
    this.#reportDuplicates(entries);
    return { kind: 'mapping', span, flow: source.flow === true, entries: [...merged, ...entries] };
  }

  /** `{{NAME}}` is what templates leave for a script to fill in; other mappings as keys nobody can load. */
  #unreadableKey(span: Span, keySpan: Span): OpaqueNode {
    const written = this.#text.slice(span.start, span.end).trim();
    if (/^\{\{[^{}]*\}\}$/.test(written)) return { kind: 'opaque', span, reason: 'placeholder' };
    this.#report(
      'yaml-syntax',
      'error',
      keySpan,
      'A key has to be a plain text, not a list, a mapping or an alias.',
    );
    return opaque(span);
  }

  /** Of several mappings under `<<` the first wins, so it comes last. */
  #merge(node: Node, keySpan: Span): Entry[] {
    if (node.kind === 'mapping') return [...node.entries];
    if (node.kind === 'sequence' && node.items.every((item) => item.kind === 'mapping')) {
      return node.items.toReversed().flatMap((item) => item.entries);
    }
    if (node.kind !== 'opaque') {
      this.#report('alias', 'error', keySpan, '`<<` takes a mapping, or a list of mappings.');
    }
    return [];
  }

  #alias(name: string, span: Span): Node {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#report('alias', 'error', span, `Nothing before this is marked \`&${name}\`.`);
      return opaque(span);
    }
    const before = this.#aliased;
    this.#aliased += this.#sizes.get(target) ?? 1;
    if (this.#aliased <= mostAliasedValues) return target;
    if (before <= mostAliasedValues) {
      const message = `Aliases bring in more than ${mostAliasedValues} values; what follows is left out.`;
      this.#report('alias', 'error', span, message);
    }
    return opaque(span);
  }

  #scalar(source: Scalar, span: Span): ScalarNode {
    const text = typeof source.value === 'string' ? source.value : '';
    const style = styleOf(source);
    const base = { kind: 'scalar', span, style } as const;
    if (source.tag !== undefined && source.tag !== 'tag:yaml.org,2002:str') {
      return this.#tagged(source.tag, text, base);
    }
    if (style !== 'plain' || source.tag !== undefined) return { ...base, type: 'string', value: text };
    return { ...base, ...resolvePlain(text) };
  }

  #tagged(tag: string, text: string, base: Pick<ScalarNode, 'kind' | 'span' | 'style'>): ScalarNode {
    const meant = tagTypes[tag.replace(/^(?:tag:yaml\.org,2002:|!!)/, '')];
    const resolved = resolvePlain(text);
    if (meant === undefined) {
      this.#report(
        'yaml-tag',
        'error',
        base.span,
        `The tag \`${tag}\` is not understood; configs use plain values.`,
      );
    } else if (meant === resolved.type) {
      return { ...base, ...resolved };
    } else if (meant === 'float' && resolved.type === 'integer') {
      return { ...base, type: 'float', value: resolved.value };
    } else {
      this.#report('yaml-tag', 'error', base.span, `\`${text}\` is not what the tag \`${tag}\` says.`);
    }
    return { ...base, type: 'string', value: text };
  }

  #reportDuplicates(entries: readonly Entry[]): void {
    const seen = new Set<string>();
    for (const { key, keySpan } of entries) {
      if (seen.has(key)) {
        const message = `\`${key}\` stands twice in this mapping; the last one wins, the others are lost.`;
        this.#report('duplicate-key', 'warning', keySpan, message);
      }
      seen.add(key);
    }
  }

  #report(rule: ParseProblem['rule'], severity: ParseProblem['severity'], span: Span, message: string): void {
    this.#problems.push({ rule, severity, span, message });
  }
}

const tagTypes: Readonly<Record<string, ScalarType>> = {
  null: 'null',
  bool: 'boolean',
  int: 'integer',
  float: 'float',
};

function styleOf(source: Scalar): ScalarNode['style'] {
  if (source.type === Scalar.QUOTE_DOUBLE || source.type === Scalar.QUOTE_SINGLE) return 'quoted';
  return source.type === Scalar.BLOCK_LITERAL || source.type === Scalar.BLOCK_FOLDED ? 'block' : 'plain';
}

function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'mapping') return node.entries.map((entry) => entry.value);
  return node.kind === 'sequence' ? node.items : [];
}

function spanOf(source: unknown): Span {
  const range: unknown =
    typeof source === 'object' && source !== null && 'range' in source ? source.range : undefined;
  const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
  return { start: typeof start === 'number' ? start : 0, end: typeof end === 'number' ? end : 0 };
}

function nullAt(span: Span): ScalarNode {
  return { kind: 'scalar', span, type: 'null', value: null, style: 'plain' };
}

function opaque(span: Span): OpaqueNode {
  return { kind: 'opaque', span, reason: 'unreadable' };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
