import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Entry, MappingNode, Node, OpaqueNode, ScalarNode } from '../node.ts';
import { resolvePlain, type ScalarType } from '../scalar.ts';
import type { Span } from '../text.ts';
import { syntaxMessage } from '../yamlProblems.ts';
import { beginnings } from './beginnings.ts';
import type { ParseProblem } from './document.ts';
import { tooDeepFrom } from './nesting.ts';

/** A text, or lines of one, read. */
export interface ReadText {
  readonly root: Node | undefined;
  /** In no order. */
  readonly problems: readonly ParseProblem[];
  /** Words that stand where keys do: alone with no `:` behind them, or with the `:` on a later line. */
  readonly looseWords: readonly LooseWord[];
  /**
   * Whether each entry of the block mappings means by itself what it means here: nothing is shared through anchors, and
   * no error reaches beyond the entry it is in.
   */
  readonly separable: boolean;
}

export interface LooseWord {
  readonly start: number;
  readonly hasColon: boolean;
}

/** Lines that are read by themselves: their place in the text, and how deep the mapping is nested that they are of. */
export interface Place {
  readonly offset: number;
  readonly depth: number;
}

/** Values that aliases may bring in, all told; a text that asks for more is taken for an attack. */
const mostAliasedValues = 20_000;
const deepestNesting = 200;
/** Errors of the parser that are told: a text with more of them is hardly YAML, and each brings others along. */
const mostSyntaxErrors = 500;
const unreadable = 'This text is nested too deeply to be read.';

/** Reads a text whatever is in it: what cannot be read is reported and left out. Never throws. */
export function readText(text: string, place: Place = { offset: 0, depth: 0 }): ReadText {
  const limit = tooDeepFrom(text);
  if (limit === undefined) return readShallow(text, place);
  const above = readShallow(text.slice(0, limit), place);
  const span = { start: place.offset + limit, end: place.offset + limit + 1 };
  const problem: ParseProblem = { rule: 'yaml-syntax', severity: 'error', span, message: unreadable };
  return { ...above, problems: [...above.problems, problem], separable: false };
}

function readShallow(text: string, place: Place): ReadText {
  try {
    const document = withoutStacks(() =>
      parseDocument(text, {
        // Everything stays text here: what a scalar means follows upstream's loader, in `resolvePlain`.
        schema: 'failsafe',
        prettyErrors: false,
        uniqueKeys: false,
      }),
    );
    const reader = new Reader(text, place.offset);
    const beginningOf = beginnings(document);
    for (const error of document.errors.slice(0, mostSyntaxErrors)) {
      reader.reportSyntax(error, beginningOf(error) ?? error.pos);
    }
    if (document.errors.length > mostSyntaxErrors) reader.separable = false;
    const root = document.contents === null ? undefined : reader.read(document.contents, place.depth);
    return {
      root: isEmpty(root) ? undefined : root,
      problems: reader.problems,
      looseWords: reader.looseWords,
      separable: reader.separable,
    };
  } catch (error) {
    // The parser recurses: a text made of thousands of brackets ends in a RangeError.
    if (!(error instanceof RangeError)) throw error;
    const span = { start: place.offset, end: place.offset };
    const problem: ParseProblem = { rule: 'yaml-syntax', severity: 'error', span, message: unreadable };
    return { root: undefined, problems: [problem], looseWords: [], separable: false };
  }
}

/** The parser makes an Error of each problem: where it was made would take longer than to parse, and nobody asks. */
function withoutStacks<T>(act: () => T): T {
  const { stackTraceLimit } = errors;
  errors.stackTraceLimit = 0;
  try {
    return act();
  } finally {
    errors.stackTraceLimit = stackTraceLimit;
  }
}

/** As V8 has it, which is what runs an extension and Node. */
const errors = Error as ErrorConstructor & { stackTraceLimit: number };

/** Keys of one mapping that are told to stand twice. */
const mostDuplicates = 100;

/** Keys that stand twice in a mapping, the first of them where there are many. */
export function duplicateKeys(entries: readonly Entry[]): ParseProblem[] {
  const seen = new Set<string>();
  const problems: ParseProblem[] = [];
  for (const { key, keySpan } of entries) {
    if (seen.has(key)) {
      const message = `\`${key}\` stands twice in this mapping; the last one wins, the others are lost.`;
      problems.push({ rule: 'duplicate-key', severity: 'warning', span: keySpan, message });
      if (problems.length === mostDuplicates) break;
    }
    seen.add(key);
  }
  return problems;
}

function isEmpty(root: Node | undefined): boolean {
  return root?.kind === 'scalar' && root.type === 'null' && root.span.start === root.span.end;
}

class Reader {
  readonly problems: ParseProblem[] = [];
  readonly looseWords: LooseWord[] = [];
  separable = true;
  readonly #text: string;
  readonly #offset: number;
  readonly #anchors = new Map<string, Node>();
  /** How many values a node holds, itself included, aliases counted each time; known once asked for. */
  readonly #sizes = new Map<Node, number>();
  #aliased = 0;
  /** Whether what is read stands between brackets or braces. */
  #inFlow = false;
  /** Where the text of what was read last ends; an alias is written where its name is. */
  #end = 0;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  reportSyntax(error: YAMLError, [from, to]: YAMLError['pos']): void {
    const start = this.#offset + from;
    const span = { start, end: Math.max(this.#offset + to, start) };
    const hasColon = error.code === 'MULTILINE_IMPLICIT_KEY';
    if (hasColon || isBareKey(error)) this.looseWords.push({ start, hasColon });
    else this.separable = false;
    this.#report('yaml-syntax', 'error', span, syntaxMessage(error));
  }

  read(source: unknown, depth: number): Node {
    const span = this.#spanOf(source);
    this.#end = span.end;
    if (isAlias(source)) return this.#alias(source.source, span);
    if (depth > deepestNesting) {
      this.separable = false;
      this.#report('yaml-syntax', 'error', span, unreadable);
      return opaque(span);
    }
    const node = this.#readOwn(source, span, depth);
    const anchor = isScalar(source) || isMap(source) || isSeq(source) ? source.anchor : undefined;
    if (anchor !== undefined) {
      this.separable = false;
      this.#anchors.set(anchor, node);
    }
    return node;
  }

  #readOwn(source: unknown, span: Span, depth: number): Node {
    const inFlow = this.#inFlow;
    if (isMap(source) || isSeq(source)) this.#inFlow ||= source.flow === true;
    const node = this.#readKind(source, span, depth);
    this.#inFlow = inFlow;
    return node;
  }

  #readKind(source: unknown, span: Span, depth: number): Node {
    if (isMap(source)) return this.#mapping(source, span, depth);
    if (isSeq(source)) {
      const items = source.items.map((item) => this.read(item, depth + 1));
      return { kind: 'sequence', span: this.#closed(source, span), items };
    }
    return isScalar(source) ? this.#scalar(source, span) : nullAt(span);
  }

  #mapping(source: YAMLMap, span: Span, depth: number): MappingNode | OpaqueNode {
    const entries: Entry[] = [];
    const merged: Entry[] = [];
    for (const { key, value } of source.items) {
      if (isMap(key) || isSeq(key) || isAlias(key)) return this.#unreadableKey(span, this.#spanOf(key));
      const keySpan = this.#spanOf(key ?? value);
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : '';
      if (this.#inFlow && isScalar(key) && key.type === Scalar.PLAIN) this.#checkFlowText(name, keySpan);
      this.#end = keySpan.end;
      const node =
        value === null ? nullAt({ start: keySpan.end, end: keySpan.end }) : this.read(value, depth + 1);
      if (name === '<<' && isScalar(key) && key.type === Scalar.PLAIN) {
        this.separable = false;
        merged.push(...this.#merge(node, keySpan));
      } else entries.push({ key: name, keySpan, value: node });
    }
    this.problems.push(...duplicateKeys(entries));
    const own = this.#closed(source, span);
    return { kind: 'mapping', span: own, flow: source.flow === true, entries: [...merged, ...entries] };
  }

  /** A block ends where the last value in it ends; the parser counts what follows it as well. */
  #closed(source: YAMLMap | YAMLSeq, span: Span): Span {
    if (source.flow === true || source.items.length === 0) this.#end = span.end;
    return { start: span.start, end: this.#end };
  }

  /** `{{NAME}}` is what templates leave for a script to fill in; other mappings as keys nobody can load. */
  #unreadableKey(span: Span, keySpan: Span): OpaqueNode {
    this.#end = span.end;
    const written = this.#text.slice(span.start - this.#offset, span.end - this.#offset).trim();
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
    this.#aliased += this.#sizeOf(target);
    if (this.#aliased <= mostAliasedValues) return target;
    if (before <= mostAliasedValues) {
      const message = `Aliases bring in more than ${mostAliasedValues} values; what follows is left out.`;
      this.#report('alias', 'error', span, message);
    }
    return opaque(span);
  }

  #sizeOf(node: Node): number {
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    const size = childrenOf(node).reduce((total, child) => total + this.#sizeOf(child), 1);
    this.#sizes.set(node, size);
    return size;
  }

  #scalar(source: Scalar, span: Span): ScalarNode {
    const text = typeof source.value === 'string' ? source.value : '';
    const style = styleOf(source);
    const base = { kind: 'scalar', span, style } as const;
    if (source.tag !== undefined && source.tag !== 'tag:yaml.org,2002:str') {
      return this.#tagged(source.tag, text, base);
    }
    if (style === 'plain' && this.#inFlow) this.#checkFlowText(text, span);
    if (style !== 'plain' || source.tag !== undefined) return { ...base, type: 'string', value: text };
    return { ...base, ...resolvePlain(text) };
  }

  /** There, the loaders' parser takes a `?` anywhere and a `:` in front for the marks of a key and of a value. */
  #checkFlowText(text: string, span: Span): void {
    const mark = text.startsWith(':') ? ':' : text.includes('?') ? '?' : undefined;
    if (mark === undefined) return;
    const message = `Between brackets or braces, a text with \`${mark}\` cannot be loaded without quotes.`;
    this.#report('yaml-syntax', 'error', span, message);
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

  #spanOf(source: unknown): Span {
    const range: unknown =
      typeof source === 'object' && source !== null && 'range' in source ? source.range : undefined;
    const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
    return {
      start: this.#offset + (typeof start === 'number' ? start : 0),
      end: this.#offset + (typeof end === 'number' ? end : 0),
    };
  }

  #report(rule: ParseProblem['rule'], severity: ParseProblem['severity'], span: Span, message: string): void {
    this.problems.push({ rule, severity, span, message });
  }
}

/** A word that stands where a key could be, with no `:` behind it. */
function isBareKey({ code, message }: YAMLError): boolean {
  return code === 'MISSING_CHAR' && message.includes('followed by map values');
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

function nullAt(span: Span): ScalarNode {
  return { kind: 'scalar', span, type: 'null', value: null, style: 'plain' };
}

function opaque(span: Span): OpaqueNode {
  return { kind: 'opaque', span, reason: 'unreadable' };
}
