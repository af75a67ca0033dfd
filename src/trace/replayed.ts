import type { ReplayedCall, ReplayedEpisode, ReplayedMessage, ReplayedRun } from '../protocol/replayed.ts';
import { traceErrors } from './errors.ts';
import { replayedRecord } from './records.ts';
import type { StoredTrace } from './stored.ts';

/**
 * What a trace has to answer its calls once more.
 *
 * @param only the number of the one episode that is wanted; undefined: all
 */
export function replayedRun(trace: StoredTrace, only: number | undefined): ReplayedRun {
  const run = trace.run();
  const where = only === undefined ? '' : 'WHERE episode = :only';
  const statement = `${episodes} ${where} ORDER BY episode`;
  const found = trace.rows.all(replayedRecord, statement, only === undefined ? {} : { only });
  if (run === undefined || (only !== undefined && found.length === 0)) {
    throw traceErrors.noSuchEpisode(trace.rows.file, only ?? 0);
  }
  const { config, model, startedAt, tasks, repeat, launch } = run;
  return {
    ...{ config, model, startedAt, tasks, repeat },
    seed: trace.batch()?.seed ?? null,
    launch: launch ?? null,
    episodes: found.map(({ isSuccess, ...episode }): ReplayedEpisode => ({
      ...episode,
      isSuccess: isSuccess !== 0,
      calls: callsOf(trace, episode.episode),
    })),
  };
}

function callsOf(trace: StoredTrace, episode: number): ReplayedCall[] {
  const heads = new Map(trace.messages.ofEpisode(episode).map((row) => [row.position, row]));
  const message = (position: number): ReplayedMessage => {
    const head = heads.get(position) ?? missing(trace, episode, position);
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

/** Those in the loss are what the model made, its end token among them. */
function madeTokens(
  trace: StoredTrace,
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

function missing(trace: StoredTrace, episode: number, position: number): never {
  throw traceErrors.damaged(trace.rows.file, `episode ${episode} has no message ${position}`);
}

const episodes = `SELECT * FROM (SELECT episode, taskId, taskIndex, repeat, reward, isSuccess,
  row_number() OVER (PARTITION BY taskId, repeat ORDER BY episode) - 1 AS twin FROM episodes)`;
