import type {
  ReplayedCall,
  ReplayedEpisode,
  ReplayedMessage,
  ReplayedRun,
} from '../../tracking/core/records/replayed.ts';
import { traceErrors } from './errors.ts';
import { replayedRecord } from './records.ts';
import type { TraceQueries } from './traceQueries.ts';

/** @param only the only episode to return; undefined: all */
export function replayedRun(trace: TraceQueries, only: number | undefined): ReplayedRun {
  const run = trace.run();
  const where = only === undefined ? '' : 'WHERE episode = :only';
  const statement = `${episodes} ${where} ORDER BY episode`;
  const found = trace.rows.all(replayedRecord, statement, only === undefined ? {} : { only });
  if (run === undefined || (only !== undefined && found.length === 0)) {
    throw traceErrors.noSuchEpisode(trace.rows.file, only ?? 0);
  }
  const { config, model, startedAt, tasks, repeat, launch, imported } = run;
  const isRollout = imported?.rollouts === true;
  const hasTexts = imported?.lacks.includes('tokenTexts') === false;
  return {
    isRollout,
    isLogged: imported?.ownTaskIds === true,
    ...{ config, model, startedAt, tasks, repeat },
    seed: trace.batch()?.seed ?? null,
    launch: launch ?? null,
    episodes: found.map(({ isSuccess, ...episode }): ReplayedEpisode => ({
      ...episode,
      isSuccess: isSuccess !== 0,
      ...(isRollout
        ? rolloutOf(trace, episode.episode, hasTexts)
        : { calls: callsOf(trace, episode.episode), prompts: [] }),
    })),
  };
}

/**
 * Returns replies as calls, timeline by timeline, because training formats do not store calls.
 * Without `hasTexts`, a reply without text may have more than its end token.
 */
function rolloutOf(
  trace: TraceQueries,
  episode: number,
  hasTexts: boolean,
): Pick<ReplayedEpisode, 'calls' | 'prompts'> {
  const heads = trace.messages.ofEpisode(episode);
  const texts = heads.map(({ position, role, toolCallId }): ReplayedMessage => {
    return { role, toolCallId, ...trace.messages.text(episode, position) };
  });
  const isSaid = (position: number): boolean => heads[position]?.author === 'llm';
  // Timelines may share messages. Each is returned once.
  const replies = new Map(
    trace
      .timelines(episode)
      .flatMap(({ messages }) =>
        messages.flatMap((position, place) =>
          isSaid(position) ? [[position, messages.slice(0, place)] as const] : [],
        ),
      ),
  );
  const calls = [...replies].map(([position, before], call): ReplayedCall => {
    const reply = texts[position] ?? trace.rows.damaged(`episode ${episode} has no message ${position}`);
    if (reply.text === '' && reply.toolCalls === null && !hasTexts)
      throw traceErrors.noReplyTexts(trace.rows.file, episode);
    return {
      ...{ episode, call, agent: '', tag: '', startedAt: 0, seconds: 0, status: 200, error: null },
      ...{ options: '{}', tools: null, finishReason: null, promptTokens: 0, replyTokens: 0 },
      messages: before.flatMap((one) => texts[one] ?? []),
      reply: { ...reply, tokens: null },
    };
  });
  return { calls, prompts: texts.filter((_, position) => !isSaid(position)).map(({ text }) => text) };
}

function callsOf(trace: TraceQueries, episode: number): ReplayedCall[] {
  const heads = new Map(trace.messages.ofEpisode(episode).map((row) => [row.position, row]));
  const message = (position: number): ReplayedMessage => {
    const head = heads.get(position) ?? trace.rows.damaged(`episode ${episode} has no message ${position}`);
    return { role: head.role, toolCallId: head.toolCallId, ...trace.messages.text(episode, position) };
  };
  return trace.calls.ofEpisode(episode).map((call): ReplayedCall => {
    const { options, tools, messages } = trace.calls.details(episode, call.call);
    return {
      ...call,
      episode,
      options,
      tools,
      messages: messages.map(message),
      reply:
        call.reply === null
          ? null
          : { ...message(call.reply), tokens: madeTokens(trace, episode, call.reply) },
    };
  });
}

/** Returns the tokens that the model made, including the end token. */
function madeTokens(
  trace: TraceQueries,
  episode: number,
  reply: number,
): NonNullable<ReplayedCall['reply']>['tokens'] {
  const { tokenIds, logprobs, lossMask } = trace.messages.tokens(episode, reply);
  if (logprobs === null) return null;
  return [...tokenIds].flatMap((id, at) => {
    if (lossMask[at] !== 1) return [];
    const logprob = logprobs[at] ?? NaN;
    const bytes = trace.token(id)?.bytes ?? new Uint8Array();
    return [{ id, bytes, logprob: Number.isNaN(logprob) ? null : logprob }];
  });
}

const episodes = `SELECT * FROM (SELECT episode, taskId, taskIndex, repeat, reward, isSuccess,
  row_number() OVER (PARTITION BY taskId, repeat ORDER BY episode) - 1 AS twin FROM episodes)`;
