import { failures } from '../../core/model-tuner/failures.ts';
import { toolNames, writeConversation, readHumanReply } from '../../core/model-tuner/human/humanReply.ts';
import type { CallIdentity, ChatModel, ChatRequest, ModelReply } from '../../core/model-tuner/model.ts';
import type { EpisodeNames } from '../../core/model-tuner/recording/episodeNames.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Event } from '../../../base/core/event.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { ModelAnswer, RunEvent } from '../../core/protocol/run.ts';
import { readScriptReply } from './modelScriptReply.ts';

export interface HumanOptions {
  readonly names: EpisodeNames;
  readonly clock: Pick<Clock, 'now'>;
  readonly onAnswer: Event<ModelAnswer>;
  readonly emit: (event: RunEvent) => void;
}

interface Question {
  readonly id: number;
  readonly request: ChatRequest;
  readonly call: CallIdentity;
  readonly answer: (reply: ModelReply) => void;
}

/** A person as the model. It shows one question at a time, in the order of the calls, and withdraws a canceled call. */
export function createHumanModel(options: HumanOptions): ChatModel {
  const desk = new QuestionDesk(options);
  return {
    description: 'the person at the keyboard',
    respond: (request, cancellation, call) => desk.ask(request, cancellation, call),
  };
}

class QuestionDesk {
  readonly #options: HumanOptions;
  readonly #waiting: Question[] = [];
  #next = 0;

  constructor(options: HumanOptions) {
    this.#options = options;
    options.onAnswer((answer) => this.#take(answer));
  }

  ask(request: ChatRequest, cancellation: CancellationToken, call: CallIdentity): Promise<ModelReply> {
    return new Promise((answer) => {
      const question = { id: this.#next++, request, call, answer };
      this.#waiting.push(question);
      if (this.#waiting.length === 1) this.#show(null);
      cancellation.onCancelled(() => this.#end(question, { kind: 'error', ...failures.cancelled() }));
    });
  }

  /** Takes an answer. One to an earlier question is ignored. */
  #take({ id, text }: ModelAnswer): void {
    const [question] = this.#waiting;
    if (question?.id !== id) return;
    const { request, call } = question;
    const reply = readHumanReply(text, toolNames(request));
    if ('problem' in reply) {
      this.#show({ message: reply.problem, line: reply.line });
      return;
    }
    const tool_calls = reply.toolCalls.map((one) => ({ type: 'function', function: one }));
    const message = { content: reply.content, ...(tool_calls.length > 0 && { tool_calls }) };
    const completion = readScriptReply(message, request, call, this.#options.clock.now());
    this.#end(question, { kind: 'completion', completion: { ...completion, model: 'human' } });
  }

  #end(question: Question, reply: ModelReply): void {
    const at = this.#waiting.indexOf(question);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    if (at === 0) this.#options.emit({ type: 'model-asks-no-more', id: question.id });
    question.answer(reply);
    if (at === 0) this.#show(null);
  }

  #show(problem: { readonly message: string; readonly line: number } | null): void {
    const [question] = this.#waiting;
    if (question === undefined) return;
    const { id, request, call } = question;
    const { task, repeat } = this.#options.names.of(call.episode);
    this.#options.emit({
      type: 'model-asks',
      id,
      taskId: task,
      repeat,
      call: call.call,
      agent: call.agentName,
      conversation: writeConversation(request),
      tools: [...toolNames(request)],
      waiting: this.#waiting.length - 1,
      problem,
    });
  }
}
