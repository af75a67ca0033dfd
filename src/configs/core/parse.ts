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
import type { Entry, MappingNode, Node, OpaqueNode, ScalarNode } from './node.ts';
import { resolvePlain, type ScalarType } from './scalar.ts';
import { LineMap, type LinedText, type Span } from './text.ts';
import { syntaxMessage, unclosedStarts } from './yamlProblems.ts';

/** A parsed YAML text; `root` is undefined when the text holds no value. */
export interface ConfigDocument extends LinedText {
  readonly root: Node | undefined;
  /** In the order of the text. */
  readonly problems: readonly ParseProblem[];
}

export interface ParseProblem {
  readonly rule: 'yaml-syntax' | 'duplicate-key' | 'alias' | 'yaml-tag';
  readonly severity: 'error' | 'warning';
  readonly span: Span;
  readonly message: string;
}

/** Maximum number of values that all aliases together may bring in; a text with more is an attack. */
const mostAliasedValues = 20_000;
const deepestNesting = 200;
/** Maximum number of open brackets. The YAML parser gives up earlier, but only after it has tokenized the whole text. */
const mostOpenBrackets = 1000;
const mostSyntaxErrors = 500;
const mostDuplicates = 100;
const tooDeep = 'This text is nested too deeply.';

/** Parses any text. Reports what cannot be read as problems. Never throws. */
export function parseConfig(text: string): ConfigDocument {
  const limit = tooDeepFrom(text);
  const { root, problems } = limit === undefined ? readText(text) : readAbove(text, limit);
  return { text, lines: new LineMap(text), root, problems: inOrder(problems) };
}

const mostCachedFiles = 200;

/** Returns a parser that keeps the last document of each file and returns it again while the text is the same. */
export function parseCache(): (file: string, text: string) => ConfigDocument {
  const documents = new Map<string, ConfigDocument>();
  return (file, text) => {
    const cached = documents.get(file);
    if (cached?.text === text) return cached;
    const document = parseConfig(text);
    if (documents.size >= mostCachedFiles) documents.clear();
    documents.set(file, document);
    return document;
  };
}

/** Returns whether a part of the text could not be read, so that a key that seems missing may be there. */
export function isBroken({ problems }: ConfigDocument): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** Sorts by position; problems at one position by rule, so that the order is deterministic. */
function inOrder(problems: readonly ParseProblem[]): ParseProblem[] {
  const rank = ({ rule }: ParseProblem): number => ruleOrder.indexOf(rule);
  return problems.toSorted(
    (a, b) => a.span.start - b.span.start || rank(a) - rank(b) || a.span.end - b.span.end,
  );
}

const ruleOrder: readonly ParseProblem['rule'][] = ['yaml-syntax', 'alias', 'yaml-tag', 'duplicate-key'];

type ReadText = Pick<ConfigDocument, 'root' | 'problems'>;

/** Reads the text above `limit`, and reports that the rest is nested too deeply. */
function readAbove(text: string, limit: number): ReadText {
  const { root, problems } = readText(text.slice(0, limit));
  return { root, problems: [...problems, tooDeepAt({ start: limit, end: limit + 1 })] };
}

function readText(text: string): ReadText {
  try {
    const document = withoutStacks(() =>
      parseDocument(text, {
        // Scalars stay text: `resolvePlain` types them as upstream's loader does.
        schema: 'failsafe',
        prettyErrors: false,
        uniqueKeys: false,
      }),
    );
    const reader = new Reader(text);
    const startOf = unclosedStarts(document);
    for (const error of document.errors.slice(0, mostSyntaxErrors)) {
      reader.reportSyntax(error, startOf(error) ?? error.pos);
    }
    const root = document.contents === null ? undefined : reader.read(document.contents, 0);
    return { root: isEmpty(root) ? undefined : root, problems: reader.problems };
  } catch (error) {
    // The YAML parser is recursive: thousands of nested values end in a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return { root: undefined, problems: [tooDeepAt({ start: 0, end: 0 })] };
  }
}

function tooDeepAt(span: Span): ParseProblem {
  return { rule: 'yaml-syntax', severity: 'error', span, message: tooDeep };
}

/** The YAML parser creates an Error for each problem; stack traces would take longer than the parsing. */
function withoutStacks<T>(act: () => T): T {
  const { stackTraceLimit } = errors;
  errors.stackTraceLimit = 0;
  try {
    return act();
  } finally {
    errors.stackTraceLimit = stackTraceLimit;
  }
}

const errors = Error as ErrorConstructor & { stackTraceLimit: number };

/**
 * Returns the start of the line in which too many brackets are open, or undefined. Counts brackets in quotes and
 * comments as well, because it looks at every character of every text and has to be fast.
 */
function tooDeepFrom(text: string): number | undefined {
  if (text.length <= mostOpenBrackets) return undefined;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    // `[` and `{`, `]` and `}` differ only in this bit.
    const code = text.charCodeAt(at) | 0x20;
    if (code === 0x7b) {
      open += 1;
      if (open > mostOpenBrackets) return text.lastIndexOf('\n', at) + 1;
    } else if (code === 0x7d && open > 0) open -= 1;
  }
  return undefined;
}

function duplicateKeys(entries: readonly Entry[]): ParseProblem[] {
  const seen = new Set<string>();
  const problems: ParseProblem[] = [];
  for (const { key, keySpan } of entries) {
    if (seen.has(key)) {
      const message = `\`${key}\` is in this mapping more than once. Only the last value counts.`;
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
  readonly #text: string;
  readonly #anchors = new Map<string, Node>();
  /** Number of values in a node, itself included. Aliases count each time. */
  readonly #sizes = new Map<Node, number>();
  #aliased = 0;
  #inFlow = false;
  /** End of the text of the last value; an alias ends where its name does. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  reportSyntax(error: YAMLError, [start, end]: YAMLError['pos']): void {
    const span = { start, end: Math.max(end, start) };
    this.#report('yaml-syntax', 'error', span, syntaxMessage(error));
  }

  read(source: unknown, depth: number): Node {
    const span = spanOf(source);
    this.#end = span.end;
    if (isAlias(source)) return this.#alias(source.source, span);
    if (depth > deepestNesting) {
      this.#report('yaml-syntax', 'error', span, tooDeep);
      return opaque(span);
    }
    const node = this.#readOwn(source, span, depth);
    const anchor = isScalar(source) || isMap(source) || isSeq(source) ? source.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
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
      if (isMap(key) || isSeq(key) || isAlias(key)) return this.#unreadableKey(span, spanOf(key));
      const keySpan = spanOf(key ?? value);
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : '';
      if (this.#inFlow && isScalar(key) && key.type === Scalar.PLAIN) this.#checkFlowText(name, keySpan);
      this.#end = keySpan.end;
      const node =
        value === null ? nullAt({ start: keySpan.end, end: keySpan.end }) : this.read(value, depth + 1);
      if (name === '<<' && isScalar(key) && key.type === Scalar.PLAIN) {
        merged.push(...this.#merge(node, keySpan));
      } else entries.push({ key: name, keySpan, value: node });
    }
    this.problems.push(...duplicateKeys(entries));
    const own = this.#closed(source, span);
    return { kind: 'mapping', span: own, flow: source.flow === true, entries: [...merged, ...entries] };
  }

  /** Returns the span of a collection. A block ends with its last value; the YAML parser also counts what follows it. */
  #closed(source: YAMLMap | YAMLSeq, span: Span): Span {
    if (source.flow === true || source.items.length === 0) this.#end = span.end;
    return { start: span.start, end: this.#end };
  }

  /** Reads `{{NAME}}` as a placeholder of a template; any other mapping as a key is an error. */
  #unreadableKey(span: Span, keySpan: Span): OpaqueNode {
    this.#end = span.end;
    const written = this.#text.slice(span.start, span.end).trim();
    if (/^\{\{[^{}]*\}\}$/.test(written)) return { kind: 'opaque', span, reason: 'placeholder' };
    this.#report(
      'yaml-syntax',
      'error',
      keySpan,
      'A key must be plain text, not a list, a mapping or an alias.',
    );
    return opaque(span);
  }

  /** Returns the entries that `<<` brings in. Of several mappings the first wins, so it comes last. */
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
      this.#report('alias', 'error', span, `There is no anchor \`&${name}\` before this alias.`);
      return opaque(span);
    }
    const before = this.#aliased;
    this.#aliased += this.#sizeOf(target);
    if (this.#aliased <= mostAliasedValues) return target;
    if (before <= mostAliasedValues) {
      const message = `Aliases expand to more than ${mostAliasedValues} values. The rest is ignored.`;
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

  /** Reports `?` and a leading `:`, which PyYAML takes for key and value marks in a flow collection. */
  #checkFlowText(text: string, span: Span): void {
    const mark = text.startsWith(':') ? ':' : text.includes('?') ? '?' : undefined;
    if (mark === undefined) return;
    const message = `Between brackets or braces, text with \`${mark}\` needs quotes.`;
    this.#report('yaml-syntax', 'error', span, message);
  }

  #tagged(tag: string, text: string, base: Pick<ScalarNode, 'kind' | 'span' | 'style'>): ScalarNode {
    const meant = tagTypes[tag.replace(/^(?:tag:yaml\.org,2002:|!!)/, '')];
    const resolved = resolvePlain(text);
    if (meant === undefined) {
      this.#report('yaml-tag', 'error', base.span, `The tag \`${tag}\` is unknown. Use a plain value.`);
    } else if (meant === resolved.type) {
      return { ...base, ...resolved };
    } else if (meant === 'float' && resolved.type === 'integer') {
      return { ...base, type: 'float', value: resolved.value };
    } else {
      this.#report('yaml-tag', 'error', base.span, `\`${text}\` does not match the tag \`${tag}\`.`);
    }
    return { ...base, type: 'string', value: text };
  }

  #report(rule: ParseProblem['rule'], severity: ParseProblem['severity'], span: Span, message: string): void {
    this.problems.push({ rule, severity, span, message });
  }
}

function spanOf(source: unknown): Span {
  const range: unknown =
    typeof source === 'object' && source !== null && 'range' in source ? source.range : undefined;
  const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
  return { start: typeof start === 'number' ? start : 0, end: typeof end === 'number' ? end : 0 };
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
