import type { KeyInfo, KeyNode, ValueInfo } from './keyTable.ts';
import { releaseText } from './releases.ts';
import { valueTypes } from './keyTableRow.ts';

/**
 * Everything known about a key, as Markdown. `becomes`: what is said about where the value goes, in place of the
 * plain list of the table.
 */
export function describeKey(key: KeyNode, becomes: readonly string[] = becomesFacts(key)): string {
  const { info } = key;
  if (info === undefined) return paragraphs([`**\`${key.path}\`** · section`, bullets(becomes)]);
  const shown = defaultOf(key);
  return paragraphs([
    // The text of a default is not Markdown.
    present(`**\`${key.path}\`**`, typeText(info), shown !== undefined && `default \`${shown}\``).join(' · '),
    info.description,
    ...lifecycleTexts(info),
    bullets([...factsOf(key), ...becomes]),
  ]);
}

export function shortText(key: KeyNode): string {
  const shown = defaultOf(key);
  return `${key.info === undefined ? 'section' : typeText(key.info)}${shown === undefined ? '' : ` = ${shown}`}`;
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function bullets(facts: readonly string[]): string {
  return facts.map((fact) => `- ${fact}`).join('\n');
}

export function isOutdated(info: KeyInfo | undefined): boolean {
  if (info === undefined) return false;
  const replaced = [info.removed, info.renamedTo, info.doNotSet, info.absent].some(
    (reason) => reason !== undefined,
  );
  return replaced || info.deprecated || info.unused;
}

function lifecycleTexts(info: KeyInfo): string[] {
  const { deprecated, unused, renamedTo, insteadUse, removed, since, doNotSet, absent } = info;
  return present(
    deprecated && `Deprecated. ${insteadUse ?? ''}`.trim(),
    unused && 'Has no effect.',
    renamedTo !== undefined && `Its new name is \`${renamedTo}\`.`,
    doNotSet !== undefined && `Do not set it: ${doNotSet}.`,
    since !== undefined && (since === 'main' ? 'Only on the main branch.' : `Available since ${since}.`),
    removed !== undefined && `Removed in ${removed}.`,
    absent !== undefined && `Not in ${releaseText(absent)}.`,
  );
}

function present(...texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined && text !== false);
}

function factsOf({ info, item }: KeyNode): string[] {
  if (info === undefined) return [];
  return present(
    allowedText(info, 'Allowed'),
    ...Object.entries(info.valueNotes ?? {}).map(([value, note]) => `\`${value}\`: ${note}`),
    item && allowedText(item.value, 'Items'),
    rangeText(info),
    info.unit !== undefined && `Unit: ${info.unit}`,
    info.constraint !== undefined && `Rule: ${info.constraint}`,
    info.appliesWhen !== undefined && `Applies when: \`${info.appliesWhen}\``,
    info.ignoredWhenSet !== undefined && `Not always used: ${info.ignoredWhenSet}`,
    info.successor !== undefined && `In AgentJet: \`${info.successor}\``,
  );
}

function becomesFacts({ info }: KeyNode): string[] {
  return present(becomesText('Trinity', info?.becomes.trinity), becomesText('verl', info?.becomes.verl));
}

function typeText({ types }: ValueInfo): string {
  if (types.length === valueTypes.length) return 'any value';
  return types.map((type) => (type === 'object' ? 'section' : type)).join(' or ');
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

function rangeText({ min, max, exclusiveMin }: ValueInfo): string | undefined {
  const limits = present(
    min !== undefined && `at least ${min}`,
    exclusiveMin !== undefined && `more than ${exclusiveMin}`,
    max !== undefined && `at most ${max}`,
  );
  return limits.length === 0 ? undefined : `Range: ${limits.join(', ')}`;
}

function becomesText(backbone: string, targets: readonly string[] = []): string | undefined {
  if (targets.length === 0) return undefined;
  return `${backbone}: ${targets.map((target) => `\`${target}\``).join(', ')}`;
}
