import type { Finding } from '../../../finding.ts';
import { quotedName, setValueFix, scalarText, nameAndValue } from '../report.ts';
import type { TrinityView } from './view.ts';

const prompt = 'model.max_prompt_tokens';
const response = 'model.max_response_tokens';
const limit = 'model.max_model_len';
const least = 'model.min_response_tokens';

/** The three lengths, each of which may be left for the others to make. */
export function modelLengths(view: TrinityView): Finding[] {
  const [forPrompt, forResponse, most] = [view.scalar(prompt), view.scalar(response), view.scalar(limit)];
  if (forPrompt === undefined || forResponse === undefined || most === undefined) return [];
  return [
    ...sumOfLengths(view),
    ...(most === null ? unknownLimit(view, forPrompt === null || forResponse === null) : []),
    ...leastResponse(view),
  ];
}

function sumOfLengths(view: TrinityView): Finding[] {
  const [forPrompt, forResponse, most] = [view.number(prompt), view.number(response), view.number(limit)];
  if (forPrompt === undefined || forResponse === undefined || most === undefined) return [];
  const sum = forPrompt + forResponse;
  if (sum <= most) return [];
  return view.report('trinity-lengths', {
    at: [response, prompt, limit],
    message: `${forPrompt} + ${forResponse} = ${sum} tokens of prompt and response, but \`max_model_len\` is ${most}, so Trinity does not start. Lower one of them, or raise \`max_model_len\` to ${sum}.`,
    fixes: () => [
      ...(most > forPrompt ? setValueFix(view, response, most - forPrompt, 'Lower') : []),
      ...setValueFix(view, limit, sum, 'Raise'),
    ],
  });
}

function unknownLimit(view: TrinityView, undetermined: boolean): Finding[] {
  const [forPrompt, forResponse] = [view.number(prompt), view.number(response)];
  if (undetermined) {
    return view.report('trinity-lengths', {
      since: '0.4',
      at: [response, prompt, limit, 'model'],
      message:
        'Trinity cannot compute `max_model_len`, because `max_prompt_tokens` and `max_response_tokens` are not both set. Set `model.max_model_len`.',
    });
  }
  if (forPrompt === undefined || forResponse === undefined) return [];
  return view.report('trinity-default-applied', {
    severity: 'information',
    at: [limit, response, prompt],
    message: `\`max_model_len\` is not set and becomes ${forPrompt} + ${forResponse} = ${forPrompt + forResponse}.`,
  });
}

/** Caps that are not set share what there is. */
export function derivedLengths(view: TrinityView): Finding[] {
  const most = view.number(limit);
  if (most === undefined) return [];
  const missing = [prompt, response].filter((path) => view.isNull(path));
  const [only, second] = missing;
  if (only === undefined) return [];
  const other = only === prompt ? response : prompt;
  const given = view.number(other) ?? 0;
  if (second === undefined && given >= most) {
    const message = `${nameAndValue(view, other)} leaves no room in ${nameAndValue(view, limit)} for the ${only === prompt ? 'prompt' : 'response'}. It becomes ${most - 1}, and ${quotedName(only)} 1.`;
    return view.report('trinity-value-rewritten', { severity: 'warning', at: [other, limit], message });
  }
  const message =
    second === undefined
      ? `${quotedName(only)} is not set and becomes ${most} − ${given} = ${most - given}.`
      : `\`max_prompt_tokens\` and \`max_response_tokens\` are not set and become half of ${nameAndValue(view, limit)} each.`;
  return view.report('trinity-default-applied', { at: [limit], message });
}

function leastResponse(view: TrinityView): Finding[] {
  const [few, most] = [view.number(least), view.number(response)];
  if (few === undefined || most === undefined || few < most) return [];
  return view.report('trinity-value-rewritten', {
    severity: 'warning',
    at: [least, response],
    message: `${nameAndValue(view, least)} is not less than ${nameAndValue(view, response)}, and becomes ${most - 1}.`,
    fixes: () => setValueFix(view, least, Math.max(0, most - 1), 'Lower'),
  });
}

export function promptTruncation(view: TrinityView): Finding[] {
  const key = 'model.enable_prompt_truncation';
  const on = view.flag(key);
  if (on === undefined) return [];
  const message = on
    ? 'A prompt longer than `max_prompt_tokens` is truncated, and its responses are not trained.'
    : 'A prompt longer than `max_prompt_tokens` is sent in full, and may exceed the limit of the engine.';
  return view.report('trinity-prompt-truncation', { at: [key], message });
}

/** Somebody else's model can be measured, not trained. */
export function externalModel(view: TrinityView): Finding[] {
  const section = 'model.external_model';
  if (view.flag(`${section}.enable`) !== true) return [];
  const findings: Finding[] = [];
  if (view.mode !== undefined && !view.isMode('bench')) {
    findings.push(
      ...view.report('trinity-external-model', {
        at: [`${section}.enable`, 'mode'],
        message: `An external model works only in mode \`bench\`, not in \`${view.mode}\`. Trinity does not start.`,
      }),
    );
  }
  for (const name of ['base_url_env', 'api_key_env', 'model_name']) {
    if (!view.isEmpty(`${section}.${name}`)) continue;
    findings.push(
      ...view.report('trinity-external-model', {
        at: [`${section}.${name}`, `${section}.enable`],
        message: `An external model needs \`${section}.${name}\`, which is not set.`,
      }),
    );
  }
  const engine = 'explorer.rollout_model.engine_type';
  const type = view.text(engine);
  if (type !== undefined && type !== 'external' && view.typed(engine) !== undefined) {
    const message = `With an external model ${nameAndValue(view, engine)} becomes \`external\`.`;
    findings.push(...view.report('trinity-value-rewritten', { at: [engine], message }));
  }
  return findings;
}

/** Training through the Tinker service leaves no engine and no trainer here. */
export function tinker(view: TrinityView): Finding[] {
  const enable = 'model.tinker.enable';
  if (view.flag(enable) !== true) return [];
  return [
    ...tinkerAlgorithm(view, enable),
    ...becomesTinker(view),
    ...(view.syncMethod === 'nccl' && view.typed('synchronizer.sync_method') !== undefined
      ? view.report('trinity-sync-method', {
          at: ['synchronizer.sync_method'],
          message: `With \`tinker\`, weights are sent as checkpoints, so ${nameAndValue(view, 'synchronizer.sync_method')} becomes \`checkpoint\`.`,
        })
      : []),
  ];
}

function tinkerAlgorithm(view: TrinityView, enable: string): Finding[] {
  const findings: Finding[] = [];
  const type = 'algorithm.algorithm_type';
  if (view.algorithm?.critic === true) {
    const message = `${nameAndValue(view, type)} trains a critic, which \`tinker\` does not support. Trinity does not start.`;
    findings.push(...view.report('trinity-tinker', { at: [type, enable], message }));
  }
  const entropy = 'algorithm.entropy_loss_fn_args.entropy_coef';
  const coefficient = view.number(entropy);
  if (coefficient !== undefined && coefficient !== 0) {
    const message = `With \`tinker\` the entropy is only an estimate, so leave ${quotedName(entropy)} at 0 instead of ${scalarText(view.scalar(entropy))}.`;
    findings.push(...view.report('trinity-tinker', { severity: 'warning', at: [entropy], message }));
  }
  return findings;
}

function becomesTinker(view: TrinityView): Finding[] {
  const auxiliary = view.count('explorer.auxiliary_models') ?? 0;
  const keys = [
    'explorer.rollout_model.engine_type',
    ...Array.from({ length: auxiliary }, (_, index) => `explorer.auxiliary_models.${index}.engine_type`),
    'trainer.trainer_type',
  ];
  return keys.flatMap((key) => {
    const value = view.text(key);
    if (value === undefined || value === 'tinker' || view.typed(key) === undefined) return [];
    const message = `With \`tinker\` on, ${quotedName(key)} ${scalarText(value)} becomes \`tinker\`.`;
    return view.report('trinity-value-rewritten', { severity: 'warning', at: [key], message });
  });
}
