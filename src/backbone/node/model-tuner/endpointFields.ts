import type { ChatRequest, ModelFailure, ModelReply } from '../../core/model-tuner/model.ts';
import { omit } from '../../../base/core/omit.ts';
import type { Logger, LogLevel } from '../../../base/core/ports.ts';

/**
 * The fields that request details of tokens. `withServerTokens` shows the servers that know each. vLLM (0.6.3
 * and later), SGLang and most others ignore unknown fields. OpenAI and older servers refuse them.
 */
const details = ['logprobs', 'return_token_ids', 'return_tokens_as_token_ids', 'return_meta_info'] as const;

/** The options that AgentJet adds to requests and servers refuse, in the order in which they are given up. */
const options = [
  'max_tokens', // OpenAI's reasoning models know only the newer name
  'max_completion_tokens', // Mistral and older servers know only the older name
  'seed', // Mistral has another name for it, Gemini has none
  'random_seed',
  'top_k',
  'top_p', // Claude refuses it next to a temperature
  'temperature', // OpenAI's reasoning models and Kimi know only 1
] as const;

type Detail = (typeof details)[number];
type Option = (typeof options)[number];
type Field = Detail | Option;

const idsFromTexts = 'token ids are derived from the token texts if there is no other source';
const noLimit = 'replies have no limit from the config';
const noSeed = 'the same run can give different replies';

/** The effect of leaving out each field, and the field that replaces it. */
const without: Readonly<Record<Field, { readonly effect: string; readonly instead?: Option }>> = {
  logprobs: { effect: 'log probabilities are missing' },
  return_token_ids: { effect: idsFromTexts },
  return_tokens_as_token_ids: { effect: idsFromTexts },
  return_meta_info: { effect: idsFromTexts },
  max_tokens: { effect: noLimit, instead: 'max_completion_tokens' },
  max_completion_tokens: { effect: noLimit, instead: 'max_tokens' },
  seed: { effect: noSeed, instead: 'random_seed' },
  random_seed: { effect: noSeed },
  top_k: { effect: "the server's own top_k applies" },
  top_p: { effect: "the server's own top_p applies" },
  temperature: { effect: "the server's own temperature applies, which is usually 1" },
};

const isOption = (field: Field): field is Option => options.some((option) => option === field);

/**
 * Adds the fields that request details of tokens, and learns from refusals which fields the server does not support.
 * Those are replaced or left out from then on. If only streams cannot have log probabilities, as in llama.cpp with tools,
 * whole replies are requested instead.
 */
export class EndpointFields {
  readonly #logger: Logger;
  readonly #details: boolean;
  readonly #refused = { whole: new Set<Field>(), stream: new Set<Field>() };
  /** The requests without (false) and with tools (true) to which the server does not stream log probabilities. */
  readonly #unstreamed = new Set<boolean>();

  constructor({ logger, details: asked = true }: { readonly logger: Logger; readonly details?: boolean }) {
    this.#logger = logger;
    this.#details = asked;
  }

  async ask(request: ChatRequest, send: (asked: ChatRequest) => Promise<ModelReply>): Promise<ModelReply> {
    const hasTools = (request.tools ?? []).length > 0;
    let whole = request.stream !== true || this.#unstreamed.has(hasTools);
    const left = new Set(whole ? this.#refused.whole : this.#refused.stream);
    const ofStreams = new Set<Field>();
    for (;;) {
      const asked: ChatRequest =
        whole && request.stream === true ? omit(request, 'stream', 'stream_options') : request;
      const sent = inNamesOfServer(this.#details ? withDetails(asked, left) : asked, left);
      const reply = await send(sent);
      const refused = reply.kind === 'error' ? refusedBy(reply, sent) : [];
      if (refused.length === 0) {
        // If the request still fails, the named field was not the cause.
        if (reply.kind === 'error') return reply;
        this.#remember(left, ofStreams);
        if (whole && request.stream === true) this.#rememberUnstreamed(hasTools);
        return reply;
      }
      if (!whole && refused.includes('logprobs') && reply.kind === 'error' && blamesStream(reply)) {
        whole = true;
        continue;
      }
      if (refused.includes('logprobs')) whole = request.stream !== true;
      for (const field of refused) {
        left.add(field);
        if (request.stream === true && reply.kind === 'error' && blamesStream(reply)) ofStreams.add(field);
      }
    }
  }

  #rememberUnstreamed(hasTools: boolean): void {
    if (this.#unstreamed.has(hasTools)) return;
    this.#unstreamed.add(hasTools);
    const which = hasTools ? 'streams with tools' : 'streams';
    const effect = 'replies are requested whole and then streamed to the agent';
    this.#logger.log('info', `The model server does not support logprobs for ${which}: ${effect}.`);
  }

  /** @param ofStreams fields that the server refuses in streams only, as SGLang does */
  #remember(left: ReadonlySet<Field>, ofStreams: ReadonlySet<Field>): void {
    for (const field of left) {
      if (this.#refused.stream.has(field)) continue;
      this.#refused.stream.add(field);
      const where = ofStreams.has(field) ? ' for streams' : '';
      if (where === '') this.#refused.whole.add(field);
      if (field === 'random_seed') continue; // said of `seed`
      const name = nameAtServer(field, left);
      const effect = name === undefined ? without[field].effect : `${name} is sent instead`;
      const level: LogLevel = isOption(field) && name === undefined ? 'warn' : 'info';
      this.#logger.log(level, `The model server does not support ${field}${where}: ${effect}.`);
    }
  }
}

function withDetails(request: ChatRequest, left: ReadonlySet<Field>): ChatRequest {
  const { logprobs, top_logprobs, ...rest } = request;
  const asksTexts = (top_logprobs ?? 0) > 0;
  const asksLogprobs = logprobs === true && !left.has('logprobs');
  return {
    ...rest,
    ...(!left.has('logprobs') && {
      ...(logprobs !== undefined && { logprobs }),
      ...(top_logprobs !== undefined && { top_logprobs }),
    }),
    ...(!left.has('return_token_ids') && { return_token_ids: true }),
    // Both only affect log probabilities. The texts of other likely tokens could not be restored.
    ...(asksLogprobs &&
      !asksTexts &&
      !left.has('return_tokens_as_token_ids') && { return_tokens_as_token_ids: true }),
    ...(asksLogprobs && !left.has('return_meta_info') && { return_meta_info: true }),
  };
}

/** Returns the request with its options under the names that the server supports, without those that have none. */
function inNamesOfServer(request: ChatRequest, left: ReadonlySet<Field>): ChatRequest {
  if (!options.some((option) => left.has(option) && option in request)) return request;
  const entries = Object.entries(request).flatMap(([key, value]: [string, unknown]) => {
    const name = Object.hasOwn(without, key) ? nameAtServer(key as Field, left) : key;
    return name === undefined || (name !== key && name in request) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as unknown as ChatRequest;
}

function nameAtServer(field: Field, left: ReadonlySet<Field>): Field | undefined {
  if (!left.has(field)) return field;
  const { instead } = without[field];
  return instead === undefined || left.has(instead) ? undefined : instead;
}

/**
 * Returns the fields that a refusal names. If it names no field but an unknown one, returns all details. An option can
 * also have a wrong value, which stays an error.
 */
function refusedBy({ status, error }: ModelFailure, sent: ChatRequest): readonly Field[] {
  if (![400, 403, 422].includes(status)) return [];
  const text = `${error.message} ${error.param ?? ''}`;
  const names = (field: Field): boolean =>
    field in sent && (error.param === field || new RegExp(`\\b${field}\\b`).test(text));
  const asked = details.filter((field) => field in sent);
  const named = asked.filter(names);
  if (named.length > 0) return named;
  if (unsupported.test(`${text} ${error.code ?? ''}`)) {
    const option = options.find((one) => one === error.param && one in sent) ?? options.find(names);
    if (option !== undefined) return [option]; // one at a time: a server can refuse two options together only
  }
  if (error.param !== null) return [];
  return unknownField.test(text) ? asked.filter((field) => field !== 'logprobs') : [];
}

const unknownField =
  /\b(?:extra|unknown|unrecogni[sz]ed|unexpected|additional)\b.{0,40}\b(?:fields?|inputs?|parameters?|arguments?|propert(?:y|ies)|keys?)\b/i;

const unsupported = new RegExp(
  [
    /\b(?:not|n't) (?:be )?(?:support|permit|allow|accept|recogni|available)/,
    /\b(?:un(?:supported|known|recogni[sz]ed|expected)|extra|deprecated|additional)/,
    /\b(?:cannot|can't) (?:both )?be (?:used|set|specified)/,
    /\bonly\b.{0,40}\b(?:supported|allowed)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

function blamesStream({ error }: ModelFailure): boolean {
  return /\bstream(?:s|ing)?\b/i.test(error.message);
}
