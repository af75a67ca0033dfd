import algorithms from '../data/algorithms.json' with { type: 'json' };
import type { Settings } from '../settings.ts';
import { underBackbone } from './backbone.ts';

const repeat = 'rollout.num_repeat';
const estimator = 'trainer_common.algorithm.adv_estimator';
const oversample = 'rollout.enable_oversample';
const multiplier = 'rollout.submit_oversample_multiplier';
const passes = 'trainer_common.val_pass_n';
const temperature = 'rollout.val_kwargs.temperature';

const groupEstimators: readonly string[] = algorithms.verlGroupEstimators;
const refusedEstimators: readonly string[] = algorithms.verlRefusedEstimators;

export function groupSize(settings: Settings): void {
  const size = settings.number(repeat);
  const name = settings.text(estimator);
  if (size === undefined || size >= 2) return;
  const inVerl = name !== undefined && groupEstimators.includes(name);
  const at = [repeat, estimator];
  if (inVerl && underBackbone(settings, 'verl', 'warning') !== undefined) {
    const message = `${settings.shown(repeat)} with ${settings.shown(estimator)}. Training compares an episode with the others of its task, but there are none. Under verl the advantage is then the reward itself. Under Trinity it is always 0. Set \`num_repeat\` to 2 or more.`;
    settings.report('group-size', { at, message });
    return;
  }
  if (underBackbone(settings, 'trinity', 'warning') === undefined) return;
  const message = `${settings.shown(repeat)}: Trinity's \`multi_step_grpo\` compares the episodes of one task. With a single episode, every advantage is 0 and training learns nothing. Set \`num_repeat\` to 2 or more.`;
  settings.report('group-size', { at: [repeat], message });
}

export function estimatorRefused(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'error');
  const name = settings.text(estimator);
  if (severity === undefined || name === undefined || !refusedEstimators.includes(name)) return;
  const message = `AgentJet's verl trainer rejects ${settings.shown(estimator)}. Use \`grpo\`, \`rloo\` or \`gae\`.`;
  settings.report('advantage-estimator', { severity, at: [estimator], message });
}

export function oversampling(settings: Settings): void {
  if (settings.flag(oversample) !== true) return;
  const size = settings.number(repeat);
  const factor = settings.number(multiplier);
  if (size === undefined || factor === undefined) return;
  const at = [multiplier, repeat, oversample];
  if (size === 1) {
    const message = `\`enable_oversample\` has no effect if \`num_repeat\` is 1.`;
    settings.report('oversample', { severity: 'information', at: [oversample, repeat], message });
    return;
  }
  const severity = underBackbone(settings, 'verl', 'error');
  const [confirm, over] = oversampled(size, factor);
  if (severity === undefined || (size < confirm && confirm < over)) return;
  const least = leastRepeat(factor);
  const remedy =
    least === undefined
      ? 'Raise `submit_oversample_multiplier`.'
      : `Set \`num_repeat\` to ${least} or more, or raise the multiplier.`;
  settings.report('oversample', {
    severity: 'error',
    at,
    message: `With \`num_repeat\` n = ${size} and a multiplier m = ${factor}, oversampling needs n < ⌊n(1+m)/2⌋ < ⌊n·m⌋, but these are ${size}, ${confirm} and ${over}. An assertion fails in the first batch. ${remedy}`,
    set: least === undefined ? [] : [[repeat, least, 'Raise']],
  });
}

/** The parts of the inequality that oversampling needs: ⌊n(1+m)/2⌋ and ⌊n·m⌋. */
function oversampled(n: number, m: number): [confirm: number, over: number] {
  return [Math.floor((n * (1 + m)) / 2), Math.floor(n * m)];
}

/** The smallest group from which on every group has room; undefined where none of a usual size has. */
function leastRepeat(factor: number): number | undefined {
  const sizes = Array.from({ length: 63 }, (_, index) => index + 2);
  const last = sizes.findLast((size) => {
    const [confirm, over] = oversampled(size, factor);
    return !(size < confirm && confirm < over);
  });
  return last === undefined ? 2 : last < 64 ? last + 1 : undefined;
}

export function validationPasses(settings: Settings): void {
  const count = settings.number(passes);
  const heat = settings.number(temperature);
  if (count === undefined || count < 2 || heat !== 0) return;
  if (settings.typed(temperature) === undefined) return;
  settings.report('validation-passes', {
    at: [passes, temperature],
    message: `Validation runs ${count} times (\`val_pass_n\`) at temperature 0. The passes are almost identical, so pass@${count} is hardly more than pass@1. Raise \`val_kwargs.temperature\`, or set \`val_pass_n\` to 1.`,
  });
}

/** Checks the training temperature, because upstream asserts it whatever validation uses. */
export function validationSampling(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'error');
  const sampled = 'rollout.val_kwargs.do_sample';
  const trained = 'rollout.temperature';
  const heat = settings.number(trained);
  if (severity === undefined || settings.flag(sampled) !== true || heat === undefined || heat > 0) return;
  settings.report('validation-sampling', {
    severity,
    at: [trained, sampled],
    message: `With \`val_kwargs.do_sample\` AgentJet requires that \`rollout.temperature\` is more than 0, but it is ${heat}, so training does not start. Raise it, or turn off \`do_sample\`.`,
  });
}

export function klTwice(settings: Settings): void {
  const inReward = ['trainer_common.algorithm.use_kl_in_reward', 'trainer_common.use_kl_in_reward'];
  const typed = inReward.find((path) => settings.typed(path) !== undefined && settings.flag(path) === true);
  if (typed === undefined || settings.flag('trainer_common.use_kl_loss') !== true) return;
  if (underBackbone(settings, 'verl', 'information') === undefined) return;
  settings.report('kl-double-counted', {
    at: [typed],
    message: `\`use_kl_in_reward\` and \`use_kl_loss\` are both on, so the distance to the reference model is penalized twice. Turn off one of them.`,
  });
}
