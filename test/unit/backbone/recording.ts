import type { FinishedCall } from '../../../src/backbone/core/model-tuner/call.ts';
import type { ChatRequest } from '../../../src/backbone/core/model-tuner/model.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type { CodeLocations } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TracedMessage, TracedSpan, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { ModelText } from '../../../src/tracking/core/tokenizer.ts';
import type { EpisodeTracker, TrackerOptions } from '../../../src/tracking/core/tracker.ts';
import { completionOf } from './model-tuner/tunerBench.ts';

/** One token per UTF-16 unit; what starts with `<` is special. */
export const letters: ModelText = {
  note: { name: 'letters', exact: true, file: '/letters/tokenizer.json' },
  tokenizer: {
    encode: (text) => Array.from(text, (letter) => letter.charCodeAt(0)),
    bytesOf: (id) => Uint8Array.of(id),
    idOf: (bytes) => bytes[0],
    isSpecial: (id) => id === 60,
    eos: 60,
  },
  template: { render: () => '' },
};

export const tracking: Omit<TrackerOptions, 'text'> = {
  limits: { modelLength: 100, promptLength: 40, responseLength: 60, turnLength: 30 },
  toolCallsDisabled: false,
  fixesDrift: true,
  detectsSnaps: false,
  merging: { compareLevel: 'text', ignoreTools: true },
  madness: { checklist: [], reward: -1, terminates: true },
};

/** Tracks each reply as a message of its own, without its request: what it is given is all that counts. */
export function simpleTracker({ text }: TrackerOptions): EpisodeTracker {
  const positions: number[] = [];
  let first = 0;
  return {
    begin: () => ({ unsafe: null, overflows: false }),
    track: (_, reply) => {
      if (reply === null) return { messages: [], reply: null, promptTokens: 1, replyTokens: 0, added: [] };
      const tokenIds = Int32Array.from(text.tokenizer.encode(reply.content ?? ''));
      const message: TracedMessage = {
        role: 'assistant',
        author: 'llm',
        text: reply.content ?? '',
        toolCalls: null,
        toolCallId: null,
        tokenIds,
        logprobs: null,
        lossMask: new Uint8Array(tokenIds.length).fill(1),
      };
      const position = positions.push(tokenIds.length) - 1;
      const added = [{ position, message }];
      return { messages: [], reply: position, promptTokens: 1, replyTokens: tokenIds.length, added };
    },
    restart: () => {
      first = positions.length;
    },
    end: () => {
      const own = positions.slice(first);
      const tokens = own.reduce((sum, length) => sum + length, 0);
      const timelines = own.map((length, at) => ({
        calls: [first + at],
        messages: [first + at],
        tokens: length,
        trainableTokens: length,
      }));
      const counts = { timelines: timelines.length, tokens, trainableTokens: tokens };
      return { timelines, added: [], samples: [], tracking: { ...counts, problems: [] } };
    },
  };
}

/** A writer that notes what it is given, as texts. */
export class NotingWriter implements TraceWriter {
  readonly file = '/runs/exp/exp.ajtrace';
  readonly noted: string[] = [];
  places: CodeLocations | undefined;
  readonly spans: TracedSpan[] = [];

  episodeStarted: TraceWriter['episodeStarted'] = ({ episode }) => {
    this.noted.push(`episode ${episode} starts`);
  };

  callEnded: TraceWriter['callEnded'] = (call, messages, tokens) => {
    const texts = messages.map(({ message }) => message.text).join();
    const letters = tokens.map(({ id, special }) => String.fromCharCode(id) + (special ? '!' : '')).join('');
    const outcome = call.error ?? `${call.reply} "${texts}" new "${letters}"`;
    this.noted.push(`call ${call.episode}/${call.call} ${call.status}: ${outcome}`);
  };

  span: TraceWriter['span'] = (span) => {
    this.spans.push(span);
  };

  episodeEnded: TraceWriter['episodeEnded'] = ({ result, timelines }) => {
    this.noted.push(`episode ${result.episode} ends, ${timelines.length} timelines`);
  };

  trained: TraceWriter['trained'] = (timelines) => {
    this.noted.push(`trained ${timelines.map(({ episode, timeline }) => `${episode}/${timeline}`).join()}`);
  };

  /** Comes whenever it is found. */
  codeFound: TraceWriter['codeFound'] = (places) => {
    this.places = places;
  };

  runEnded: TraceWriter['runEnded'] = ({ status, selection }) => {
    const taken = selection && `, training takes ${selection.map(({ times }) => times).join()}`;
    this.noted.push(`run ${status}${taken ?? ''}`);
  };
}

export const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'q' }] };

export function finishedCall(changes: Partial<FinishedCall> = {}): FinishedCall {
  return {
    episode: 0,
    call: 0,
    agentName: 'solver',
    targetTag: 'main',
    episodeUuid: 'ab'.repeat(16),
    debugModel: null,
    canned: null,
    request,
    startedAt: 5,
    seconds: 1,
    askedAfter: 0,
    firstAfter: null,
    status: 200,
    completion: completionOf('aha'),
    failure: undefined,
    ...changes,
  };
}

export function episodeResult(episode = 0): EpisodeResult {
  return {
    episode,
    taskId: 't',
    repeat: 0,
    reward: 1,
    isSuccess: true,
    llmCalls: 1,
    seconds: 1,
    error: null,
  };
}
