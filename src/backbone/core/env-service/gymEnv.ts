import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { GymAction, GymEnv, GymStep, InitMessage } from '../../../sdk/core/index.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { type EnvClient, type JsonObject, noEnvironment, noReset, show } from './client.ts';
import { quoted } from '../../../configs/core/interpolation/pythonText.ts';

/** Replaces an empty answer, as upstream does. */
const noFeedback = 'Warning: the environment gave no feedback. Send a valid action and try again.';

export const noGymEnv: GymEnv = {
  serviceUrl: undefined,
  step: () => Promise.reject(noEnvironment('step')),
  evaluate: () => Promise.reject(noEnvironment('evaluate')),
  reset: () => {
    throw noReset();
  },
};

/** Converts as upstream's `BaseGymEnv`. `over` is canceled when the episode ends; `onStep` is called before a step. */
export function gymEnvOf(client: EnvClient, id: string, over: CancellationToken, onStep: () => void): GymEnv {
  return {
    serviceUrl: client.serviceUrl,
    step: async (action) => {
      onStep();
      return toStep(client, await client.step(id, toAction(action), over));
    },
    evaluate: (messages = {}) => client.evaluate(id, messages, over),
    reset: () => {
      throw noReset();
    },
  };
}

function toAction(action: GymAction): JsonObject {
  const { content } = action;
  if (typeof content === 'string') return { ...action };
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return { ...action, content: isRecord(first) && 'text' in first ? first['text'] : pythonValue(content) };
}

function toStep(client: EnvClient, output: JsonObject): GymStep {
  const bad = (wrong: string): Error => client.failures.badReply({ endpoint: 'step', tries: 1 }, wrong);
  const { state } = output;
  // Only the first element counts.
  const first: unknown = Array.isArray(state) ? state[0] : undefined;
  if (!('is_terminated' in output)) throw bad('no `is_terminated`');
  const terminate = Boolean(output['is_terminated']);
  if (Array.isArray(first)) {
    const { reward, info } = output;
    if (typeof reward !== 'number' || !isRecord(info))
      throw bad('a list as `state`, but without `reward` and `info`');
    return { obs: first as readonly InitMessage[], reward, terminate, info };
  }
  if (!isRecord(first)) throw bad(`a \`state\` that is not a list of messages: ${show(state)}`);
  return { obs: observation(first, output, bad), reward: 0, terminate, info: {} };
}

function observation(message: JsonObject, output: JsonObject, bad: (wrong: string) => Error): string {
  if (!('content' in message) && 'error' in message) {
    // Upstream reads the text next to the state, and fails if it is only inside.
    if ('error' in output) return `[Error from environment: ${pythonValue(output['error'])}]`;
    throw bad(
      `an error inside \`state\`, which AgentJet reads only next to \`state\`: ${show(message['error'])}`,
    );
  }
  const content = 'content' in message ? message['content'] : '';
  return content === '' ? noFeedback : (content as string);
}

/** Returns Python's `str` of a JSON value. Whole numbers are treated as integers. */
export function pythonValue(value: unknown): string {
  return typeof value === 'string' ? value : written(value);
}

function written(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, field]) => `${quoted(key)}: ${written(field)}`)
    .join(', ')}}`;
}
