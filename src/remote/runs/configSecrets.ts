import { redacted } from '../../base/secrets.ts';
import { originText, placesOf, placeText } from '../../config/effective/origins.ts';
import type { Environment } from '../../config/interpolation/host.ts';
import { maskedSecret, maskSecrets } from '../../config/interpolation/secrets.ts';
import type { MappingValue, Origin, ScalarPart, Value } from '../../config/value.ts';
import { isSecretName } from './secrets.ts';

/** An environment that tells of secrets, by the names that logs and configs know them by, only that they are set. */
export function withoutSecretValues(variable: (name: string) => string | undefined): Environment {
  return maskSecrets((name) => {
    const value = variable(name);
    return value !== undefined && value !== '' && isSecretName(name) ? maskedSecret : value;
  });
}

/**
 * What variables that are named as secrets fall back to in `${oc.env:NAME,…}`, wherever that is in these values. A single
 * word, as `EMPTY`, is no secret.
 */
export function secretDefaults(values: readonly Value[]): string[] {
  return values.flatMap((value): string[] => {
    if (value.kind === 'mapping') return secretDefaults([...value.entries.values()]);
    if (value.kind === 'sequence') return secretDefaults(value.items);
    if (typeof value.value !== 'string') return [];
    return [...value.value.matchAll(fallback)].flatMap(([, name = '', written = '']) => {
      const text = written.trim().replace(/^(["'])(.*)\1$/, '$2');
      return isSecretName(name) && text.length >= 6 && !/^[A-Za-z]+$/.test(text) ? [text] : [];
    });
  });
}

/** The values that keys of a composed config call secrets: its launcher prints them. A default is known to everybody. */
export function configSecrets(value: Value, names: readonly string[] = []): string[] {
  if (value.kind === 'mapping') {
    return [...value.entries].flatMap(([key, child]) => configSecrets(child, [...names, key]));
  }
  if (value.kind === 'sequence') return value.items.flatMap((item) => configSecrets(item, names));
  const { value: written, origin } = value;
  if (origin.kind === 'bundled' || written === maskedSecret) return [];
  return names.some((name) => namesSecret(name, written)) ? [String(written)] : [];
}

const fallback = /\benv:\s*([A-Za-z_]\w*)\s*,([^{}]*)\}/g;

export interface RedactOptions {
  /** Takes out of a text what is known to be a secret, wherever it stands. */
  readonly redact: (text: string) => string;
  /** Folder that files are named from. */
  readonly relativeTo: string;
  /** Texts that are secrets wherever a value has them. */
  readonly hidden: readonly string[];
}

/**
 * A composed config without secrets: what keys and `NAME=value` in texts call one, what is known to be one or looks like one.
 * Origins tell no more than the comment that is made of them, which can quote the config as well.
 */
export function withoutConfigSecrets(root: MappingValue, options: RedactOptions): MappingValue {
  return new ConfigRedactor(options).mapping(root, []);
}

class ConfigRedactor {
  readonly #options: RedactOptions;

  constructor(options: RedactOptions) {
    this.#options = options;
  }

  /** @param names the keys that it stands below */
  mapping(value: MappingValue, names: readonly string[]): MappingValue {
    const entries = [...value.entries].map(([key, child]): [string, Value] => [
      this.#text(key),
      this.#value(child, [...names, key]),
    ]);
    return { ...value, entries: new Map(entries), origin: this.#told(value.origin, false) };
  }

  #value(value: Value, names: readonly string[]): Value {
    if (value.kind === 'mapping') return this.mapping(value, names);
    if (value.kind === 'scalar') return this.#scalar(value, names);
    const items = value.items.map((item) => this.#value(item, names));
    return { ...value, items, origin: this.#told(value.origin, false) };
  }

  #scalar(scalar: ScalarPart, names: readonly string[]): ScalarPart {
    const { value, origin } = scalar;
    // A default is known to everybody.
    if (origin.kind !== 'bundled' && names.some((name) => namesSecret(name, value))) {
      const hidden = { type: 'string', value: value === maskedSecret ? maskedSecret : redacted } as const;
      return { ...scalar, ...hidden, origin: this.#told(origin, true) };
    }
    const shown = typeof value === 'string' ? this.#text(this.#withoutHidden(value)) : value;
    return { ...scalar, value: shown, origin: this.#told(origin, shown !== value) };
  }

  /** Of a secret no more than a reference that quotes nothing, else where it was written. */
  #told(origin: Origin, isSecret: boolean): Origin {
    const { relativeTo } = this.#options;
    const [place] = placesOf(origin);
    const quotes = origin.kind === 'rule' && !isReference(origin.expression);
    const text =
      isSecret && quotes
        ? place === undefined
          ? redacted
          : placeText(place, relativeTo)
        : originText(origin, relativeTo);
    return { kind: 'rule', expression: this.#text(text), inputs: [] };
  }

  #withoutHidden(text: string): string {
    return this.#options.hidden.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  }

  #text(text: string): string {
    return this.#options
      .redact(text)
      .replace(assignment, (whole, name: string, between: string, value: string) =>
        namesSecret(name, value) ? `${name}${between}${redacted}` : whole,
      )
      .replace(bareUser, `$1${redacted}@`);
  }
}

/** `TOKEN=…` of an address, of a command line, of variables before a command. */
const assignment = /\b([A-Za-z][\w.-]{0,100})(=["']?)([^\s&;,"']+)/g;
/** A token in the place of the user of an address. */
const bareUser = /(\b[a-z][\w+.-]{0,30}:\/\/)[^\s:@/[\]]{16,}@/gi;

/** `${oc.env:NAME}`, `${a.b}`: nothing that could be a secret itself, as a default can. */
function isReference(text: string): boolean {
  return /^\$\{[^,{}]*\}$/.test(text);
}

/**
 * Whether a value is a secret by its key. `KEY` and `TOKEN` alone can be a column of the data (`prompt_key: question`) or a
 * mark in a text (`eos_token: </s>`), and numbers can count tokens: those are told by how they look.
 */
function namesSecret(key: string, value: ScalarPart['value']): boolean {
  if (value === null || typeof value === 'boolean' || value === '' || value === '???') return false;
  const name = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  if (!isSecretName(name)) return false;
  const rest = name.replace(/(?:^|_)(?:keys?|tokens?)(?=_|$)/gi, '');
  const isNumber = typeof value === 'number' || /^[\d.]+$/.test(value);
  if (isNumber) {
    const counts = /(?:^|_)(?:tokens|num|max|min)(?:_|$)/i.test(name) && !isSecretName(rest);
    return !counts && String(value).length >= 6;
  }
  if (isReference(value)) return false;
  const isOpen = !isSecretName(rest) && !certain.test(name) && name !== name.toUpperCase();
  return !(isOpen && word.test(value));
}

const certain = /(?:api|access|secret|private|bearer|license|service|encrypt\w*|sign\w*)_|^token$/i;
/** Of letters, as names are, or between brackets. */
const word = /^(?:<[^>]*>|\[[A-Z]+\]|[A-Za-z]{1,16}(?:[_. -][A-Za-z]{1,16}){0,4}\d{0,2})$/;
