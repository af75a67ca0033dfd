import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { exportTrace } from '../../../src/traces/node/export/exportFile.ts';
import { Connection } from '../../../src/traces/node/store/connection.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { largestWindow } from '../../../src/traces/core/protocol/traceRpc.ts';
import type { OutcomeView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { temporaryFolder } from './folder.ts';
import { anEpisode, aResult, aRun } from './samples.ts';

function outcomeOf(
  result: Partial<EpisodeResult>,
  returned?: { readonly task: unknown; readonly output: unknown },
): OutcomeView {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun());
  writer.episodeStarted(anEpisode(0));
  const judge = { kind: 'judge', name: 'MathJudge', call: null, startedAt: 1, error: null } as const;
  writer.span({ ...judge, episode: 0, span: 0, seconds: 0.5 });
  const texts = returned && {
    task: JSON.stringify(returned.task),
    output: JSON.stringify(returned.output),
  };
  writer.episodeEnded({ result: aResult(0, result), returned: texts, timelines: [] }, []);
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return reader.read((views) => views.outcome(0));
}

test('an outcome has the judge, the parts of the reward and the calls of other models', () => {
  const outcome = outcomeOf({
    scoredBy: 'judge',
    rewardUnused: 0.25,
    metrics: { format: 0.5 },
    attempts: 2,
    routing: { debug: [{ target: 'helper', model: 'gpt-4o', calls: 3 }], trainedAnyway: [] },
  });
  expect(outcome).toEqual({
    scoredBy: 'judge',
    judge: { name: 'MathJudge', seconds: 0.5, error: null },
    parts: [
      { name: 'reward of the workflow, not used', value: 0.25 },
      { name: 'format', value: 0.5 },
    ],
    attempts: 2,
    output: [],
    reference: [],
    printed: null,
    untrained: [{ model: 'gpt-4o', calls: 3 }],
  });
});

test('a run names the calls of other models, and its exported page the failed episodes', async () => {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun());
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  for (const [episode, calls] of [3, 2].entries()) {
    const routing = { debug: [{ target: `helper${episode}`, model: 'gpt-4o', calls }], trainedAnyway: [] };
    const error = episode === 1 ? { code: 'workflow/failed', message: 'No.' } : null;
    writer.episodeStarted(anEpisode(episode));
    writer.episodeEnded({ result: aResult(episode, { routing, error }), timelines: [] }, []);
    reader.read((views) => views.run());
  }
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  expect(reader.read((views) => views.run().untrained)).toEqual([{ model: 'gpt-4o', calls: 5 }]);
  const page = `${file}.html`;
  await exportTrace(file, page, {
    format: 'html',
    redaction: { texts: false, patterns: [] },
    cancellation: neverCancelled,
  });
  expect(readFileSync(page, 'utf8')).toContain('<bdi>completed, 1 failed</bdi>');
});

test('an output has the answer first, next to what the task expects', () => {
  const { output, reference } = outcomeOf(
    {},
    {
      task: { main_query: 'How many?', metadata: { question: 'How many?', ground_truth: '#### 108' } },
      output: { reward: null, metadata: { steps: [1, 2], final_answer: '108' } },
    },
  );
  expect(output).toEqual([
    { name: 'final_answer', text: '108' },
    { name: 'steps', text: '[\n  1,\n  2\n]' },
  ]);
  expect(reference).toEqual([{ name: 'ground_truth', text: '#### 108' }]);
});

test('a list has the metadata that it is asked for, of tasks and of outputs', () => {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun());
  const end = (episode: number, task: unknown, output: unknown): void => {
    writer.episodeStarted(anEpisode(episode));
    const returned = { task: JSON.stringify(task), output: JSON.stringify(output) };
    writer.episodeEnded({ result: aResult(episode), returned, timelines: [] }, []);
  };
  end(0, { metadata: { level: 3, tags: ['a'] } }, { metadata: { answer: 'x'.repeat(1_000) } });
  end(1, { metadata: { level: 'hard', ['__proto__']: 1 } }, null);
  writer.episodeStarted(anEpisode(2));
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  const { metadata } = reader.read((views) => views.names());
  expect(metadata).toEqual(['task.level', 'task.tags', 'output.answer', 'task.__proto__']);
  const asked = { metadata: ['task.level', 'output.answer', 'task.none'] };
  const { rows } = reader.read((views) => views.episodes(0, 10, asked));
  expect(rows.map((row) => row.metadata)).toEqual([
    { 'task.level': '3', 'output.answer': 'x'.repeat(200) },
    { 'task.level': 'hard' },
    undefined,
  ]);
});

test('what an episode printed is in its outcome and its exported page, and unknown in older traces', async () => {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun());
  const printed = {
    cut: 1_234,
    parts: [
      { stream: 'stdout' as const, text: 'a <line>\n' },
      { stream: 'stderr' as const, text: 'a warning\n' },
    ],
  };
  for (const episode of [0, 1]) {
    writer.episodeStarted(anEpisode(episode));
    const own = episode === 0 ? { printed } : {};
    writer.episodeEnded({ result: aResult(episode), timelines: [], ...own }, []);
  }
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  const outputs = (): unknown => {
    const reader = openTraceReader(file);
    onTestFinished(() => reader.close());
    return reader.read((views) => [0, 1].map((episode) => views.outcome(episode).printed));
  };
  expect(outputs()).toEqual([printed, null]);
  const options = { redaction: { texts: false, patterns: [] }, cancellation: neverCancelled } as const;
  await exportTrace(file, `${file}.html`, { format: 'html', ...options });
  const page = readFileSync(`${file}.html`, 'utf8');
  expect(page).toContain('The first 1,234 characters were not kept.');
  expect(page).toContain('<pre><bdi>a &lt;line&gt;\n</bdi></pre>');
  const connection = new Connection(file);
  connection.execute('DROP TABLE printed');
  connection.close();
  expect(outputs()).toEqual([null, null]);
});

test('a response is a text, also as a chat message, and long or odd values are bounded', () => {
  const response = { role: 'assistant', content: 'It is 108.' };
  expect(outcomeOf({}, { task: null, output: { response } }).output).toEqual([
    { name: 'response', text: 'It is 108.' },
  ]);
  const metadata = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 'x'.repeat(20_000)]),
  );
  const { output } = outcomeOf({}, { task: 'none', output: { metadata } });
  expect(output.length).toBeLessThan(100);
  expect(output[0]?.text).toHaveLength(largestWindow.listed);
});
