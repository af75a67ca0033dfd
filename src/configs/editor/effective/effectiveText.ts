import * as l10n from '@vscode/l10n';
import { formatLocation } from '../../../base/core/errors.ts';
import { withoutCompositionKeys } from '../../core/compose/compositionKeys.ts';
import type { ConfigContext } from '../../core/context.ts';
import { convert, type Conversion } from '../../core/convert/convert.ts';
import { ownFirst, sorted } from '../../core/effective/arrange.ts';
import { locationText } from '../../core/effective/origins.ts';
import { secretDefaults, withoutConfigSecrets } from '../../core/effective/secrets.ts';
import { renderEffective, type RenderedLine } from '../../core/effective/render.ts';
import type { ConfigProblem } from '../../core/finding.ts';
import type { MappingValue } from '../../core/value.ts';
import type { EffectiveTarget, EffectiveView } from './effectiveUri.ts';

export interface EffectiveText {
  readonly text: string;
  /** The value and origin of each line, from 0. */
  readonly origins: ReadonlyMap<number, RenderedLine>;
  /** The values in the text; absent if it only has a message. */
  readonly root?: MappingValue;
}

function heading(target: EffectiveTarget, name: string): string {
  const headings: Readonly<Record<EffectiveTarget, string>> = {
    own: l10n.t('{0}, composed', name),
    trinity: l10n.t('{0}, as Trinity-RFT receives it', name),
    verl: l10n.t('{0}, as verl receives it', name),
  };
  return headings[target];
}

/** Named from here, files are as short as they can be. */
export interface Naming {
  readonly name: string;
  readonly relativeTo: string | undefined;
  /** True if the values are from an older version because the current text is broken. */
  readonly isOld?: boolean;
}

/** A config as its launcher composes it, or as a backbone would get it, with what is wrong with it on top. */
export function effectiveText(
  context: ConfigContext,
  { target, shows }: Pick<EffectiveView, 'target' | 'shows'>,
  { name, relativeTo, isOld = false }: Naming,
): EffectiveText {
  const { dialect } = context;
  // Trinity's own files are handed to it as they are; no launcher converts them.
  if (dialect.section === undefined && target === 'verl') {
    return messageText(
      l10n.t('{0} is a config of {1}, so it cannot be converted for verl.', name, dialect.label),
    );
  }
  const { root, problems, table } = effectiveOf(context, target);
  if (shows === 'values') {
    const values = sorted(dialect.composition === 'hydra' ? withoutCompositionKeys(root) : root);
    const { text } = renderEffective(values, { format: 'yaml', origins: false });
    return { text, origins: new Map(), root: values };
  }
  const { text, origins } = renderEffective(ownFirst(root, context.document), {
    format: 'yaml',
    origins: true,
    relativeTo,
  });
  const header = [
    heading(target, name),
    ...(table === undefined ? [] : [tableText(table, relativeTo)]),
    ...(isOld ? [l10n.t('The YAML has an error. This is the last valid version.')] : []),
    ...problems.map((problem) => problemLine(problem, relativeTo)),
  ];
  const lines = header.flatMap(asComments);
  const top = `${lines.join('\n')}\n\n`;
  const below = lines.length + 1;
  return { text: top + text, root, origins: new Map(origins.map((place) => [place.line + below, place])) };
}

/** The width of a header in a side editor, which has half the width of the window. */
const widestHeader = 54;

function asComments(text: string): string[] {
  const [first = '', ...rest] = text.split(/\s+/);
  const lines = [first];
  for (const word of rest) {
    const grown = `${lines.at(-1) ?? ''} ${word}`;
    if (grown.length > widestHeader) lines.push(`  ${word}`);
    else lines[lines.length - 1] = grown;
  }
  return lines.map((line) => `# ${line}`);
}

export function messageText(text: string): EffectiveText {
  return { text: `# ${text.replaceAll(/\r?\n/g, '\n# ')}\n`, origins: new Map() };
}

function effectiveOf(
  { dialect, composition }: ConfigContext,
  target: EffectiveTarget,
): Pick<Conversion, 'root' | 'problems'> & Partial<Pick<Conversion, 'table'>> {
  const hiding = { hidden: secretDefaults(composition.layers) };
  if (target === 'own' || dialect.section === undefined) {
    return { root: withoutConfigSecrets(composition.config.root, hiding), problems: composition.problems };
  }
  const { root, problems, table } = convert(composition, target);
  return {
    root: withoutConfigSecrets(root, hiding),
    problems: [...composition.problems, ...problems],
    table,
  };
}

function tableText({ file, release }: Conversion['table'], relativeTo: string | undefined): string {
  return file === undefined
    ? l10n.t('Converted with the built-in table of AgentJet {0}', release)
    : l10n.t('Converted with {0}', locationText({ file }, relativeTo));
}

function problemLine({ severity, message, location }: ConfigProblem, relativeTo: string | undefined): string {
  const where =
    location === undefined ? '' : ` ${locationText(location, relativeTo) || formatLocation(location)}`;
  return `${severity}${where}: ${message}`;
}
