import { CodedError } from '../../../base/core/errors.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { ChatModel, ChatRequest, ChunkBatches, ModelReply } from './model.ts';

export interface CallLimits {
  /** LLM calls of the run. */
  readonly maxCalls?: number | undefined;
  /** Tokens of all prompts and replies of the run. */
  readonly maxTokens?: number | undefined;
  /** True if {@link CallBudget.end} may be called. */
  readonly canEnd?: boolean;
}

/**
 * Counts the calls and tokens that reach models, and refuses calls when a limit is reached. Calls that a recording
 * answers do not count. Tokens are those that the server reports, or an estimate from the length of the texts.
 */
export class CallBudget {
  readonly #limits: CallLimits;
  readonly #reached = new Emitter<undefined>();
  readonly onReached = this.#reached.event;
  #calls = 0;
  #tokens = 0;
  #refused = 0;
  #end: CodedError | undefined;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Returns true if a call was refused, or will be. */
  get isReached(): boolean {
    return this.#refused > 0 || this.#end !== undefined;
  }

  /** Refuses all further calls, because the run has reached another limit. */
  end(problem: CodedError): void {
    this.#end = problem;
    this.#reached.fire(undefined);
  }

  /** Returns a model whose calls count. */
  around(model: ChatModel): ChatModel {
    const { maxCalls, maxTokens, canEnd = false } = this.#limits;
    if (maxCalls === undefined && maxTokens === undefined && !canEnd) return model;
    return {
      description: model.description,
      respond: async (request, cancellation, call) => {
        const refusal = this.#refusal();
        if (refusal !== undefined) return refusal;
        this.#calls += 1;
        return this.#counted(request, await model.respond(request, cancellation, call));
      },
    };
  }

  /** Returns the error of a run that the limit ended. */
  error({
    ended,
    stopped,
    total,
  }: {
    readonly ended: number;
    readonly stopped: number;
    readonly total: number;
  }): CodedError {
    const waiting = total - ended - stopped;
    const { message, hint } = this.#problem();
    const outcome = `${ended} of ${total} episodes had ended, ${stopped} ended at the limit, and ${waiting} did not start`;
    return new CodedError({ code: limitCode, message: `${message} ${outcome}.`, hint });
  }

  #refusal(): ModelReply | undefined {
    const { maxCalls = Infinity, maxTokens = Infinity } = this.#limits;
    if (this.#end === undefined && this.#calls < maxCalls && this.#tokens < maxTokens) return undefined;
    this.#refused += 1;
    if (this.#end === undefined && this.#refused === 1) this.#reached.fire(undefined);
    const report = this.#problem();
    // Clients do not repeat a request after this status.
    const error = { message: report.message, type: 'limit_reached', param: null, code: 'limit_reached' };
    return { kind: 'error', status: 403, error, report };
  }

  #problem(): CodedError {
    if (this.#end !== undefined) return this.#end;
    const { maxCalls, maxTokens } = this.#limits;
    const isCalls = maxCalls !== undefined && this.#calls >= maxCalls;
    const limit = isCalls ? `${maxCalls} LLM calls` : `${maxTokens ?? 0} tokens`;
    return new CodedError({
      code: limitCode,
      message: `The run reached its limit of ${limit} (${this.#calls} calls, ${this.#tokens} tokens).`,
      hint: isCalls
        ? 'Raise --max-calls (launch.json: maxCalls), or run fewer episodes.'
        : 'Raise --max-tokens (launch.json: maxTokens), or run fewer episodes.',
    });
  }

  #counted(request: ChatRequest, reply: ModelReply): ModelReply {
    if (reply.kind === 'error') return reply;
    if (reply.kind === 'stream')
      return { kind: 'stream', chunks: this.#countedStream(request, reply.chunks) };
    const { usage, choices } = reply.completion;
    this.#tokens += usage?.total_tokens ?? estimate(request.messages, choices);
    return reply;
  }

  async *#countedStream(request: ChatRequest, chunks: ChunkBatches): ChunkBatches {
    let reported: number | undefined;
    let parts = 0;
    try {
      for await (const batch of chunks) {
        for (const { usage, choices } of batch) {
          reported = usage?.total_tokens ?? reported;
          parts += choices.length;
        }
        yield batch;
      }
    } finally {
      // Servers send about one token in a chunk.
      this.#tokens += reported ?? estimate(request.messages) + parts;
    }
  }
}

export const limitCode = 'model/limit-reached';

/** Characters of a token, on average. */
const charactersPerToken = 4;

function estimate(...parts: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(parts).length / charactersPerToken);
}
