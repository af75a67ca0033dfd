/** Runs that the real reader answers about, from real files: lists are filtered and sorted by SQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { TraceService } from '../../../src/traces/node/server/service.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { TraceRequest } from '../../../src/traces/core/protocol/traceRpc.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from '../../unit/traces/samples.ts';
import { smallRun } from './samples.ts';
import type { ScriptedRun } from './scriptedTrace.ts';

export interface RealRun {
  readonly run: ScriptedRun;
  readonly writer: TraceWriter;
  /** An episode that calls once and ends. */
  episode(episode: number, changes?: Partial<EpisodeResult>): void;
  end(): void;
}

export function realRun(changes: Partial<TracedRun>): RealRun {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-viewer-'));
  const file = path.join(folder, 'run.ajtrace');
  const traced = aRun(changes);
  const writer = openTraceWriter(file, traced);
  const service = new TraceService({ open: openTraceReader, stampOf: () => '' }, systemClock);
  const connection = service.connect(undefined, () => file);
  onTestFinished(() => {
    service.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    writer,
    run: { ...smallRun(), answer: (request) => answerOf(connection.answer.bind(connection), request) },
    episode: (episode, result = {}) => addEpisode(writer, traced.repeat, episode, result),
    end: () => writer.runEnded({ status: 'completed', error: null, endedAt: traced.startedAt + 60_000 }),
  };
}

function answerOf(answer: (text: string) => unknown, request: TraceRequest): unknown {
  const reply = answer(JSON.stringify({ id: 1, request })) as
    | { readonly result: unknown }
    | { readonly error: ConstructorParameters<typeof CodedError>[0] };
  if ('error' in reply) throw new CodedError(reply.error);
  return reply.result;
}

function addEpisode(
  writer: TraceWriter,
  repeats: number,
  episode: number,
  changes: Partial<EpisodeResult>,
): void {
  const task = Math.floor(episode / repeats);
  const at = { taskId: `task-${task}`, taskIndex: task, repeat: episode % repeats };
  const query = `How many legs have ${task + 2} spiders?`;
  writer.episodeStarted(anEpisode(episode, { ...at, query }));
  const call = {
    id: 'c',
    type: 'function',
    function: { name: task % 2 === 0 ? 'search' : 'calculate', arguments: '{}' },
  };
  const reply = aMessage('Let me see.', { author: 'llm', toolCalls: JSON.stringify([call]) });
  const messages = [aMessage(query), reply].map((message, position) => ({ position, message }));
  writer.callEnded(aCall(episode, 0, { agent: task % 3 === 0 ? 'planner' : 'solver' }), messages, []);
  const failed = (changes.error ?? null) !== null;
  const tokens = 40 + ((episode * 7) % 30);
  const tracking = { timelines: 1, tokens, trainableTokens: 11, problems: [] };
  writer.episodeEnded(
    {
      result: aResult(episode, { ...at, seconds: 1 + ((episode * 5) % 9), tracking, ...changes }),
      timelines: failed ? [] : [{ calls: [0], messages: [0, 1], tokens, trainableTokens: 11 }],
    },
    [],
  );
}

/** Five tasks of four that ended and a sixth with one of its episodes: spread, equal and failed ones. */
export function tasksRun(): RealRun {
  const real = realRun({ tasks: 6, repeat: 4, episodes: 24, experiment: 'tasks' });
  const error = {
    code: 'workflow/threw',
    message: 'execute() threw: Cannot read properties of undefined.',
    hint: 'Look at the line, or set a breakpoint on it and press F5.',
  };
  const rewards = [
    [-1, 0, 0.5, 0],
    [1, -1, 0, 1],
    [0.25, 0.25, 0.25, 0.25],
    [0.5, null, 1, 0.5],
    [1, 0.5, 1, 0.5],
    [0.5],
  ];
  for (const [episode, reward] of rewards.flat().entries()) {
    const at = { reward, isSuccess: reward === 1 };
    real.episode(episode, reward === null ? { ...at, error } : at);
  }
  real.end();
  return real;
}
