import * as vscode from 'vscode';
import { CodedError } from '../../../base/core/errors.ts';
import { effectiveScheme } from '../../../base/core/ids.ts';

/** Who gets the config: its own launcher, composed and no more, or what trains. */
export const targets = ['own', 'trinity', 'verl'] as const;
export type EffectiveTarget = (typeof targets)[number];

export interface EffectiveView {
  /** The config: a file, an open text, or an older version that source control shows. */
  readonly source: vscode.Uri;
  /** The file that it counts as, where that is another: a run keeps its config elsewhere than it was written. */
  readonly as?: vscode.Uri | undefined;
  readonly target: EffectiveTarget;
  /** `origins`: each value with where it comes from. `values`: sorted and without, so that two can be compared. */
  readonly shows: 'origins' | 'values';
}

function titleOf(name: string, target: EffectiveTarget): string {
  const titles: Readonly<Record<EffectiveTarget, string>> = {
    own: vscode.l10n.t('{0} (effective)', name),
    trinity: vscode.l10n.t('{0} (for Trinity)', name),
    verl: vscode.l10n.t('{0} (for verl)', name),
  };
  return titles[target];
}

/** The address of the document; its path is the title of the tab. */
export function effectiveUri({ source, as, target, shows }: EffectiveView): vscode.Uri {
  const name = ((as ?? source).path.split('/').at(-1) ?? '').replace(/\.ya?ml$/, '');
  return vscode.Uri.from({
    scheme: effectiveScheme,
    path: `/${titleOf(name, target)}.yaml`,
    query: JSON.stringify({ source: source.toString(), as: as?.toString(), target, shows }),
  });
}

/** Parses a URI; returns undefined for other URIs, such as typed ones. */
export function readEffectiveUri(uri: vscode.Uri): EffectiveView | undefined {
  if (uri.scheme !== effectiveScheme) return undefined;
  try {
    const read = JSON.parse(uri.query) as Partial<Record<'source' | 'as' | 'target' | 'shows', unknown>>;
    const target = targets.find((known) => known === read.target);
    if (typeof read.source !== 'string' || target === undefined) return undefined;
    const shows = read.shows === 'values' ? 'values' : 'origins';
    const as = typeof read.as === 'string' ? vscode.Uri.parse(read.as, true) : undefined;
    return { source: vscode.Uri.parse(read.source, true), as, target, shows };
  } catch {
    return undefined; // not written by us
  }
}

/** Returns the config of a command: the given one, or that of the active editor, which may show its effective form. */
export function activeConfig(given: unknown): vscode.Uri {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  const source = uri && (readEffectiveUri(uri)?.source ?? uri);
  if (source !== undefined) return source;
  throw new CodedError({
    code: 'config/no-active-config',
    message: vscode.l10n.t('The active editor does not show a config.'),
    hint: vscode.l10n.t('Open the config, then run the command again.'),
  });
}
