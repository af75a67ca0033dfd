import type { ChatRequest, ModelFailure, ModelReply } from '../backbone/model-tuner/model.ts';
import type { Logger } from '../base/ports.ts';

/** What training is told of tokens, by the fields that ask for it. A server may know neither. */
const extras = ['logprobs', 'return_token_ids'] as const;
type Extra = (typeof extras)[number];

/** Asks a server for details of its tokens, and no more for those that it turned out to refuse. */
export class EndpointExtras {
  readonly #logger: Logger;
  readonly #refused = new Set<Extra>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param send asks the server once */
  async ask(request: ChatRequest, send: (asked: ChatRequest) => Promise<ModelReply>): Promise<ModelReply> {
    const left = new Set(this.#refused);
    for (;;) {
      const reply = await send(withExtras(request, left));
      const named = reply.kind === 'error' ? namedIn(reply, left) : [];
      if (named.length === 0) {
        // A request that fails all the same was refused for something else, though it was named.
        if (reply.kind !== 'error') this.#remember(left);
        return reply;
      }
      for (const extra of named) left.add(extra);
    }
  }

  #remember(left: ReadonlySet<Extra>): void {
    for (const extra of left) {
      if (this.#refused.has(extra)) continue;
      this.#refused.add(extra);
      this.#logger.log('info', `The model server does not take ${extra}; ${without[extra]}.`);
    }
  }
}

const without: Readonly<Record<Extra, string>> = {
  logprobs: 'log probabilities are left out',
  return_token_ids: 'ids of tokens are worked out from their texts',
};

function withExtras(request: ChatRequest, left: ReadonlySet<Extra>): ChatRequest {
  const { logprobs, top_logprobs, ...rest } = request;
  return {
    ...rest,
    ...(!left.has('logprobs') && {
      ...(logprobs !== undefined && { logprobs }),
      ...(top_logprobs !== undefined && { top_logprobs }),
    }),
    ...(!left.has('return_token_ids') && { return_token_ids: true }),
  };
}

/** The fields that a refusal names and that the request still had. */
function namedIn({ status, error }: ModelFailure, left: ReadonlySet<Extra>): Extra[] {
  if (![400, 403, 422].includes(status)) return [];
  const text = `${error.message} ${error.param ?? ''}`;
  return extras.filter((extra) => !left.has(extra) && new RegExp(`\\b${extra}\\b`).test(text));
}
