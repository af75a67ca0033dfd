import type { LengthLimits } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TracedMessage } from '../../../src/tracking/core/records/trace.ts';
import { createEpisodeTracker } from '../../../src/tracking/core/episodeTracker.ts';
import type {
  EpisodeTracker,
  TrackedCall,
  TrackedEpisode,
  TrackerOptions,
  TrackerReply,
  TrackerRequest,
} from '../../../src/tracking/core/tracker.ts';
import { tinyText, type TinyText } from './tinyText.ts';

export const roomy: LengthLimits = {
  modelLength: 100_000,
  promptLength: 50_000,
  responseLength: 50_000,
  turnLength: 10_000,
};

export const system = { role: 'system', content: 'be kind' };
export const user = { role: 'user', content: 'what is two' };

export function assistant(content: string): { role: string; content: string } {
  return { role: 'assistant', content };
}

export function answer(content: string | null, more: Partial<TrackerReply> = {}): TrackerReply {
  return { content, toolCalls: null, finishReason: 'stop', tokens: null, ...more };
}

/** An episode under test, with every message that it told of. */
export class Episode {
  readonly text: TinyText;
  readonly tracker: EpisodeTracker;
  readonly messages: TracedMessage[] = [];
  #calls = 0;

  constructor(options: Partial<Omit<TrackerOptions, 'text'>> & { readonly text?: TinyText } = {}) {
    this.text = options.text ?? tinyText();
    this.tracker = createEpisodeTracker({
      limits: roomy,
      toolCallsDisabled: false,
      fixesDrift: true,
      detectsSnaps: false,
      merging: { compareLevel: 'text', ignoreTools: true },
      madness: { checklist: [], reward: -1, terminates: true },
      ...options,
      text: this.text,
    });
  }

  call(
    messages: readonly unknown[],
    reply: TrackerReply | null = answer('it is 2'),
    tools: readonly unknown[] | null = null,
    at: Partial<Pick<TrackerRequest, 'agent' | 'startedAt' | 'endedAt'>> = {},
  ): TrackedCall {
    const call = this.#calls++;
    // One after the other, unless they say otherwise.
    const times = { startedAt: call * 10, endedAt: call * 10 + 5, ...at };
    const tracked = this.tracker.track({ call, messages, tools, ...times }, reply);
    for (const { position, message } of tracked.added) this.messages[position] = message;
    return tracked;
  }

  end(): TrackedEpisode {
    const ended = this.tracker.end();
    for (const { position, message } of ended.added) this.messages[position] = message;
    return ended;
  }

  /** Codes of the problems so far, errors marked. */
  codes(): string[] {
    const { problems } = this.end().tracking;
    return problems.map(({ code, severity }) => (severity === 'error' ? `${code}!` : code));
  }

  at(position: number | null): TracedMessage {
    const message = this.messages[position ?? -1];
    if (message === undefined) throw new Error(`no message at ${position ?? 'null'}`);
    return message;
  }

  /** Timelines for people: a line per message with its author, its tokens and its loss mask, then the problems. */
  print(): string {
    const { timelines, tracking } = this.end();
    const blocks = timelines.map(({ calls, messages, tokens, trainableTokens }) => {
      const head = `calls ${calls.join(', ')}: ${tokens} tokens, ${trainableTokens} trainable`;
      return [head, ...messages.map((position) => this.#printMessage(this.at(position)))].join('\n');
    });
    const problems = tracking.problems.map(
      ({ code, severity, message }) => `${severity} ${code}: ${message}`,
    );
    return `${[...blocks, ...(problems.length > 0 ? [problems.join('\n')] : [])].join('\n\n')}\n`;
  }

  #printMessage({ author, tokenIds, lossMask, logprobs }: TracedMessage): string {
    const words = this.text.tokenizer.textOf(tokenIds).map((word) => word.replaceAll('\n', '↵'));
    const lines = [`  [${author}] ${words.join('|')} ${lossMask.join('')}`];
    if (logprobs !== null) {
      const values = Array.from(logprobs, (value) => (Number.isNaN(value) ? '-' : String(value)));
      lines.push(`    logprobs ${values.join(' ')}`);
    }
    return lines.join('\n');
  }
}
