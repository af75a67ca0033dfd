import type { KeyInfo, KeyNode, ValueInfo } from './keyTable.ts';
import { valueTypes } from './keyTableRow.ts';

/**
 * Everything known about a key, as Markdown. `becomes`: what is said about where the value goes, in place of the
 * plain list of the table.
 */
export function describeKey(key: KeyNode, becomes: readonly string[] = becomesFacts(key)): string {
  const { info } = key;
  if (info === undefined) return paragraphs([`**\`${key.path}\`** · section`, bullets(becomes)]);
  return paragraphs([
    [`**\`${key.path}\`**`, typeText(info), ...defaultFact(key)].join(' · '),
    info.description,
    ...lifecycleTexts(info),
    bullets([...factsOf(key), ...becomes]),
  ]);
}

/** Returns type and default on one line, for lists. */
export function shortText(key: KeyNode): string {
  return `${key.info === undefined ? 'section' : typeText(key.info)}${defaultText(key)}`;
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function bullets(facts: readonly string[]): string {
  return facts.map((fact) => `- ${fact}`).join('\n');
}

/** Returns true for keys that new configs should not use. */
export function isOutdated(info: KeyInfo | undefined): boolean {
  if (info === undefined) return false;
  const replaced = [info.removed, info.renamedTo, info.doNotSet].some((text) => text !== undefined);
  return replaced || info.deprecated || info.unused;
}

function lifecycleTexts(info: KeyInfo): string[] {
  const { deprecated, unused, renamedTo, insteadUse, removed, since, doNotSet } = info;
  const texts = [
    deprecated ? `Deprecated. ${insteadUse ?? ''}`.trim() : undefined,
    unused ? 'Has no effect.' : undefined,
    renamedTo === undefined ? undefined : `Its new name is \`${renamedTo}\`.`,
    doNotSet === undefined ? undefined : `Do not set it: ${doNotSet}.`,
    since === undefined ? undefined : `Available since ${since}.`,
    removed === undefined ? undefined : `Last available in ${removed}.`,
  ];
  return texts.filter((text) => text !== undefined);
}

function factsOf({ info, item }: KeyNode): string[] {
  if (info === undefined) return [];
  const facts = [
    allowedText(info, 'Allowed'),
    ...valueNotes(info),
    item === undefined ? undefined : allowedText(item.value, 'Items'),
    rangeText(info),
    info.unit === undefined ? undefined : `Unit: ${info.unit}`,
    info.constraint === undefined ? undefined : `Rule: ${info.constraint}`,
    info.appliesWhen === undefined ? undefined : `Applies when: \`${info.appliesWhen}\``,
    info.ignoredWhenSet === undefined ? undefined : `Not always used: ${info.ignoredWhenSet}`,
    info.successor === undefined ? undefined : `In AgentJet: \`${info.successor}\``,
  ];
  return facts.filter((fact) => fact !== undefined);
}

function becomesFacts({ info }: KeyNode): string[] {
  const facts = [becomesText('Trinity', info?.becomes.trinity), becomesText('verl', info?.becomes.verl)];
  return facts.filter((fact) => fact !== undefined);
}

function typeText({ types }: ValueInfo): string {
  if (types.length === valueTypes.length) return 'any value';
  return types.map((type) => (type === 'object' ? 'section' : type)).join(' or ');
}

function defaultText(key: KeyNode): string {
  const shown = defaultOf(key);
  return shown === undefined ? '' : ` = ${shown}`;
}

/** Returns the default as code, because its text is not Markdown. */
function defaultFact(key: KeyNode): string[] {
  const shown = defaultOf(key);
  return shown === undefined ? [] : [`default \`${shown}\``];
}

function defaultOf({ info }: KeyNode): string | undefined {
  if (info?.hasDefault !== true) return undefined;
  return typeof info.default === 'string' && info.default !== ''
    ? info.default
    : JSON.stringify(info.default);
}

function allowedText(
  { allowed, allowsOthers, caseInsensitive }: ValueInfo,
  title: string,
): string | undefined {
  if (allowed === undefined) return undefined;
  const list = allowed.map((value) => `\`${value}\``).join(', ');
  const anyCase = caseInsensitive === true ? ', case-insensitive' : '';
  return `${title}: ${list}${allowsOthers ? ', and others' : ''}${anyCase}`;
}

function valueNotes({ valueNotes: notes = {} }: KeyInfo): string[] {
  return Object.entries(notes).map(([value, note]) => `\`${value}\`: ${note}`);
}

function rangeText({ min, max, exclusiveMin }: ValueInfo): string | undefined {
  const limits = [
    min === undefined ? undefined : `at least ${min}`,
    exclusiveMin === undefined ? undefined : `more than ${exclusiveMin}`,
    max === undefined ? undefined : `at most ${max}`,
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : `Range: ${limits.join(', ')}`;
}

function becomesText(backbone: string, targets: readonly string[] = []): string | undefined {
  if (targets.length === 0) return undefined;
  return `${backbone}: ${targets.map((target) => `\`${target}\``).join(', ')}`;
}
