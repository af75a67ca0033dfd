import type { KeyNode, ValueInfo } from './keyTable.ts';

/** Everything known about a key, as Markdown. */
export function describeKey(key: KeyNode): string {
  const { info } = key;
  if (info === undefined) return `**\`${key.path}\`** · section`;
  const parts = [`**\`${key.path}\`** · ${typeText(info)}${defaultText(key)}`, info.description];
  if (info.deprecated) parts.push('Deprecated.');
  if (info.unused) parts.push('Has no effect.');
  parts.push(
    factsOf(key)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  );
  return paragraphs(parts);
}

/** Type and default on one line, as beside the name in a list. */
export function shortText(key: KeyNode): string {
  return `${key.info === undefined ? 'section' : typeText(key.info)}${defaultText(key)}`;
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function factsOf({ info, item }: KeyNode): string[] {
  if (info === undefined) return [];
  const facts = [
    allowedText(info, 'Allowed'),
    item === undefined ? undefined : allowedText(item.value, 'Items'),
    rangeText(info),
    info.constraint === undefined ? undefined : `Rule: ${info.constraint}`,
    info.appliesWhen === undefined ? undefined : `Applies when: \`${info.appliesWhen}\``,
    becomesText('Trinity', info.becomes.trinity),
    becomesText('verl', info.becomes.verl),
  ];
  return facts.filter((fact) => fact !== undefined);
}

function typeText({ types }: ValueInfo): string {
  return types.map((type) => (type === 'object' ? 'section' : type)).join(' or ');
}

function defaultText({ info }: KeyNode): string {
  if (info?.hasDefault !== true) return '';
  return ` = ${typeof info.default === 'string' ? info.default : JSON.stringify(info.default)}`;
}

function allowedText({ allowed, allowsOthers }: ValueInfo, title: string): string | undefined {
  if (allowed === undefined) return undefined;
  const list = allowed.map((value) => `\`${value}\``).join(', ');
  return `${title}: ${list}${allowsOthers ? ', and others' : ''}`;
}

function rangeText({ min, max, exclusiveMin }: ValueInfo): string | undefined {
  const limits = [
    min === undefined ? undefined : `at least ${min}`,
    exclusiveMin === undefined ? undefined : `more than ${exclusiveMin}`,
    max === undefined ? undefined : `at most ${max}`,
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : `Range: ${limits.join(', ')}`;
}

function becomesText(backbone: string, targets: readonly string[]): string | undefined {
  if (targets.length === 0) return undefined;
  return `${backbone}: ${targets.map((target) => `\`${target}\``).join(', ')}`;
}
