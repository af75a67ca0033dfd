import * as l10n from '@vscode/l10n';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import type { ClipRange } from '../../../tracking/core/records/trace.ts';
import type { TokensView, StripView, TokenAuthor } from '../../core/protocol/tokenRpc.ts';

/** The meanings of the tokens' background. One is shown at a time. Trained tokens are always underlined. */
export const layers = ['mask', 'author', 'logprob', 'entropy', 'advantage', 'ratio', 'kl', 'drift'] as const;
export type Layer = (typeof layers)[number];

export function readLayer(saved: unknown): Layer {
  return layers.find((layer) => layer === saved) ?? 'mask';
}

export function nextLayer(layer: Layer): Layer {
  return layers[(layers.indexOf(layer) + 1) % layers.length] ?? 'mask';
}

/**
 * A class with a background in the style sheets. The level of `heat` is the share of the token that is filled, from
 * below; for `worse` from above.
 */
export type Shade =
  | 'trained'
  | 'template'
  | 'env'
  | 'llm'
  | 'frozen'
  | 'drifted'
  | `${'heat' | 'better' | 'worse'}-${1 | 2 | 3 | 4 | 5}`;

/** A shade with its meaning; null: no shade. */
export interface Step {
  readonly shade: Shade | null;
  readonly name: string;
}

type Level = 1 | 2 | 3 | 4 | 5;

/** Lower bounds of the probabilities of each level. A lower probability has the highest level. */
const probabilities = [0.9, 0.5, 0.2, 0.05, 0.01];
/** Upper bounds of the entropies of each level, in nats. */
const entropies = [0.1, 0.5, 1, 2, 3];
/** Bounds of the size of an advantage, in deviations. */
const advantages = [1e-9, 0.5, 1, 1.5, 2];
/** Upper bounds of the way to the end of the clip range, as shares of it. */
const clipShares = [0.05, 0.25, 0.5, 0.75, 1];
/** Upper bounds of the KL divergences of each level, in nats. */
const divergences = [0.001, 0.01, 0.05, 0.2, 1];

/** The range that the ratio layer shows for a loss that is not clipped. */
const unclipped: ClipRange = { low: 0.5, high: 2 };

type Scale = 'heat' | 'better' | 'worse';

function heat(kind: Scale, level: number): Shade | null {
  return level === 0 ? null : `${kind}-${level as Level}`;
}

/** Returns the shade for the number of bounds that a value exceeds. */
function shadeWithin(
  kind: Scale,
  bounds: readonly number[],
  keeps: (bound: number) => boolean,
): Shade | null {
  const level = bounds.findIndex(keeps);
  return heat(kind, level < 0 ? bounds.length : level);
}

export function logprobShade(logprob: number): Shade | null {
  const probability = Math.exp(logprob);
  return shadeWithin('heat', probabilities, (bound) => probability >= bound);
}

export function entropyShade(entropy: number): Shade | null {
  return shadeWithin('heat', entropies, (bound) => entropy < bound);
}

/** Returns the shade of an advantage; null for zero. */
export function advantageShade(advantage: number): Shade | null {
  const size = Math.abs(advantage);
  return shadeWithin(advantage > 0 ? 'better' : 'worse', advantages, (bound) => size < bound);
}

/** Returns the shade of a ratio; null: it is 1 or almost 1. Outside of the clip range it is the strongest. */
export function ratioShade(ratio: number, clip: ClipRange | null): Shade | null {
  if (ratio === 1) return null;
  const { low, high } = clip ?? unclipped;
  const end = ratio > 1 ? high : Math.max(0, low);
  const share = Math.abs(Math.log(ratio) / Math.log(end));
  return shadeWithin(ratio > 1 ? 'better' : 'worse', clipShares, (bound) => share <= bound);
}

export function klShade(kl: number): Shade | null {
  return shadeWithin('heat', divergences, (bound) => kl < bound);
}

const authorShades: Readonly<Record<TokenAuthor, Shade>> = {
  template: 'template',
  env: 'env',
  llm: 'llm',
  'llm(do_not_train)': 'frozen',
};

/** The values of a timeline that its layers need. */
export interface LayerScale {
  readonly advantage: number | null;
  /** Null: no training used the timeline, or its loss is not clipped. */
  readonly clip: ClipRange | null;
}

/** Returns the shade of a token, or of a section of the strip, in a layer; null: none. */
export function shadeOf(
  layer: Layer,
  tokens: TokensView | StripView,
  at: number,
  { advantage, clip }: LayerScale,
): Shade | null {
  const trained = (('lossMask' in tokens ? tokens.lossMask : tokens.trained)[at] ?? 0) > 0;
  switch (layer) {
    case 'mask':
      return trained ? 'trained' : null;
    case 'author':
      return authorShades[tokens.authors[at] ?? 'template'];
    case 'logprob':
      return orNull(tokens.logprobs[at], logprobShade);
    case 'entropy':
      return orNull(tokens.entropies[at], entropyShade);
    case 'advantage':
      return trained && advantage !== null ? advantageShade(advantage) : null;
    case 'ratio':
      return orNull(tokens.trainer?.ratios[at], (ratio) => ratioShade(ratio, clip));
    case 'kl':
      return orNull(tokens.trainer?.kls[at], klShade);
    case 'drift':
      return tokens.drifted[at] === 1 ? 'drifted' : null;
  }
}

function orNull(value: number | null | undefined, shade: (value: number) => Shade | null): Shade | null {
  return value === null || value === undefined ? null : shade(value);
}

export function layerName(layer: Layer): string {
  const names: Readonly<Record<Layer, string>> = {
    mask: l10n.t('Loss mask'),
    author: l10n.t('Author'),
    logprob: l10n.t('Log probability'),
    entropy: l10n.t('Entropy'),
    advantage: l10n.t('Advantage'),
    ratio: l10n.t('Ratio'),
    kl: l10n.t('KL divergence'),
    drift: l10n.t('Drift'),
  };
  return names[layer];
}

export function stepsOf(layer: Layer): readonly Step[] {
  const probabilityNames = ['≥ 90 %', '50–90 %', '20–50 %', '5–20 %', '1–5 %', '< 1 %'];
  const entropyNames = ['< 0.1', '0.1–0.5', '0.5–1', '1–2', '2–3', l10n.t('≥ 3 nats')];
  const divergenceNames = ['< 0.001', '0.001–0.01', '0.01–0.05', '0.05–0.2', '0.2–1', '≥ 1'];
  const scale = (name: string, level: number): Step => ({ shade: heat('heat', level), name });
  const steps: Readonly<Record<Layer, readonly Step[]>> = {
    mask: [
      { shade: 'trained', name: l10n.t('trained') },
      { shade: null, name: l10n.t('not trained') },
    ],
    author: [
      { shade: 'llm', name: l10n.t('model') },
      { shade: 'frozen', name: l10n.t('model, not trained') },
      { shade: 'env', name: l10n.t('environment') },
      { shade: 'template', name: l10n.t('chat template') },
    ],
    logprob: probabilityNames.map(scale),
    entropy: entropyNames.map(scale),
    advantage: [
      { shade: 'better-2', name: l10n.t('better than its group') },
      { shade: 'worse-2', name: l10n.t('worse') },
      { shade: null, name: l10n.t('not trained, or no gradient') },
    ],
    ratio: [
      { shade: 'better-2', name: l10n.t('more probable for the trainer') },
      { shade: 'worse-2', name: l10n.t('less probable') },
      { shade: null, name: l10n.t('the same, or not trained') },
    ],
    kl: divergenceNames.map(scale),
    drift: [
      { shade: 'drifted', name: l10n.t('the chat template tokenizes this text differently') },
      { shade: null, name: l10n.t('the same') },
    ],
  };
  return steps[layer];
}

/** Returns why a layer is empty for a whole timeline; undefined: it is not, or that is unknown yet. */
export function emptyLayerReason(
  layer: Layer,
  strip: StripView | undefined,
  { advantage, exact, row: { training } }: Pick<TimelineView, 'advantage' | 'exact' | 'row'>,
): string | undefined {
  const has = (values: readonly (number | null)[] | undefined): boolean =>
    values === undefined || values.some((value) => value !== null);
  const untrained = training === undefined && l10n.t('No training used this timeline.');
  const reasons: Readonly<Partial<Record<Layer, string | false>>> = {
    logprob: !has(strip?.logprobs) && l10n.t('The endpoint sent no log probabilities.'),
    entropy:
      !has(strip?.entropies) &&
      l10n.t('The endpoint sent no alternatives. Entropy needs requests with top_logprobs.'),
    advantage: advantage === null && l10n.t('The advantage is unknown until the whole group has ended.'),
    ratio: untrained,
    kl: untrained || (!has(strip?.trainer?.kls) && l10n.t('Training did not compare with the base model.')),
    drift:
      !exact &&
      l10n.t('Drift is unknown, because a stand-in counts the tokens instead of the tokenizer of training.'),
  };
  const reason = reasons[layer];
  return reason === false ? undefined : reason;
}
