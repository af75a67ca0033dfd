import type {
  TracedCall,
  TracedEpisode,
  TracedEpisodeEnd,
  TracedMessage,
  TracedToken,
} from '../../../../src/tracking/core/records/trace.ts';
import type { TracedRun } from '../../../../src/tracking/core/records/tracedRun.ts';

export const sampleRun: TracedRun = {
  experiment: 'sample',
  config: '/home/ada/sample.yaml',
  configText: 'ajet: {}\n',
  workflow: 'Sample',
  workflowFile: '/home/ada/workflow.ts',
  model: 'built-in (seed 1)',
  tokenizer: { name: 'built-in', exact: false, file: null },
  limits: { modelLength: 100, promptLength: 50, responseLength: 50, turnLength: 20 },
  merging: { compareLevel: 'text', ignoreTools: true },
  tasks: 2,
  repeat: 1,
  episodes: 2,
  startedAt: 1_700_000_000_000,
};

export function sampleEpisode(episode: number): TracedEpisode {
  return {
    episode,
    uuid: `uuid-${episode}`,
    taskId: `t${episode}`,
    taskIndex: episode,
    repeat: 0,
    query: 'How many?',
    startedAt: sampleRun.startedAt + episode,
  };
}

/** One token per word. */
function message(role: string, author: TracedMessage['author'], ids: readonly number[]): TracedMessage {
  return {
    role,
    author,
    text: ids.map((id) => `w${id}`).join(' '),
    toolCalls: null,
    toolCallId: null,
    tokenIds: Int32Array.from(ids),
    logprobs: null,
    lossMask: Uint8Array.from(ids, () => (author === 'llm' ? 1 : 0)),
  };
}

export const sampleMessages: readonly { readonly position: number; readonly message: TracedMessage }[] = [
  { position: 0, message: message('system', 'env', [1, 2]) },
  { position: 1, message: message('user', 'env', [3]) },
  { position: 2, message: message('assistant', 'llm', [4, 5, 6]) },
];

export const sampleTokens: readonly TracedToken[] = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  bytes: new TextEncoder().encode(`w${id} `),
  special: id === 1,
}));

export function sampleCall(episode: number): TracedCall {
  return {
    episode,
    call: 0,
    agent: 'solver',
    tag: '',
    startedAt: sampleRun.startedAt + 10,
    seconds: 0.5,
    status: 200,
    error: null,
    options: '{}',
    tools: null,
    finishReason: 'stop',
    messages: [0, 1],
    reply: 2,
    promptTokens: 3,
    replyTokens: 3,
  };
}

export function sampleEnd(episode: number): TracedEpisodeEnd {
  return {
    result: {
      episode,
      taskId: `t${episode}`,
      repeat: 0,
      reward: 1,
      isSuccess: true,
      llmCalls: 1,
      seconds: 1,
      error: null,
      tracking: { timelines: 1, tokens: 6, trainableTokens: 3, problems: [] },
    },
    timelines: [{ calls: [0], messages: [0, 1, 2], tokens: 6, trainableTokens: 3 }],
  };
}
