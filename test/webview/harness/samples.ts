/** Runs that the tests look at. */
import type { EpisodeRow } from '../../../src/traces/core/protocol/traceLists.ts';
import type { RunView } from '../../../src/traces/core/protocol/runRpc.ts';
import type { OutcomeView, SpanRow } from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { TokensView } from '../../../src/traces/core/protocol/tokenRpc.ts';
import {
  callRow,
  callView,
  dayZero,
  episodeRow,
  runView,
  spanRow,
  timelineRow,
  viewsOf,
  type EpisodeRecord,
  type Message,
} from './records.ts';
import type { ScriptedRun } from './scriptedTrace.ts';

const system: Message = {
  role: 'system',
  author: 'env',
  text: 'You solve math problems step by step. Use the tool `calculate` for arithmetic.\nPut the result in \\boxed{}.',
};
const question: Message = {
  role: 'user',
  author: 'env',
  text: 'How many legs have twelve spiders and three cats?',
};
const asksTool: Message = {
  role: 'assistant',
  author: 'llm',
  text: 'A spider has 8 legs and a cat has 4, so I need 12 × 8 + 3 × 4.',
  toolCalls: JSON.stringify([
    {
      id: 'call_1',
      type: 'function',
      function: { name: 'calculate', arguments: '{"expression":"12*8+3*4"}' },
    },
  ]),
};
const toolResult: Message = { role: 'tool', author: 'env', text: '108', toolCallId: 'call_1' };
const answer: Message = {
  role: 'assistant',
  author: 'llm',
  text: 'Let me write it down:\n\n    12 * 8 = 96\n\t3 * 4 = 12\n\nTogether that is \\boxed{108}.',
};
const judgeTask: Message = {
  role: 'user',
  author: 'env',
  text: 'Is 108 the number of legs? Answer yes or no.',
};
const verdict: Message = { role: 'assistant', author: 'llm(do_not_train)', text: 'Yes.' };

/** What goes on beside the calls of {@link richEpisode}. */
function richSpans(): readonly SpanRow[] {
  const at = (milliseconds: number): number => dayZero + milliseconds;
  const tool = { kind: 'tool', agent: 'solver', call: 0, startedAt: at(1250) } as const;
  return [
    spanRow({ kind: 'environment', name: 'create', startedAt: at(10), seconds: 0.12 }),
    spanRow({ kind: 'workflow', name: 'MathWorkflow', startedAt: at(130), seconds: 3.67 }),
    spanRow({ ...tool, name: 'calculate', answeredBy: 1, seconds: 0.65 }),
    spanRow({ ...tool, name: 'look_up', seconds: null, state: 'unanswered' }),
    spanRow({ kind: 'judge', name: 'MathJudge', startedAt: at(3820), seconds: 0.25 }),
    spanRow({
      kind: 'helper',
      name: 'helper LLM',
      startedAt: at(3850),
      seconds: 0.15,
      error: 'It was away.',
    }),
    spanRow({ kind: 'environment', name: 'release', startedAt: at(4080), seconds: 0.05 }),
  ];
}

const richOutcome: OutcomeView = {
  scoredBy: 'judge',
  judge: { name: 'MathJudge', seconds: 0.25, error: null },
  parts: [
    { name: 'correctness', value: 1 },
    { name: 'format', value: 0.5 },
  ],
  attempts: 1,
  output: [
    { name: 'final_answer', text: 'Together that is \\boxed{108}.' },
    { name: 'steps', text: '2' },
  ],
  reference: [{ name: 'answer', text: '12 * 8 = 96. 3 * 4 = 12. #### 108' }],
  printed: {
    cut: 1_200,
    parts: [
      { stream: 'stdout', text: 'asking the model\n' },
      { stream: 'stderr', text: 'DeprecationWarning: old\n' },
    ],
  },
  untrained: [{ model: 'gpt-4o', calls: 2 }],
};

/** Two agents, tools, a judge, an environment, two timelines, a call that failed. */
export function richEpisode(episode: number, row: Partial<EpisodeRow> = {}): EpisodeRecord {
  const solved = [system, question, asksTool, toolResult, answer];
  const judged = [judgeTask, verdict];
  const calls = [
    callRow({
      call: 0,
      startedAt: dayZero + 150,
      seconds: 1.1,
      askedAfter: 0.25,
      firstAfter: 0.5,
      promptTokens: 61,
      replyTokens: 48,
    }),
    callRow({ call: 1, startedAt: dayZero + 1900, seconds: 0.9, promptTokens: 130, replyTokens: 51 }),
    callRow({
      call: 2,
      agent: 'judge',
      startedAt: dayZero + 2200,
      seconds: 0.2,
      status: 503,
      error: 'The endpoint is overloaded.',
      replyTokens: 0,
      finishReason: null,
      timeline: null,
    }),
    callRow({ call: 3, agent: 'judge', startedAt: dayZero + 2950, seconds: 0.6, timeline: 1 }),
    callRow({ call: 4, agent: 'judge', startedAt: dayZero + 3000, seconds: 0.8, timeline: 1 }),
  ];
  const timelines = [timelineRow(0, [0, 1], solved), timelineRow(1, [3, 4], judged)];
  return {
    view: {
      row: episodeRow({
        episode,
        calls: calls.length,
        timelines: timelines.length,
        tokens: timelines.reduce((total, { tokens }) => total + tokens, 0),
        trainableTokens: timelines.reduce((total, { trainableTokens }) => total + trainableTokens, 0),
        ...row,
      }),
      calls,
      timelines,
    },
    outcome: richOutcome,
    spans: richSpans(),
    calls: calls.map((call) => {
      if (call.error !== null) return callView(call, [judgeTask], null);
      if (call.agent === 'judge') return callView(call, [judgeTask], verdict);
      return call.call === 0
        ? callView(call, [system, question], asksTool)
        : callView(call, [system, question, asksTool, toolResult], answer);
    }),
    timelines: [solved, judged],
  };
}

export const findings: RunView['report']['findings'] = [
  {
    code: 'context-overflow',
    level: 'episode',
    severity: 'error',
    message: 'The prompt is longer than ajet.data.max_prompt_length, so the sample is left out.',
    hint: 'Shorten the conversation.',
    episodes: [3, 11],
    count: 2,
    groups: 0,
  },
  {
    code: 'equal-rewards',
    level: 'group',
    severity: 'error',
    message: 'All episodes of the task have the same reward.',
    hint: 'Make the reward finer.',
    episodes: [8, 9, 12, 13],
    count: 4,
    groups: 2,
  },
  {
    code: 'cut-reply-end-trained',
    level: 'episode',
    severity: 'warning',
    message: 'A reply was cut off at its largest length and has no end token.',
    hint: 'Let replies be longer.',
    episodes: [5],
    count: 1,
    groups: 0,
  },
  {
    code: 'approximate-tokenizer',
    level: 'run',
    severity: 'warning',
    message: 'tokenizer: built-in, approximate.',
    hint: 'Fetch the tokenizer.',
    episodes: [],
    count: 0,
    groups: 0,
  },
];

const queries = [
  'How many legs have twelve spiders and three cats?',
  'A train goes 90 km in 1.5 hours. How fast is it?',
  'What is 15 % of 240?',
  'The sides of a rectangle are 7 and 12. What is its area?',
];

/** A run of sixteen episodes that ended, with findings and an error. */
export function smallRun(): ScriptedRun {
  const rows = Array.from({ length: 16 }, (_, episode) => {
    const failed = episode === 5;
    const common = {
      taskId: `gsm8k-${Math.floor(episode / 2)}`,
      repeat: episode % 2,
      query: queries[Math.floor(episode / 2) % queries.length] ?? '',
      seconds: failed ? 4.1 : 3.9 + ((episode * 7) % 11) / 4,
    };
    if (failed) {
      const error = {
        code: 'workflow/threw',
        message: 'execute() threw: Cannot read properties of undefined.',
        location: { file: '/home/ada/agents/math_agent/workflow.ts', line: 31 },
        hint: 'Look at the line, or set a breakpoint on it and press F5.',
        stack:
          'TypeError: Cannot read properties of undefined.\n    at MathWorkflow.execute (/home/ada/agents/math_agent/workflow.ts:31:18)',
      };
      return {
        ...common,
        reward: null,
        isSuccess: false,
        error,
        trains: false,
        advantage: null,
        findings: [
          {
            code: 'episode-error',
            severity: 'error' as const,
            message: 'It ended with an error.',
            hint: 'Fix the error in the message.',
          },
        ],
      };
    }
    const isSuccess = episode % 3 !== 0;
    const overlong = episode === 3 || episode === 11;
    return {
      ...common,
      reward: isSuccess ? 1 : 0,
      isSuccess,
      trains: !overlong,
      findings: overlong
        ? [
            {
              code: 'context-overflow',
              severity: 'error' as const,
              message: 'The prompt is longer than ajet.data.max_prompt_length.',
              hint: 'Shorten the conversation.',
            },
          ]
        : [],
    };
  });
  const records = rows.map((row, episode) => richEpisode(episode, row));
  return {
    run: runView({ report: { trains: 13, doesNotTrain: 3, findings } }),
    episodes: records.length,
    row: (episode) => records[episode]?.view.row,
    record: (episode) => records[episode],
  };
}

/** As many episodes as asked for, all told by their numbers. */
export function longRun(episodes: number): ScriptedRun {
  const row = (episode: number) =>
    episodeRow({ episode, taskId: `task-${episode >> 2}`, repeat: episode % 4, reward: (episode % 5) / 4 });
  const totals = { ...runView().totals, started: episodes, ended: episodes };
  const report: RunView['report'] = {
    trains: episodes - 2,
    doesNotTrain: 2,
    findings: [
      {
        code: 'context-overflow',
        level: 'episode',
        severity: 'error',
        message: 'Too long.',
        hint: 'Shorten the conversation.',
        episodes: [4_321, 9_000],
        count: 2,
        groups: 0,
      },
    ],
  };
  return {
    run: runView({ episodes, totals, report }),
    episodes,
    row: (episode) => (episode < episodes ? row(episode) : undefined),
    record: (episode) => richEpisode(episode, row(episode)),
  };
}

/** One episode whose only timeline is one long reply of `tokens` tokens. */
export function hugeTimeline(tokens: number): ScriptedRun {
  const words = [
    'Let',
    ' us',
    ' count',
    ' the',
    ' legs',
    ' of',
    ' each',
    ' spider',
    ' again',
    ',',
    ' then',
    '.',
  ];
  const tokenAt = (position: number) =>
    position % 40 === 39 ? '\n' : (words[(position * 7) % words.length] ?? '');
  const base = richEpisode(0);
  const timeline = { ...timelineRow(0, [0, 1], [answer]), tokens, trainableTokens: tokens, messages: 1 };
  const [view] = viewsOf([answer]);
  const messages = view === undefined ? [] : [{ ...view, tokens, trainableTokens: tokens }];
  return {
    run: runView({
      tokenizer: { name: 'Qwen/Qwen2.5-7B', exact: true, file: '/models/qwen/tokenizer.json' },
    }),
    episodes: 1,
    row: () => base.view.row,
    record: () => ({ ...base, view: { ...base.view, timelines: [timeline] } }),
    timeline: () => ({ row: timeline, advantage: 0.866, exact: true, messages }),
    tokens: (_episode, _timeline, from, limit): TokensView => {
      const positions = Array.from({ length: Math.min(limit, tokens - from) }, (_, offset) => from + offset);
      return {
        from,
        total: tokens,
        ids: positions.map((position) => position % 50_000),
        texts: positions.map(tokenAt),
        special: positions.map(() => false),
        lossMask: positions.map(() => 1),
        logprobs: positions.map((position) => (position % 10 === 0 ? null : -0.25)),
        messages: positions.map(() => 0),
        authors: positions.map(() => 'llm' as const),
        drifted: positions.map(() => 0 as const),
        entropies: positions.map(() => null),
        trainer: null,
      };
    },
  };
}

/** One episode whose only call asked with as many messages as asked for. */
export function manyMessages(messages: number): ScriptedRun {
  const base = richEpisode(0);
  const asked = Array.from({ length: messages }, (_, index) => (index % 2 === 0 ? question : answer));
  const call = callRow({ call: 0, promptTokens: messages * 40 });
  return {
    ...smallRun(),
    episodes: 1,
    record: () => ({
      ...base,
      view: { ...base.view, calls: [call] },
      calls: [callView(call, asked, answer)],
    }),
  };
}

/** An episode that still runs: its first call was answered, its timeline is provisional. */
export function runningRun(): ScriptedRun {
  const whole = smallRun();
  const started = richEpisode(2, {
    state: 'running',
    reward: null,
    isSuccess: false,
    seconds: null,
    calls: 1,
    timelines: 1,
    trains: null,
  });
  const first = started.view.calls.slice(0, 1);
  const timeline = { ...timelineRow(0, [0], [system, question, asksTool]), provisional: true };
  const record: EpisodeRecord = {
    view: { row: started.view.row, calls: first, timelines: [timeline] },
    calls: started.calls,
    timelines: [[system, question, asksTool]],
  };
  return {
    run: {
      ...whole.run,
      end: null,
      live: true,
      totals: { ...whole.run.totals, started: 3, ended: 2, failed: 0 },
    },
    episodes: 3,
    row: (episode) => (episode === 2 ? record.view.row : whole.row(episode)),
    record: (episode) => (episode === 2 ? record : whole.record(episode)),
  };
}
