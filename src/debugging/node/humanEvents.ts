import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** Events of our own for clients in which a person can answer LLM calls, and the request that they answer with. */
export const humanEventNames = {
  asks: 'agentjet.modelAsks',
  asksNoMore: 'agentjet.modelAsksNoMore',
} as const;

/** Its arguments are `{id, text}`. */
export const answerRequest = 'agentjet.modelAnswers';

type ModelAsks = Extract<RunEvent, { type: 'model-asks' }>;

/** Body of `agentjet.modelAsks`. It comes again, with a problem, when an answer could not be read. */
export interface ModelAsksBody extends Pick<
  ModelAsks,
  'id' | 'conversation' | 'tools' | 'problem' | 'waiting'
> {
  /** e.g. `call 2 of train-3, repeat 0, by solver`. */
  readonly title: string;
}

/** Body of `agentjet.modelAsksNoMore`: the question was answered, or its call given up. */
export interface ModelAsksNoMoreBody {
  readonly id: number;
}

/** What a run asks of the person at the keyboard, for the client. */
export class HumanEvents {
  #asked: number | undefined;

  /** The question that waits for an answer. */
  get asked(): number | undefined {
    return this.#asked;
  }

  report(event: RunEvent): DapEvent[] {
    if (event.type === 'model-asks') {
      this.#asked = event.id;
      const { id, conversation, tools, problem, waiting } = event;
      const body: ModelAsksBody = { id, title: titleOf(event), conversation, tools, problem, waiting };
      return [{ event: humanEventNames.asks, body }];
    }
    if (event.type !== 'model-asks-no-more') return [];
    this.#asked = undefined;
    const body: ModelAsksNoMoreBody = { id: event.id };
    return [{ event: humanEventNames.asksNoMore, body }];
  }
}

function titleOf({ call, taskId, repeat, agent }: ModelAsks): string {
  return `call ${call} of ${taskId === '' ? 'task' : taskId}, repeat ${repeat}, by ${agent}`;
}
