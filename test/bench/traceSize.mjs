/**
 * `FILE MEGABYTES`: writes a trace of about that size with the writer that runs use, its bulk the tokens of long
 * episodes.
 */
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { openTraceWriter } from '../../src/traces/node/store/openWriter.ts';

const vocabulary = 50_000;
const callsOfEpisode = 8;
const tokensOfMessage = 16_000;
/** Ids, logprobs and mask. */
const bytesOfToken = 9;
const messagesOfEpisode = callsOfEpisode + 1;

const run = {
  experiment: 'large',
  config: '/large.yaml',
  configText: 'ajet:\n',
  workflow: 'workflow.ts->Large',
  workflowFile: '/workflow.ts',
  model: 'built-in (seed 1)',
  tokenizer: { name: 'built-in', exact: false, file: null },
  limits: { modelLength: 200_000, promptLength: 20_000, responseLength: 180_000, turnLength: 20_000 },
  merging: { compareLevel: 'text', ignoreTools: true },
  tasks: 1_000,
  repeat: 4,
  episodes: 4_000,
  startedAt: 1_790_000_000_000,
};

function messageOf(episode, position) {
  const author = position === 0 ? 'env' : 'llm';
  const length = tokensOfMessage;
  return {
    role: position === 0 ? 'user' : 'assistant',
    author,
    text: `message ${position} of episode ${episode}. `.repeat(100),
    toolCalls: null,
    toolCallId: null,
    tokenIds: Int32Array.from(
      { length },
      (_, index) => (episode * 7919 + position * 104_729 + index) % vocabulary,
    ),
    logprobs: new Float32Array(length).fill(-0.5),
    lossMask: new Uint8Array(length).fill(author === 'llm' ? 1 : 0),
  };
}

function tokens() {
  return Array.from({ length: vocabulary }, (_, id) => ({
    id,
    bytes: Buffer.from(` token${id}`),
    special: id < 20,
  }));
}

function writeCall(writer, episode, call, messages, vocabularyOfCall) {
  writer.callEnded(
    {
      episode,
      call,
      agent: 'large',
      tag: '',
      startedAt: run.startedAt,
      seconds: 1,
      status: 200,
      error: null,
      options: '{}',
      tools: null,
      finishReason: 'stop',
      messages: Array.from({ length: call + 1 }, (_, position) => position),
      reply: call + 1,
      promptTokens: (call + 1) * tokensOfMessage,
      replyTokens: tokensOfMessage,
    },
    messages.map((position) => ({ position, message: messageOf(episode, position) })),
    vocabularyOfCall,
  );
}

function writeEpisode(writer, episode) {
  const place = { episode, taskId: `t${episode >> 2}`, repeat: episode % 4 };
  const startedAt = run.startedAt + episode;
  const query = `What is ${episode}? `.repeat(20);
  writer.episodeStarted({ ...place, uuid: `${episode}`, taskIndex: episode >> 2, query, startedAt });
  for (let call = 0; call < callsOfEpisode; call++) {
    const messages = call === 0 ? [0, 1] : [call + 1];
    writeCall(writer, episode, call, messages, episode === 0 && call === 0 ? tokens() : []);
  }
  const counts = {
    tokens: messagesOfEpisode * tokensOfMessage,
    trainableTokens: callsOfEpisode * tokensOfMessage,
  };
  const result = { ...place, reward: episode % 3, isSuccess: true, llmCalls: callsOfEpisode, seconds: 8 };
  const calls = Array.from({ length: callsOfEpisode }, (_, call) => call);
  const messages = Array.from({ length: messagesOfEpisode }, (_, position) => position);
  const tracking = { timelines: 1, ...counts, problems: [] };
  const timelines = [{ calls, messages, ...counts }];
  writer.episodeEnded({ result: { ...result, error: null, tracking }, timelines }, []);
}

const [file, megabytes] = process.argv.slice(2);
const writer = openTraceWriter(file, run);
const bytesOfEpisode = messagesOfEpisode * tokensOfMessage * bytesOfToken;
const episodes = Math.ceil((Number(megabytes) * 1_000_000) / bytesOfEpisode);
for (let episode = 0; episode < episodes; episode++) writeEpisode(writer, episode);
writer.runEnded({ status: 'completed', error: null, endedAt: run.startedAt + 1 });
