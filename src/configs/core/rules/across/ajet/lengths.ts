import type { Settings } from '../settings.ts';

const prompt = 'data.max_prompt_length';
const response = 'data.max_response_length';
const model = 'rollout.max_model_len';
const turn = 'rollout.max_response_length_in_one_turn';
const steps = 'rollout.multi_turn.max_steps';

export function lengths(settings: Settings): void {
  const parts = [settings.number(prompt), settings.number(response), settings.number(model)] as const;
  const [forPrompt, forResponse, limit] = parts;
  if (forPrompt === undefined || forResponse === undefined || limit === undefined) return;
  const sum = forPrompt + forResponse;
  if (sum <= limit) return;
  settings.report('lengths-exceed-model-len', {
    at: [response, prompt, model],
    message: `${forPrompt} + ${forResponse} = ${sum} tokens of prompt and response, but \`max_model_len\` is ${limit}. An assertion fails at the start of every episode. Lower one of them, or raise \`max_model_len\` to ${sum}.`,
    set: [
      ...(limit > forPrompt ? [[response, limit - forPrompt, 'Lower'] as const] : []),
      [model, sum, 'Raise'],
    ],
  });
}

export function turnLength(settings: Settings): void {
  const reply = settings.number(turn);
  const limit = settings.number(model);
  if (reply === undefined || limit === undefined) return;
  if (reply >= limit) {
    settings.report('turn-length', {
      at: [turn, model],
      message: `${settings.shown(turn)} is not less than ${settings.shown(model)}: ${limit} − ${reply} = ${limit - reply} tokens are left for the prompt, so no call is sent to the model. Lower \`max_response_length_in_one_turn\`.`,
    });
    return;
  }
  promptRoom(settings, limit - reply);
  keptReply(settings, reply);
}

function promptRoom(settings: Settings, room: number): void {
  const forPrompt = settings.number(prompt);
  if (forPrompt === undefined || forPrompt <= room) return;
  settings.report('prompt-never-sent', {
    at: [turn, prompt, model],
    message: `${settings.shown(model)} − ${settings.shown(turn)} = ${room} tokens, fewer than ${settings.shown(prompt)}. A call whose prompt has ${room} tokens or more is not sent, and the episode counts as overflowed.`,
  });
}

function keptReply(settings: Settings, reply: number): void {
  const kept = settings.number(response);
  if (kept === undefined || reply <= kept) return;
  settings.report('turn-length', {
    severity: 'warning',
    at: [turn, response],
    message: `One reply may have ${reply} tokens, but ${settings.shown(response)} is the limit of a whole episode. The end of a longer reply is not trained. Lower \`max_response_length_in_one_turn\` to ${kept}, or raise \`max_response_length\`.`,
    set: [[turn, kept, 'Lower']],
  });
}

/** Tokens for one step, reply and observation together, below which hardly anything can be said. */
const fewTokens = 64;

export function turns(settings: Settings): void {
  const count = settings.number(steps);
  const limit = settings.number(model);
  const forPrompt = settings.number(prompt);
  const reply = settings.number(turn);
  if (count === undefined || count < 1 || limit === undefined || forPrompt === undefined) return;
  const room = limit - forPrompt;
  if (room <= 0) return;
  const each = Math.floor(room / count);
  if (each < fewTokens) {
    settings.report('max-steps-exceed-context', {
      at: [steps, model, prompt],
      message: `${limit} − ${forPrompt} = ${room} tokens for ${count} steps are ${each} tokens for the reply and the observation of a step. Episodes overflow long before \`max_steps\`. Lower \`max_steps\`, or raise \`max_model_len\`.`,
    });
    return;
  }
  if (reply === undefined || forPrompt + count * reply <= limit) return;
  const full = Math.max(0, Math.floor(room / reply));
  settings.report('max-steps-exceed-context', {
    severity: 'hint',
    at: [steps],
    message: `${forPrompt} + ${count} × ${reply} = ${forPrompt + count * reply} tokens are needed for ${count} replies of full length, but ${settings.shown(model)}: ${full} of them ${full === 1 ? 'fits' : 'fit'}. Episodes with long replies end before \`max_steps\`.`,
  });
}
