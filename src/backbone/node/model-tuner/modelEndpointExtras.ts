import type { ChatRequest, ModelFailure, ModelReply } from '../../core/model-tuner/model.ts';
import type { Logger } from '../../../base/core/ports.ts';

/**
 * The fields that request details of tokens. {@link withServerTokens} shows the servers that know each. vLLM (0.6.3
 * and later), SGLang and most others ignore unknown fields. OpenAI and older servers refuse them.
 */
const extras = ['logprobs', 'return_token_ids', 'return_tokens_as_token_ids', 'return_meta_info'] as const;
type Extra = (typeof extras)[number];

/** Requests details of tokens from a server, and remembers which ones it refuses. */
export class EndpointExtras {
  readonly #logger: Logger;
  readonly #refused = { whole: new Set<Extra>(), stream: new Set<Extra>() };

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param send sends one request to the server */
  async ask(request: ChatRequest, send: (asked: ChatRequest) => Promise<ModelReply>): Promise<ModelReply> {
    const left = new Set(request.stream === true ? this.#refused.stream : this.#refused.whole);
    const ofStreams = new Set<Extra>();
    for (;;) {
      const sent = withExtras(request, left);
      const reply = await send(sent);
      const refused = reply.kind === 'error' ? refusedBy(reply, sent) : [];
      if (refused.length === 0) {
        // If the request still fails, the named field was not the cause.
        if (reply.kind !== 'error') this.#remember(left, ofStreams);
        return reply;
      }
      for (const extra of refused) {
        left.add(extra);
        if (request.stream === true && reply.kind === 'error' && blamesStream(reply)) ofStreams.add(extra);
      }
    }
  }

  /** @param ofStreams fields that the server refuses in streams only, as SGLang does */
  #remember(left: ReadonlySet<Extra>, ofStreams: ReadonlySet<Extra>): void {
    for (const extra of left) {
      if (this.#refused.stream.has(extra)) continue;
      this.#refused.stream.add(extra);
      const where = ofStreams.has(extra) ? ' for streams' : '';
      if (where === '') this.#refused.whole.add(extra);
      this.#logger.log('info', `The model server does not support ${extra}${where}: ${without[extra]}.`);
    }
  }
}

const idsFromTexts = 'token ids are derived from the token texts if there is no other source';
const without: Readonly<Record<Extra, string>> = {
  logprobs: 'log probabilities are missing',
  return_token_ids: idsFromTexts,
  return_tokens_as_token_ids: idsFromTexts,
  return_meta_info: idsFromTexts,
};

function withExtras(request: ChatRequest, left: ReadonlySet<Extra>): ChatRequest {
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

/** Returns the fields that a refusal names. If it names no field but an unknown one, returns all of them. */
function refusedBy({ status, error }: ModelFailure, sent: ChatRequest): readonly Extra[] {
  if (![400, 403, 422].includes(status)) return [];
  const text = `${error.message} ${error.param ?? ''}`;
  const asked = extras.filter((extra) => extra in sent);
  const named = asked.filter((extra) => new RegExp(`\\b${extra}\\b`).test(text));
  if (named.length > 0 || error.param !== null) return named;
  return unknownField.test(text) ? asked.filter((extra) => extra !== 'logprobs') : [];
}

const unknownField =
  /\b(?:extra|unknown|unrecogni[sz]ed|unexpected|additional)\b.{0,40}\b(?:fields?|inputs?|parameters?|arguments?|propert(?:y|ies)|keys?)\b/i;

function blamesStream({ error }: ModelFailure): boolean {
  return /\bstream(?:s|ing)?\b/i.test(error.message);
}
