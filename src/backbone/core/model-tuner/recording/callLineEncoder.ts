import type { ChatRequest } from '../model.ts';
import { episodeKey } from './episodeNames.ts';
import type { CallLine, RecordedCall } from './format.ts';

/** A node of the tree of message prefixes: one message more than its parent. */
interface Prefix {
  /** The first call with this prefix. */
  readonly call: number;
  readonly next: Map<string, Prefix>;
}

/** Encodes calls as lines of a recording. Messages of earlier lines are referenced, not repeated. */
export class CallLineEncoder {
  readonly #episodes = new Map<string, Map<string, Prefix>>();
  readonly #tools = new Map<string, number>();
  readonly #rewrite: (name: string, text: string) => string;
  #next = 0;

  /** @param rewrite changes the text of each field before it is written */
  constructor(rewrite: (name: string, text: string) => string) {
    this.#rewrite = rewrite;
  }

  write(recorded: RecordedCall): string {
    const id = this.#next++;
    const { episode, request, completion, failure } = recorded;
    const { messages, tools, ...options } = request;
    const line: CallLine = {
      id,
      task: episode.task,
      repeat: episode.repeat,
      ...(episode.twin > 0 && { twin: episode.twin }),
      ...(episode.attempt > 0 && { attempt: episode.attempt }),
      call: recorded.call,
      agent: recorded.agentName,
      target: recorded.targetTag,
      messages: this.#messages(id, episodeKey(episode), messages),
      ...(Array.isArray(tools) && tools.length > 0 && { tools: this.#toolsOf(id, tools) }),
      options,
      startedAt: recorded.startedAt,
      seconds: recorded.seconds,
      status: recorded.status,
      ...(completion !== undefined && { completion: completion as unknown as CallLine['completion'] }),
      ...(failure !== undefined && { failure: failureFields(failure) }),
    };
    return JSON.stringify(line, (name, value: unknown) =>
      typeof value === 'string' ? this.#rewrite(name, value) : value,
    );
  }

  /** Forgets the messages of an episode that has ended. */
  forget(episode: RecordedCall['episode']): void {
    this.#episodes.delete(episodeKey(episode));
  }

  #messages(id: number, episode: string, messages: ChatRequest['messages']): CallLine['messages'] {
    let at = this.#episodes.get(episode) ?? new Map<string, Prefix>();
    this.#episodes.set(episode, at);
    let first = 0;
    let from: number | undefined;
    for (const [index, message] of messages.entries()) {
      const text = JSON.stringify(message);
      let prefix: Prefix | undefined = at.get(text);
      if (prefix === undefined) at.set(text, (prefix = { call: id, next: new Map() }));
      else if (first === index) {
        first = index + 1;
        from = prefix.call;
      }
      at = prefix.next;
    }
    const then = messages.slice(first) as unknown as Record<string, unknown>[];
    return from === undefined ? { then } : { from, first, then };
  }

  #toolsOf(id: number, tools: readonly unknown[]): NonNullable<CallLine['tools']> {
    const text = JSON.stringify(tools);
    const from = this.#tools.get(text);
    if (from !== undefined) return { from };
    this.#tools.set(text, id);
    return tools as Record<string, unknown>[];
  }
}

function failureFields({ status, error, headers, report }: NonNullable<RecordedCall['failure']>) {
  return {
    status,
    error,
    ...(headers && { headers: { ...headers } }),
    ...(report && {
      report: {
        code: report.code,
        message: report.message,
        ...(report.hint !== undefined && { hint: report.hint }),
        ...(report.location && { location: { ...report.location } }),
      },
    }),
  };
}
