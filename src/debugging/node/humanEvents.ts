import type { RunEvent } from '../../backbone/core/protocol/run.ts';
import type { DapEvent } from './runReporter.ts';

/** Custom events for clients in which a person answers LLM calls, and the request for the answer. */
export const humanEventNames = {
  asks: 'agentjet.modelAsks',
  asksNoMore: 'agentjet.modelAsksNoMore',
} as const;

/** Its arguments are `{id, text}`. */
export const answerRequest = 'agentjet.modelAnswers';

type ModelAsks = Extract<RunEvent, { type: 'model-asks' }>;

/** The body of `agentjet.modelAsks`. The event is sent again with a problem if an answer is invalid. */
export interface ModelAsksBody extends Pick<
  ModelAsks,
  'id' | 'conversation' | 'tools' | 'problem' | 'waiting'
> {
  /** e.g. `call 2 of train-3, repeat 0, by solver`. */
  readonly title: string;
}

/** The body of `agentjet.modelAsksNoMore`: the question was answered or its call was canceled. */
export interface ModelAsksNoMoreBody {
  readonly id: number;
}

/** Reports to the client the LLM calls that wait for a person. */
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
