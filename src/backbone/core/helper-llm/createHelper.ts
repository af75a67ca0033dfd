import { waitFor, type CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import { hashText, Random } from '../../../base/core/random.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import { collect, failureFrom } from '../model-tuner/stream.ts';
import type { ChatModel, ChatRequest, ModelFailure, ModelReply } from '../model-tuner/model.ts';
import { helperErrors, type HelperLlm, type HelperMessage, type HelperOptions } from './helperLlm.ts';

export type HelperSource =
  /** A local model. It gets one attempt, since a retry gives the same answer, and a schema for the reply. */
  | { readonly kind: 'local'; readonly description: string; open(): Promise<ChatModel> }
  /** A server, with up to four attempts. */
  | {
      readonly kind: 'server';
      readonly description: string;
      /** Undefined: the request selects the model. */
      readonly model: string | undefined;
      readonly keys: HelperKeys;
      /** Throws `model/bad-endpoint-url`. */
      open(model: string, apiKey: string | undefined): ChatModel;
    };

export interface HelperPorts {
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
  readonly seed: number;
}

/** The number of attempts of upstream's `create_external_llm_fn`. */
const attempts = 4;
const pauseMilliseconds = 5_000;
/** Status codes that do not depend on the key. */
const final: ReadonlySet<number> = new Set([400, 404, 413, 422]);

/**
 * Creates the helper LLM, which works like upstream's external LLM. The defaults are `n` 1 and temperature 0. It makes four
 * attempts, five seconds apart: two with a primary key, one with a backup key, one with any key. The seed of the run
 * selects the keys (upstream: unseeded). An invalid request is not sent again.
 */
export function createHelperLlm(source: HelperSource, ports: HelperPorts): HelperLlm {
  const random = new Random(`helper-llm ${ports.seed}`);
  const models = new Map<string, ChatModel>();
  let local: Promise<ChatModel> | undefined;
  let asked = 0;

  const modelFor = async (attempt: number, named: string | undefined): Promise<ChatModel> => {
    if (source.kind === 'local') return (local ??= source.open());
    const model = source.model ?? named;
    if (model === undefined || model === '') throw helperErrors.noModel(source.description);
    const key = keyOfAttempt(source.keys, attempt, random);
    const id = JSON.stringify([model, key]);
    const known = models.get(id) ?? source.open(model, key);
    models.set(id, known);
    return known;
  };

  return {
    description: source.description,
    isStandIn: source.kind === 'local',
    ask: async (messages, cancellation, options = {}) => {
      const call = asked++;
      const request = requestOf(messages, options, source.kind === 'local', ports.seed, call);
      const identity = { episode: -1, call, agentName: 'helper', targetTag: 'helper' };
      const most = source.kind === 'local' ? 1 : attempts;
      for (let attempt = 0; ; attempt++) {
        refuseCancelled(cancellation);
        const model = await modelFor(attempt, options.model);
        const answer = await textOf(await model.respond(request, cancellation, identity));
        refuseCancelled(cancellation);
        if (typeof answer === 'string') return answer;
        if (attempt + 1 >= most || final.has(answer.status)) {
          throw helperErrors.noAnswer(model.description, attempt + 1, answer);
        }
        ports.logger.log(
          'warn',
          `${model.description}: ${answer.error.message} The call is repeated in 5 s.`,
        );
        await waitFor(pauseMilliseconds, ports.clock, cancellation);
      }
    },
  };
}

/** Creates a helper LLM that rejects every request with an error about the missing setting. */
export function missingHelper(why: () => CodedError = helperErrors.notConfigured): HelperLlm {
  return { description: 'none', ask: () => Promise.reject(why()) };
}

function refuseCancelled(cancellation: CancellationToken): void {
  if (cancellation.isCancelled) throw helperErrors.cancelled();
}

function requestOf(
  messages: readonly HelperMessage[],
  { model, maxTokens, sampling, answer }: HelperOptions,
  isLocal: boolean,
  seed: number,
  call: number,
): ChatRequest {
  return {
    model: model ?? 'helper',
    messages: [...messages],
    n: 1,
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    temperature: 0,
    ...(isLocal && { seed: hashText(`${seed} ${call}`) % 2 ** 31 }),
    ...(isLocal &&
      answer !== undefined && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answer } },
      }),
    ...sampling,
  };
}

/** A message without content counts as an empty answer, as upstream has it. */
async function textOf(reply: ModelReply): Promise<string | ModelFailure> {
  if (reply.kind === 'error') return reply;
  try {
    const completion = reply.kind === 'completion' ? reply.completion : await collect(reply.chunks);
    const content: unknown = completion.choices[0]?.message.content;
    return typeof content === 'string' ? content : '';
  } catch (error) {
    return failureFrom(error);
  }
}

export interface HelperKeys {
  readonly primary: readonly string[];
  readonly backup: readonly string[];
}

/** Splits the value of `DASHSCOPE_API_KEY` or `DASHSCOPE_API_KEY_BACKUP`: keys separated by `|`. */
export function splitKeys(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split('|')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/** Upstream's choice of four: twice a primary key, once a backup key, once any. `attempt` counts from 0. */
function keyOfAttempt(
  { primary, backup }: HelperKeys,
  attempt: number,
  random: Pick<Random, 'pick'>,
): string | undefined {
  const preferred = attempt < 2 ? primary : attempt === 2 ? backup : [];
  const keys = preferred.length > 0 ? preferred : [...primary, ...backup];
  return keys.length === 0 ? undefined : random.pick(keys);
}
