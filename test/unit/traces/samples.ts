import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type {
  TracedCall,
  TracedEpisode,
  TracedMessage,
  TracedToken,
} from '../../../src/tracking/core/records/trace.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';

/** What traces are made of, as plain as can be; tests say what matters to them. */

export function aRun(changes: Partial<TracedRun> = {}): TracedRun {
  return {
    experiment: 'math',
    config: '/home/ada/math.yaml',
    configText: 'ajet:\n',
    workflow: 'workflow.ts->Math',
    workflowFile: '/home/ada/workflow.ts',
    model: 'built-in (seed 1)',
    tokenizer: { name: 'built-in', exact: false, file: null },
    limits: { modelLength: 18_000, promptLength: 3_000, responseLength: 15_000, turnLength: 4_096 },
    merging: { compareLevel: 'text', ignoreTools: true },
    tasks: 2,
    repeat: 2,
    episodes: 4,
    startedAt: 1_790_000_000_000,
    ...changes,
  };
}

export function anEpisode(episode: number, changes: Partial<TracedEpisode> = {}): TracedEpisode {
  return {
    episode,
    uuid: `uuid-${episode}`,
    taskId: `t${Math.floor(episode / 2)}`,
    taskIndex: Math.floor(episode / 2),
    repeat: episode % 2,
    query: `What is ${episode} + 1?`,
    startedAt: 1_790_000_001_000 + episode,
    ...changes,
  };
}

export function aMessage(text: string, changes: Partial<TracedMessage> = {}): TracedMessage {
  const tokenIds = Int32Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const author = changes.author ?? 'env';
  return {
    role: author === 'env' ? 'user' : 'assistant',
    author,
    text,
    toolCalls: null,
    toolCallId: null,
    tokenIds,
    logprobs: null,
    lossMask: new Uint8Array(tokenIds.length).fill(author === 'llm' ? 1 : 0),
    ...changes,
  };
}

export function aCall(episode: number, call: number, changes: Partial<TracedCall> = {}): TracedCall {
  return {
    episode,
    call,
    agent: 'solver',
    tag: '',
    startedAt: 1_790_000_002_000,
    seconds: 0.25,
    status: 200,
    error: null,
    options: '{"temperature":0.7}',
    tools: null,
    finishReason: 'stop',
    messages: [0],
    reply: 1,
    promptTokens: 9,
    replyTokens: 2,
    ...changes,
  };
}

export function aResult(episode: number, changes: Partial<EpisodeResult> = {}): EpisodeResult {
  return {
    episode,
    taskId: `t${Math.floor(episode / 2)}`,
    repeat: episode % 2,
    reward: episode % 2,
    isSuccess: episode % 2 === 1,
    llmCalls: 1,
    seconds: 1.5,
    error: null,
    tracking: { timelines: 1, tokens: 11, trainableTokens: 2, problems: [] },
    ...changes,
  };
}

/** Tokens of the messages that {@link aMessage} makes: each character is one. */
export function tokensOf(text: string): readonly TracedToken[] {
  const characters = [...new Set(text)];
  return characters.map((character) => ({
    id: character.codePointAt(0) ?? 0,
    bytes: new TextEncoder().encode(character),
    special: false,
  }));
}
