import type {
  TracedCall,
  TracedMessage,
  TracedToken,
  TraceWriter,
} from '../../../src/tracking/core/records/trace.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';

/** Episodes whose contents follow from their numbers, so that a reader knows what must be in them. */

export const tokensPerMessage = 400;
const vocabulary = 200;

export const longRun: TracedRun = {
  experiment: 'long',
  config: '/long.yaml',
  configText: 'ajet:\n',
  workflow: 'workflow.ts->Long',
  workflowFile: '/workflow.ts',
  model: 'built-in (seed 1)',
  tokenizer: { name: 'built-in', exact: false, file: null },
  limits: { modelLength: 1, promptLength: 1, responseLength: 1, turnLength: 1 },
  merging: { compareLevel: 'text', ignoreTools: true },
  tasks: 1_000_000,
  repeat: 1,
  episodes: 1_000_000,
  startedAt: 1_790_000_000_000,
};

/** Ids of a message's tokens. */
export function idsOf(episode: number, position: number): number[] {
  return Array.from(
    { length: tokensPerMessage },
    (_, index) => (episode * 31 + position * 7 + index) % vocabulary,
  );
}

export function textOf(episode: number, position: number): string {
  return `message ${position} of episode ${episode} `.repeat(20);
}

function message(episode: number, position: number): TracedMessage {
  const author = position === 0 ? 'env' : 'llm';
  return {
    role: author === 'env' ? 'user' : 'assistant',
    author,
    text: textOf(episode, position),
    toolCalls: null,
    toolCallId: null,
    tokenIds: Int32Array.from(idsOf(episode, position)),
    logprobs: null,
    lossMask: new Uint8Array(tokensPerMessage).fill(position),
  };
}

function tokens(): readonly TracedToken[] {
  return Array.from({ length: vocabulary }, (_, id) => {
    return { id, bytes: new TextEncoder().encode(`<${id}>`), special: false };
  });
}

function call(episode: number): TracedCall {
  return {
    episode,
    call: 0,
    agent: '',
    tag: '',
    startedAt: 1_790_000_000_000,
    seconds: 0,
    status: 200,
    error: null,
    options: '{}',
    tools: null,
    finishReason: 'stop',
    messages: [0],
    reply: 1,
    promptTokens: tokensPerMessage,
    replyTokens: tokensPerMessage,
  };
}

export function writeEpisode(writer: TraceWriter, episode: number): void {
  const taskId = `t${episode}`;
  const place = { episode, taskId, repeat: 0 };
  const started = { ...place, uuid: taskId, taskIndex: episode, query: `Query ${episode}` };
  writer.episodeStarted({ ...started, startedAt: 1_790_000_000_000 });
  const messages = [0, 1].map((position) => ({ position, message: message(episode, position) }));
  writer.callEnded(call(episode), messages, episode === 0 ? tokens() : []);
  writer.episodeEnded(
    {
      result: { ...place, reward: 1, isSuccess: true, llmCalls: 1, seconds: 1, error: null },
      timelines: [
        { calls: [0], messages: [0, 1], tokens: 2 * tokensPerMessage, trainableTokens: tokensPerMessage },
      ],
    },
    [],
  );
}
