import { isSetBy } from '../../configScript.ts';
import { findingSpan, type ConfigContext } from '../../context.ts';
import { replaceScalar } from '../../edits.ts';
import { finding, fix, type Finding, type Fix } from '../../finding.ts';
import type { KeyInfo } from '../../key-tables/keyTable.ts';
import { entryOf, nodeAt, stepsOf, type Node, type NodePath } from '../../node.ts';
import { isBroken } from '../../parse.ts';
import { resolvePlain, type ScalarValue } from '../../scalar.ts';
import type { Span } from '../../text.ts';
import { isNull, type Value } from '../../value.ts';
import type { Severity } from '../ruleEntry.ts';
import { acrossRules, type AcrossRuleId } from './catalog.ts';
import { quotedName, scalarText } from './report.ts';

/** The effective values of a config, section or stage, and the places in the file that set them. */
export interface Source {
  /** Undefined: no layer sets it. */
  value(path: NodePath): Value | 'unknown' | undefined;
  /** Paths of the file whose values make the one at `path`, those to point at first coming first. */
  places(path: NodePath): readonly NodePath[];
  info(path: NodePath): KeyInfo | undefined;
}

/** The values below one section of the file. Those that a script sets are unknown. */
export function sectionSource(
  { composition, dialect, references }: ConfigContext,
  section: readonly string[],
): Source {
  const { script } = references;
  const root = valueAt(composition.config.root, section);
  const placed = (path: NodePath): NodePath => [...section, ...path];
  return {
    value: (path) => {
      const value = valueAt(root, path);
      if (script === undefined) return value;
      const key = placed(path).join('.');
      const isEmpty = value === undefined || isNull(value);
      const holdsSetKey = isEmpty && script.sets.some((set) => set.startsWith(`${key}.`));
      return holdsSetKey || isSetBy(script, key) ? 'unknown' : value;
    },
    places: (path) => [placed(path)],
    info: (path) => dialect.keys().find(placed(path))?.info,
  };
}

export interface Report {
  /** Keys that take part. The finding is at the first that this file sets. If it sets none, there is no finding. */
  readonly at: readonly string[];
  readonly message: string;
  /** The rule's own if it is absent. */
  readonly severity?: Severity | undefined;
  /** The fixes: another value for a key, with the verb of the title, if it is not `Set`. */
  readonly set?: readonly (readonly [path: string, value: number | string | boolean, verb?: string])[];
  /** The value that the program uses in place of the one at `rewrites`, which is the first of `at` by default. */
  readonly becomes?: number | string | boolean;
  readonly rewrites?: string;
}

type KnownValue =
  | { readonly value: Value }
  | { readonly absent: true; readonly default: unknown }
  | undefined;

/**
 * Effective values for rules, by paths such as `rollout.max_model_len` or `tasksets.0.path`. A value that no layer
 * sets is the default of the key table. A value is undefined if it is unknown, such as an unresolved interpolation, a
 * placeholder, or a value of another type. Rules must not draw conclusions from it.
 */
export class Settings {
  readonly context: ConfigContext;
  readonly findings: Finding[] = [];
  readonly #source: Source;
  /** True if the text has unknown values. */
  readonly #hides: boolean;
  /** A file of `defaults` that was not found may set whatever no other layer sets. */
  readonly #lacksLayer: boolean;

  constructor(context: ConfigContext, source: Source) {
    this.context = context;
    this.#source = source;
    this.#hides = isBroken(context.document) || context.document.text.includes('{{');
    this.#lacksLayer = context.composition.problems.some(
      ({ code, severity }) => severity === 'error' && code.startsWith('config/defaults'),
    );
  }

  /** Returns a scalar; null also for a key that is not set and has no default. */
  scalar(path: string): ScalarValue | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    if ('absent' in known) return isScalar(known.default) ? known.default : undefined;
    return known.value.kind === 'scalar' ? known.value.value : undefined;
  }

  /**
   * A number, or a text that reads as one: both backbones turn such texts into numbers. None that cannot be reckoned
   * with exactly.
   */
  number(path: string): number | undefined {
    const value = this.scalar(path);
    const read = typeof value === 'string' ? resolvePlain(value).value : value;
    return typeof read === 'number' && Math.abs(read) <= Number.MAX_SAFE_INTEGER ? read : undefined;
  }

  text(path: string): string | undefined {
    const value = this.scalar(path);
    return typeof value === 'string' ? value : undefined;
  }

  flag(path: string): boolean | undefined {
    const value = this.scalar(path);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Surely null, or surely not there and without a default. */
  isNull(path: string): boolean {
    return this.scalar(path) === null;
  }

  /** Null, the empty text or not there. */
  isEmpty(path: string): boolean {
    const value = this.scalar(path);
    return value === null || value === '';
  }

  /** Surely something: neither null nor empty. */
  isSet(path: string): boolean {
    const known = this.#known(path);
    if (known === undefined) return false;
    if ('absent' in known)
      return known.default !== null && known.default !== undefined && known.default !== '';
    return known.value.kind !== 'scalar' || (known.value.value !== null && known.value.value !== '');
  }

  /** Returns the number of items of a list; 0 for null. */
  count(path: string): number | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    const value = 'absent' in known ? known.default : known.value;
    if (value === null || value === undefined) return 0;
    if (Array.isArray(value)) return value.length;
    if (!isValue(value)) return undefined;
    if (value.kind === 'sequence') return value.items.length;
    return isNull(value) ? 0 : undefined;
  }

  /** Names of the keys of a section, none for null; undefined if it is not a section. */
  names(path: string): readonly string[] | undefined {
    const known = this.#known(path);
    if (known === undefined) return undefined;
    if ('absent' in known || isNull(known.value)) return [];
    return known.value.kind === 'mapping' ? [...known.value.entries.keys()] : undefined;
  }

  /** The texts of a list; undefined where it is not one of texts alone. */
  texts(path: string): readonly string[] | undefined {
    const items = this.items(path).map((item) => this.text(item));
    const known = items.filter((item) => item !== undefined);
    return known.length === this.count(path) ? known : undefined;
  }

  info(path: string): KeyInfo | undefined {
    return this.#source.info(stepsOf(path));
  }

  items(path: string): string[] {
    return Array.from({ length: this.count(path) ?? 0 }, (_, index) => `${path}.${index}`);
  }

  /** Returns the path in this file that sets the value; undefined if the file does not set it. */
  typed(path: string): NodePath | undefined {
    const { root } = this.context.document;
    return this.#source.places(stepsOf(path)).find((place) => nodeAt(root, place) !== undefined);
  }

  node(path: string): Node | undefined {
    const place = this.typed(path);
    return place && nodeAt(this.context.document.root, place);
  }

  /** The last name of a path with its value, for messages: `` `max_model_len` 18000 ``. */
  shown(path: string): string {
    return `${quotedName(path)} ${scalarText(this.scalar(path))}`;
  }

  report(rule: AcrossRuleId, { at, message, severity, set = [], becomes, rewrites }: Report): void {
    const { document } = this.context;
    const place = at.map((path) => this.typed(path)).find((typed) => typed !== undefined);
    if (place === undefined) return;
    const rewritten = becomes === undefined ? undefined : this.typed(rewrites ?? at[0] ?? '');
    const found = finding(document, spanOf(this.context, place), {
      rule,
      severity: severity ?? acrossRules[rule].severity,
      message,
      fixes: () => set.flatMap(([path, value, verb]) => this.#setFix(path, value, verb)),
      ...(rewritten && becomes !== undefined && { becomes: { path: rewritten, value: becomes } }),
    });
    this.findings.push(found);
  }

  #setFix(path: string, value: number | string | boolean, verb = 'Set'): Fix[] {
    const node = this.node(path);
    if (node?.kind !== 'scalar' || node.span.end === node.span.start) return [];
    const isText = typeof value === 'string';
    const edit = replaceScalar(this.context.document, node, String(value), isText);
    return fix(`${verb} ${quotedName(path)} to ${isText ? `\`${value}\`` : String(value)}`, edit);
  }

  #known(path: string): KnownValue {
    const place = stepsOf(path);
    if (this.#hides && this.#source.places(place).some((one) => isHidden(this.context, one))) {
      return undefined;
    }
    const value = this.#source.value(place);
    if (value === undefined) {
      const info = this.#lacksLayer ? undefined : this.#source.info(place);
      return info && { absent: true, default: info.default };
    }
    return value === 'unknown' || isUnresolved(value) ? undefined : { value };
  }
}

/** A section is pointed at by its key: all of it would be a page of underlined text. */
function spanOf({ document }: ConfigContext, place: NodePath): Span {
  const name = place.at(-1);
  const parent = nodeAt(document.root, place.slice(0, -1));
  const entry = typeof name === 'string' ? entryOf(parent, name) : undefined;
  const isSection = entry !== undefined && entry.value.kind !== 'scalar';
  return isSection ? entry.keySpan : findingSpan(document, place);
}

/** The value at a path below another one; a scalar that may stand for a whole section is given back itself. */
export function valueAt(root: Value | undefined, path: NodePath): Value | undefined {
  let value = root;
  for (const step of path) {
    if (value === undefined || isUnresolved(value)) return value;
    if (value.kind === 'mapping') value = value.entries.get(String(step));
    else value = value.kind === 'sequence' && typeof step === 'number' ? value.items[step] : undefined;
  }
  return value;
}

/** Returns true if a placeholder or unreadable text is at the path or around it. */
function isHidden({ document }: ConfigContext, path: NodePath): boolean {
  return [...path, ''].some((_, length) => nodeAt(document.root, path.slice(0, length))?.kind === 'opaque');
}

function isUnresolved(value: Value): boolean {
  return value.kind === 'scalar' && typeof value.value === 'string' && /\$\{|^\?\?\?$/.test(value.value);
}

function isScalar(value: unknown): value is ScalarValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isValue(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
