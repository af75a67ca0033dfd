import { nodesIn, type ScalarNode } from '../node.ts';
import { parseConfig } from '../parse.ts';
import { isReference, isSecret, isSecretName } from '../../../base/core/secrets/names.ts';
import { redacted, redactSecrets, shortestSecret } from '../../../base/core/secrets/texts.ts';
import type { Environment } from '../interpolation/host.ts';
import type { MappingValue, Origin, ScalarPart, Value } from '../value.ts';
import { locationsOf } from './origins.ts';

/** Replaces the value of an environment variable that is a secret. */
export const maskedSecret = '***';

/** Returns an environment for what is shown or sent: of secrets it has only that they are set. */
export function maskSecrets(environment: Environment): Environment {
  if (environment === 'blocked') return environment;
  return (name) => {
    const value = environment(name);
    return value !== undefined && isSecret(name, value) ? maskedSecret : value;
  };
}

/**
 * Returns the defaults of variables that are named as secrets, wherever the layers of a config have `${oc.env:NAME,default}`. A
 * single word, such as `EMPTY`, is not a secret.
 */
export function secretDefaults(layers: readonly { readonly value: Value }[]): string[] {
  return defaultsBelow(layers.map(({ value }) => value));
}

function defaultsBelow(values: readonly Value[]): string[] {
  return values.flatMap((value): string[] => {
    if (value.kind === 'mapping') return defaultsBelow([...value.entries.values()]);
    if (value.kind === 'sequence') return defaultsBelow(value.items);
    if (typeof value.value !== 'string') return [];
    return defaultsIn(value.value);
  });
}

function defaultsIn(value: string): string[] {
  return [...value.matchAll(fallback)].flatMap(([, name = '', written = '']) => {
    const text = written.trim().replace(/^(["'])(.*)\1$/, '$2');
    return isSecretName(name) && text.length >= shortestSecret && !/^[A-Za-z]+$/.test(text) ? [text] : [];
  });
}

/** Returns the text of a config without secrets, for files that keep it. It stays valid YAML with the same keys. */
export function redactConfigText(text: string): string {
  const { root, problems } = parseConfig(text);
  if (root === undefined || problems.some(({ severity }) => severity === 'error')) return redactSecrets(text);
  const values = new Map<number, { readonly end: number; readonly shown: string }>();
  for (const { node, path } of nodesIn(root)) {
    // An alias repeats a value, and can have the name of a secret where the value has another.
    if (node.kind !== 'scalar' || values.get(node.span.start)?.shown === `"${redacted}"`) continue;
    const written = text.slice(node.span.start, node.span.end).trimEnd();
    const isHidden = path.some((name) => isSecret(String(name), node.value));
    const shown = isHidden ? `"${redacted}"` : redactScalar(written, node.style);
    values.set(node.span.start, { end: node.span.start + written.length, shown });
  }
  const pieces: string[] = [];
  let copied = 0;
  for (const [start, { end, shown }] of [...values].sort(([one], [other]) => one - other)) {
    pieces.push(redactComments(text.slice(copied, start)), shown);
    copied = end;
  }
  return pieces.join('') + redactComments(text.slice(copied));
}

function redactComments(text: string): string {
  return text.replace(/#.*/g, (comment) => redactSecrets(comment));
}

function redactScalar(written: string, style: ScalarNode['style']): string {
  const hidden = defaultsIn(written).reduce((rest, secret) => rest.replaceAll(secret, redacted), written);
  const shown = redactSecrets(hidden);
  return style === 'plain' && shown !== written ? JSON.stringify(shown) : shown;
}

const fallback = /\benv:\s*([A-Za-z_]\w*)\s*,([^{}]*)\}/g;

/** Returns the values that the keys of a composed config call secrets. Bundled defaults are public. */
export function configSecrets(value: Value, names: readonly string[] = []): string[] {
  if (value.kind === 'mapping') {
    return [...value.entries].flatMap(([key, child]) => configSecrets(child, [...names, key]));
  }
  if (value.kind === 'sequence') return value.items.flatMap((item) => configSecrets(item, names));
  const { value: written, origin } = value;
  if (origin.kind === 'bundled' || written === maskedSecret) return [];
  return names.some((name) => isSecret(name, written)) ? [String(written)] : [];
}

export interface HideOptions {
  readonly redact?: (text: string) => string;
  /** Texts that are secrets wherever a value has them. */
  readonly hidden?: readonly string[];
}

/**
 * Returns a composed config without secrets: values that their keys call secrets, and secrets inside of texts. Origins,
 * which can quote the config, have none either.
 */
export function withoutConfigSecrets(root: MappingValue, options: HideOptions = {}): MappingValue {
  return new ConfigRedactor(options).mapping(root, []);
}

/** Returns one value of a config without secrets. `names` are the keys from the root to the value. */
export function withoutSecrets(value: Value, names: readonly string[], options: HideOptions = {}): Value {
  return new ConfigRedactor(options).value(value, names);
}

class ConfigRedactor {
  readonly #redact: (text: string) => string;
  readonly #hidden: readonly string[];

  constructor({ redact = redactSecrets, hidden = [] }: HideOptions) {
    this.#redact = redact;
    this.#hidden = hidden;
  }

  mapping(value: MappingValue, names: readonly string[]): MappingValue {
    const entries = [...value.entries].map(([key, child]): [string, Value] => [
      this.#text(key),
      this.value(child, [...names, key]),
    ]);
    return { ...value, entries: new Map(entries), origin: this.#origin(value.origin) };
  }

  value(value: Value, names: readonly string[]): Value {
    if (value.kind === 'mapping') return this.mapping(value, names);
    if (value.kind === 'scalar') return this.#scalar(value, names);
    const items = value.items.map((item) => this.value(item, names));
    return { ...value, items, origin: this.#origin(value.origin) };
  }

  #scalar(scalar: ScalarPart, names: readonly string[]): ScalarPart {
    const { value, origin } = scalar;
    if (origin.kind === 'bundled') return scalar;
    if (names.some((name) => isSecret(name, value))) {
      const hidden = { type: 'string', value: value === maskedSecret ? maskedSecret : redacted } as const;
      return { ...scalar, ...hidden, origin: this.#originOfSecret(origin) };
    }
    const shown = typeof value === 'string' ? this.#text(value) : value;
    return { ...scalar, value: shown, origin: this.#origin(origin) };
  }

  /** Returns where the secret was written, or a reference that quotes nothing. */
  #originOfSecret(origin: Origin): Origin {
    if (origin.kind !== 'rule' || isReference(origin.expression)) return this.#origin(origin);
    const [place] = locationsOf(origin);
    if (place === undefined) return { kind: 'rule', expression: redacted, inputs: [] };
    return this.#origin({ kind: 'file', location: place });
  }

  #origin(origin: Origin): Origin {
    if (origin.kind !== 'rule') return origin;
    const inputs = origin.inputs.map((input) => ({
      ...input,
      value: { ...input.value, origin: this.#origin(input.value.origin) },
    }));
    return {
      ...origin,
      expression: this.#text(origin.expression),
      ...(origin.text !== undefined && { text: this.#text(origin.text) }),
      inputs,
    };
  }

  #text(text: string): string {
    const known = this.#hidden.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
    return this.#redact(known);
  }
}
