/** Files that other tools wrote, by the scripts in test/tools/imports. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { describeTrace, importedTrace, importFixture } from './import.ts';
import type { TraceViews } from '../../../src/traces/core/views.ts';

describe('a file that another tool wrote', () => {
  it.each([
    ['trinity-0.4.0.db', 'Trinity-RFT, experiences that are pickles'],
    ['trinity-0.6.0.db', 'Trinity-RFT, experiences with tensors beside them'],
    ['explorer_output.jsonl', 'Trinity-RFT, experiences as its writer of JSON lines leaves them'],
    ['traces.jsonl', 'verifiers'],
    ['rollout.json.log', 'beast-logger'],
    ['openai-v2.otlp.json', 'OpenTelemetry’s instrumentation of OpenAI'],
    ['requests.jsonl', 'requests and responses of the OpenAI client'],
  ])('%s (%s) becomes a trace', async (name) => {
    const file = importFixture(name);
    const before = statSync(file);
    const reader = await importedTrace(file);
    await expect(describeTrace(reader)).toMatchFileSnapshot(`__snapshots__/import-${name}.txt`);
    const after = statSync(file);
    expect([after.mtimeMs, after.size]).toEqual([before.mtimeMs, before.size]);
  });
});

test('a task that comes again in another step of a training is another group, and collides with none', async () => {
  const reader = await importedTrace(importFixture('rollout.json.log'));
  const { rows } = reader.read((views) => views.episodes(0, 9));
  expect(rows.map(({ episode, taskId, advantage }) => [episode, taskId, advantage === null])).toEqual([
    [0, 'task.7', false],
    [1, 'task.7', false],
    [2, 'task.7', true],
    [4, 'task.8', true],
    [6, 'task.7', true],
    [8, 'task.9', true],
  ]);
  expect(reader.read((views) => views.run()).report.findings.map(({ code }) => code)).not.toContain(
    'duplicate-task-id',
  );
});

interface Trajectory {
  readonly task_id: string;
  readonly reward_structure: {
    readonly raw_reward: number;
    readonly success_rate: number;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  readonly traj: readonly (readonly Readonly<Record<string, unknown>>[])[];
}

describe('a trajectory that AgentJet’s trainer wrote', () => {
  it.each(['tools', 'half', 'refused'])('of %s is read back exactly', async (task) => {
    const file = path.join(import.meta.dirname, `../../fixtures/trajectories/${task}.json`);
    const written = JSON.parse(readFileSync(file, 'utf8')) as Trajectory;
    const reader = await importedTrace(file);
    const { row, calls, timelines } = reader.read((views) => views.episode(0));
    const { raw_reward: reward, success_rate: rate, metadata } = written.reward_structure;
    expect(row).toMatchObject({ taskId: task, reward, isSuccess: rate === 1 });
    expect(calls).toEqual([]);
    const read = timelines.map(({ timeline }) =>
      reader
        .read((views) => views.conversations.ofTimeline(0, timeline))
        .map(({ role, text, toolCalls, toolCallId }) => ({
          role,
          content: text,
          ...(toolCalls !== null && { tool_calls: JSON.parse(toolCalls) as unknown }),
          ...(toolCallId !== null && { tool_call_id: toolCallId }),
        })),
    );
    expect(read).toEqual(written.traj);
    const numbers = Object.entries(metadata).filter(([, value]) => typeof value === 'number');
    const { parts } = reader.read((views) => views.comparable(0, null));
    expect(parts).toEqual({ reward, ...Object.fromEntries(numbers) });
    const { imported } = reader.read((views) => views.run());
    expect(imported).toMatchObject({ format: 'AgentJet trajectory JSON', records: 1, skipped: 0 });
    expect(imported?.lacks.toSorted()).toEqual([
      'calls',
      'logprobs',
      'lossMask',
      'times',
      'tokenCounts',
      'tokenTexts',
      'tokens',
    ]);
  });
});

test.each([
  ['samples', (views: TraceViews) => views.batch()],
  ['scores', (views: TraceViews) => views.recorded()],
])('no %s are made of what another tool recorded', async (what, ask) => {
  const reader = await importedTrace(importFixture('traces.jsonl'));
  expect(() => reader.read<unknown>(ask)).toThrow(
    expect.objectContaining({ code: 'trace/imported', message: expect.stringContaining(what) as string }),
  );
});
