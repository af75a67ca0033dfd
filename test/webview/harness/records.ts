/** What a run recorded, as typed records that a test writes down or makes by the thousand. */
import type { Author } from '../../../src/tracking/core/records/trace.ts';
import type {
  CallRow,
  CallView,
  EpisodeView,
  OutcomeView,
  SpanRow,
  TimelineRow,
  MessageView,
} from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { EpisodeRow } from '../../../src/traces/core/protocol/traceLists.ts';
import type { RunView } from '../../../src/traces/core/protocol/runRpc.ts';
import type { TokensView, TokenAuthor } from '../../../src/traces/core/protocol/tokenRpc.ts';

export interface Token {
  readonly id: number;
  readonly text: string;
  readonly special: boolean;
  readonly lossMask: 0 | 1;
  readonly logprob: number | null;
}

export interface Message {
  readonly role: string;
  readonly author: Author;
  readonly text: string;
  readonly toolCalls?: string;
  readonly toolCallId?: string;
}

/** Milliseconds since the Unix epoch: a fixed day, so that pictures stay the same. */
export const dayZero = Date.UTC(2026, 0, 15, 9, 30);

/** Stands in for a tokenizer: words with the space before them, digits by threes, marks and whitespace alone. */
export function tokensOf(message: Message): readonly Token[] {
  const trained = message.author === 'llm' ? 1 : 0;
  const piece = (text: string, special: boolean, lossMask: 0 | 1): Token => {
    const id = idOf(text);
    return { id, text, special, lossMask, logprob: lossMask === 1 ? -(id % 97) / 40 : null };
  };
  const written = message.text + (message.toolCalls === undefined ? '' : `\n<tool_call>${message.toolCalls}`);
  const body = written.match(/ ?\p{L}+|\d{1,3}|\n|\t| +|[^\s\p{L}\d]/gu) ?? [];
  return [
    piece('<|im_start|>', true, 0),
    piece(message.role, false, 0),
    piece('\n', false, 0),
    ...body.map((text) => piece(text, false, trained)),
    piece('<|im_end|>', true, trained),
    piece('\n', false, 0),
  ];
}

function idOf(text: string): number {
  return Array.from(text).reduce(
    (hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 151_000,
    7,
  );
}

/** Messages as a timeline shows them: where each one's tokens start is counted. */
export function viewsOf(messages: readonly Message[]): readonly MessageView[] {
  let firstToken = 0;
  return messages.map((message, index) => {
    const tokens = tokensOf(message);
    const view: MessageView = {
      index,
      role: message.role,
      author: message.author,
      text: message.text,
      length: message.text.length,
      truncated: false,
      toolCalls: message.toolCalls ?? null,
      toolCallId: message.toolCallId ?? null,
      firstToken,
      tokens: tokens.length,
      trainableTokens: tokens.filter(({ lossMask }) => lossMask === 1).length,
    };
    firstToken += tokens.length;
    return view;
  });
}

/** A window into the tokens of a timeline. */
export function tokensView(messages: readonly Message[], from: number, limit: number): TokensView {
  const all = messages.flatMap((message, index) => tokensOf(message).map((token) => ({ token, index })));
  const part = all.slice(from, from + limit);
  return {
    from,
    total: all.length,
    ids: part.map(({ token }) => token.id),
    texts: part.map(({ token }) => token.text),
    special: part.map(({ token }) => token.special),
    lossMask: part.map(({ token }) => token.lossMask),
    logprobs: part.map(({ token }) => token.logprob),
    messages: part.map(({ index }) => index),
    authors: part.map(({ token, index }) => authorOf(token, messages[index])),
    drifted: part.map(() => 0),
    entropies: part.map(({ token }) => (token.logprob === null ? null : -token.logprob / 2)),
    trainer: null,
  };
}

function authorOf({ special, lossMask }: Token, message: Message | undefined): TokenAuthor {
  return message === undefined || (special && lossMask === 0) ? 'template' : message.author;
}

export function timelineRow(
  timeline: number,
  calls: readonly number[],
  messages: readonly Message[],
): TimelineRow {
  const views = viewsOf(messages);
  return {
    timeline,
    calls,
    messages: messages.length,
    tokens: sum(views.map(({ tokens }) => tokens)),
    trainableTokens: sum(views.map(({ trainableTokens }) => trainableTokens)),
    provisional: false,
  };
}

export function callRow(row: Partial<CallRow> & { readonly call: number }): CallRow {
  return {
    agent: 'solver',
    tag: '',
    startedAt: dayZero,
    seconds: 1,
    askedAfter: null,
    firstAfter: null,
    status: 200,
    error: null,
    promptTokens: 100,
    replyTokens: 20,
    finishReason: 'stop',
    timeline: 0,
    ...row,
  };
}

export function spanRow(row: Partial<SpanRow> & Pick<SpanRow, 'kind' | 'name'>): SpanRow {
  return {
    agent: null,
    call: null,
    answeredBy: null,
    startedAt: dayZero,
    seconds: 1,
    state: 'ended',
    error: null,
    ...row,
  };
}

export function callView(row: CallRow, messages: readonly Message[], reply: Message | null): CallView {
  const views = viewsOf(reply === null ? messages : [...messages, reply]);
  return {
    row,
    source: { file: '/home/ada/math/workflow.ts', line: 12, column: 27, function: 'Math.execute' },
    options: JSON.stringify({ model: 'agent', temperature: 0.7, max_tokens: 512, stream: false }),
    tools: JSON.stringify([
      { type: 'function', function: { name: 'calculate', parameters: { type: 'object' } } },
    ]),
    messages: views.slice(0, messages.length),
    reply: reply === null ? null : (views.at(-1) ?? null),
  };
}

export function episodeRow(row: Partial<EpisodeRow> & { readonly episode: number }): EpisodeRow {
  return {
    taskId: `task-${row.episode}`,
    repeat: 0,
    query: 'How many legs have twelve spiders and three cats?',
    state: 'ended',
    reward: 1,
    isSuccess: true,
    startedAt: dayZero,
    seconds: 4.2,
    calls: 3,
    timelines: 1,
    tokens: 640,
    trainableTokens: 130,
    error: null,
    advantage: 0.866,
    trains: true,
    findings: [],
    ...row,
  };
}

export function runView(view: Partial<RunView> = {}): RunView {
  return {
    experiment: 'math_agent',
    config: '/home/ada/agents/math_agent/math_agent.yaml',
    workflow: 'MathWorkflow',
    workflowFile: '/home/ada/agents/math_agent/workflow.ts',
    model: 'built-in (seed 12345)',
    tokenizer: { name: 'built-in', exact: false, file: null },
    limits: { modelLength: 18_000, promptLength: 3_000, responseLength: 15_000, turnLength: 4_096 },
    tasks: 8,
    repeat: 2,
    episodes: 16,
    startedAt: dayZero,
    end: { status: 'completed', error: null, endedAt: dayZero + 60_000 },
    live: false,
    newest: 15,
    totals: {
      started: 16,
      ended: 16,
      failed: 1,
      meanReward: 0.6875,
      successRate: 0.6875,
      calls: 51,
      timelines: 17,
      tokens: 10_240,
      trainableTokens: 2_084,
    },
    report: { trains: 14, doesNotTrain: 2, findings: [] },
    untrained: [],
    newerFormat: null,
    ...view,
  };
}

/** An episode with everything that its screens ask for. */
export interface EpisodeRecord {
  readonly view: EpisodeView;
  readonly calls: readonly CallView[];
  readonly outcome?: OutcomeView;
  readonly spans?: readonly SpanRow[];
  /** By timeline. */
  readonly timelines: readonly (readonly Message[])[];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
