import { quotedName, scalarText } from '../report.ts';
import type { TrinityView } from './view.ts';

const prompt = 'model.max_prompt_tokens';
const response = 'model.max_response_tokens';
const limit = 'model.max_model_len';
const least = 'model.min_response_tokens';

/** The three lengths, each of which may be left for the others to make. */
export function modelLengths(view: TrinityView): void {
  const [forPrompt, forResponse, most] = [view.scalar(prompt), view.scalar(response), view.scalar(limit)];
  if (forPrompt === undefined || forResponse === undefined || most === undefined) return;
  sumOfLengths(view);
  if (most === null) unknownLimit(view, forPrompt === null || forResponse === null);
  leastResponse(view);
}

function sumOfLengths(view: TrinityView): void {
  const [forPrompt, forResponse, most] = [view.number(prompt), view.number(response), view.number(limit)];
  if (forPrompt === undefined || forResponse === undefined || most === undefined) return;
  const sum = forPrompt + forResponse;
  if (sum <= most) return;
  view.report('trinity-lengths', {
    at: [response, prompt, limit],
    message: `${forPrompt} + ${forResponse} = ${sum} tokens of prompt and response, but \`max_model_len\` is ${most}, so Trinity does not start. Lower one of them, or raise \`max_model_len\` to ${sum}.`,
    set: [
      ...(most > forPrompt ? [[response, most - forPrompt, 'Lower'] as const] : []),
      [limit, sum, 'Raise'],
    ],
  });
}

function unknownLimit(view: TrinityView, undetermined: boolean): void {
  const [forPrompt, forResponse] = [view.number(prompt), view.number(response)];
  if (undetermined) {
    view.report('trinity-lengths', {
      since: '0.4',
      at: [response, prompt, limit, 'model'],
      message:
        'Trinity cannot compute `max_model_len`, because `max_prompt_tokens` and `max_response_tokens` are not both set. Set `model.max_model_len`.',
    });
    return;
  }
  if (forPrompt === undefined || forResponse === undefined) return;
  view.report('trinity-default-applied', {
    severity: 'information',
    at: [limit, response, prompt],
    message: `\`max_model_len\` is not set and becomes ${forPrompt} + ${forResponse} = ${forPrompt + forResponse}.`,
    becomes: forPrompt + forResponse,
  });
}

/** Caps that are not set share what there is. */
export function derivedLengths(view: TrinityView): void {
  const most = view.number(limit);
  if (most === undefined) return;
  const missing = [prompt, response].filter((path) => view.isNull(path));
  const [only, second] = missing;
  if (only === undefined) return;
  const other = only === prompt ? response : prompt;
  const given = view.number(other) ?? 0;
  if (second === undefined && given >= most) {
    const message = `${view.shown(other)} leaves no room in ${view.shown(limit)} for the ${only === prompt ? 'prompt' : 'response'}. It becomes ${most - 1}, and ${quotedName(only)} 1.`;
    view.report('trinity-value-rewritten', { severity: 'warning', at: [other, limit], message });
    return;
  }
  const message =
    second === undefined
      ? `${quotedName(only)} is not set and becomes ${most} − ${given} = ${most - given}.`
      : `\`max_prompt_tokens\` and \`max_response_tokens\` are not set and become half of ${view.shown(limit)} each.`;
  const becomes = second === undefined ? { becomes: most - given, rewrites: only } : {};
  view.report('trinity-default-applied', { at: [limit], message, ...becomes });
}

function leastResponse(view: TrinityView): void {
  const [few, most] = [view.number(least), view.number(response)];
  if (few === undefined || most === undefined || few < most) return;
  view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [least, response],
    message: `${view.shown(least)} is not less than ${view.shown(response)}, and becomes ${most - 1}.`,
    becomes: most - 1,
    set: [[least, Math.max(0, most - 1), 'Lower']],
  });
}

export function promptTruncation(view: TrinityView): void {
  const key = 'model.enable_prompt_truncation';
  const on = view.flag(key);
  if (on === undefined) return;
  const message = on
    ? 'A prompt longer than `max_prompt_tokens` is truncated, and its responses are not trained.'
    : 'A prompt longer than `max_prompt_tokens` is sent in full, and may exceed the limit of the engine.';
  view.report('trinity-prompt-truncation', { at: [key], message });
}

export function externalModel(view: TrinityView): void {
  const section = 'model.external_model';
  if (view.flag(`${section}.enable`) !== true) return;
  if (view.mode !== undefined && !view.isMode('bench')) {
    view.report('trinity-external-model', {
      at: [`${section}.enable`, 'mode'],
      message: `An external model works only in mode \`bench\`, not in \`${view.mode}\`. Trinity does not start.`,
    });
  }
  for (const name of ['base_url_env', 'api_key_env', 'model_name']) {
    if (!view.isEmpty(`${section}.${name}`)) continue;
    view.report('trinity-external-model', {
      at: [`${section}.${name}`, `${section}.enable`],
      message: `An external model needs \`${section}.${name}\`, which is not set.`,
    });
  }
  const engine = 'explorer.rollout_model.engine_type';
  const type = view.text(engine);
  if (type !== undefined && type !== 'external' && view.typed(engine) !== undefined) {
    const message = `With an external model ${view.shown(engine)} becomes \`external\`.`;
    view.report('trinity-value-rewritten', { at: [engine], message, becomes: 'external' });
  }
}

/** Training through the Tinker service leaves no engine and no trainer here. */
export function tinker(view: TrinityView): void {
  const enable = 'model.tinker.enable';
  if (view.flag(enable) !== true) return;
  tinkerAlgorithm(view, enable);
  becomesTinker(view);
  lostWeights(view);
  endlessSchedule(view);
  const method = 'synchronizer.sync_method';
  if (view.syncMethod !== 'nccl' || view.typed(method) === undefined) return;
  view.report('trinity-sync-method', {
    at: [method],
    message: `With \`tinker\`, weights are sent as checkpoints, so ${view.shown(method)} becomes \`checkpoint\`.`,
    becomes: 'checkpoint',
  });
}

function tinkerAlgorithm(view: TrinityView, enable: string): void {
  const type = 'algorithm.algorithm_type';
  if (view.algorithm?.critic === true) {
    const message = `${view.shown(type)} trains a critic, which \`tinker\` does not support. Trinity does not start.`;
    view.report('trinity-tinker', { at: [type, enable], message });
  }
  const entropy = 'algorithm.entropy_loss_fn_args.entropy_coef';
  const coefficient = view.number(entropy);
  if (coefficient !== undefined && coefficient !== 0) {
    const message = `With \`tinker\` the entropy is only an estimate, so leave ${quotedName(entropy)} at 0 instead of ${scalarText(view.scalar(entropy))}.`;
    view.report('trinity-tinker', { severity: 'warning', at: [entropy], message });
  }
}

function becomesTinker(view: TrinityView): void {
  const engines = ['explorer.rollout_model', ...view.items('explorer.auxiliary_models')];
  for (const key of [...engines.map((engine) => `${engine}.engine_type`), 'trainer.trainer_type']) {
    const value = view.text(key);
    if (value === undefined || value === 'tinker' || view.typed(key) === undefined) continue;
    const message = `With \`tinker\` on, ${quotedName(key)} ${scalarText(value)} becomes \`tinker\`.`;
    view.report('trinity-value-rewritten', { severity: 'warning', at: [key], message, becomes: 'tinker' });
  }
}

/** The trainer takes its number of steps from `trainer.total_steps` alone. Without it, a share of the steps has no end. */
function endlessSchedule(view: TrinityView): void {
  if (!view.isNull('trainer.total_steps')) return;
  const [ratio, scheduler] = ['lr_warmup_steps_ratio', 'lr_scheduler_type'].map(
    (name) => `algorithm.optimizer.${name}`,
  ) as [string, string];
  const unset = '`trainer.total_steps` is not set, from which the Tinker trainer computes its schedule.';
  const share = view.number(ratio);
  if (share !== undefined && share > 0 && (view.number('algorithm.optimizer.lr_warmup_steps') ?? 0) < 0) {
    view.report('trinity-tinker', {
      at: [ratio],
      message: `${unset} With ${view.shown(ratio)} the warm-up does not end, and the learning rate stays near 0. Set \`trainer.total_steps\`.`,
      set: [[ratio, 0]],
    });
  }
  if (view.text(scheduler) !== 'cosine') return;
  const message = `${unset} With ${view.shown(scheduler)} the learning rate does not decay. Set \`trainer.total_steps\`.`;
  view.report('trinity-tinker', { severity: 'warning', at: [scheduler], message });
}

/**
 * From 0.6 on, a step that saves a checkpoint does not also save the weights that `sync_method: checkpoint` waits for.
 * A checkpoint on a Tinker server has no weights for sampling.
 */
function lostWeights(view: TrinityView): void {
  const saving = 'trainer.save_interval';
  const method = 'synchronizer.sync_method';
  const every = view.number(saving);
  const { key: interval, step } = syncStep(view);
  const isDone = view.syncMethod === 'checkpoint' || view.syncMethod === 'nccl';
  if (every === undefined || every < 1 || step === undefined || !isDone) return;
  const first = leastCommonMultiple(every, step);
  // After the last step of `trainer.total_steps`, the explorer does not wait. With `buffer.total_steps` alone it does.
  const [ofTrainer, ofBuffer] = [view.number('trainer.total_steps'), view.number('buffer.total_steps')];
  if (ofTrainer !== undefined ? first >= ofTrainer : ofBuffer !== undefined && first > ofBuffer) return;
  view.report('trinity-tinker-save', {
    since: '0.6',
    at: [saving],
    message: `${view.shown(saving)} and ${view.shown(interval)} fall on the same step, ${first}. Trinity then saves a checkpoint and no weights for the explorer, which waits for them until ${view.shown('synchronizer.sync_timeout')} is over and then stops. Set \`sync_method\` to \`memory\`, or \`save_interval\` to 0 to save only the last step.`,
    set: [
      [method, 'memory'],
      [saving, 0],
    ],
  });
}

/** Returns the interval at which the explorer waits for weights. The step is undefined if it does not wait, or unknown. */
function syncStep(view: TrinityView): { readonly key: string; readonly step?: number } {
  const style = view.text('synchronizer.sync_style')?.toLowerCase();
  const isWaiting = style === 'fixed' || style === 'trainer_driven' || style === 'dynamic_by_trainer';
  const own = 'synchronizer.trainer_sync_interval';
  const key = view.isNull(own) ? 'synchronizer.sync_interval' : own;
  const step = view.number(key);
  const lead = view.number('synchronizer.sync_offset');
  if (!isWaiting || !view.isMode('both', 'train') || step === undefined || step < 1) return { key };
  // An explorer that is a whole interval ahead waits for the weights of a later step.
  return lead === undefined || lead >= step ? { key } : { key, step };
}

function leastCommonMultiple(one: number, other: number): number {
  let [a, b] = [one, other];
  while (b > 0) [a, b] = [b, a % b];
  return (one / a) * other;
}
