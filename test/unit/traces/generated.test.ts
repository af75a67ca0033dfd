/** Generated traces are such as runs leave: what their tables tell agrees with what the viewer makes of their calls. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { generateTrace, runOf, smallTrace, type TraceSize } from '../../tools/traces/generateTrace.ts';
import { temporaryFolder } from './folder.ts';

const ended = { status: 'completed', error: null, endedAt: 1_790_000_009_000 } as const;

interface Generated {
  readonly reader: TraceReader;
  readonly writer: TraceWriter;
}

/** @param wrap the writer that is given to the generator in place of the file's */
function generated(size: TraceSize, wrap = (writer: TraceWriter): TraceWriter => writer): Generated {
  const writer = openTraceWriter(path.join(temporaryFolder(), 'generated.ajtrace'), runOf(size));
  generateTrace(wrap(writer), size);
  const reader = openTraceReader(writer.file);
  onTestFinished(() => {
    reader.close();
    writer.runEnded(ended);
  });
  return { reader, writer };
}

test('a seed and a size always make the same run', () => {
  const tell = (seed: number): string => {
    const { reader } = generated({ ...smallTrace, seed });
    const ask = reader.read((views) => views.tokens.window(3, 0, 0, 1_000));
    return JSON.stringify([
      reader.read((views) => views.episodes(0, 50)),
      reader.read((views) => views.episode(3)),
      reader.read((views) => views.call(3, 1)),
      ask,
    ]);
  };
  expect(tell(1)).toBe(tell(1));
  expect(tell(1)).not.toBe(tell(2));
});

test('an episode has the timelines that its calls merge into', () => {
  const size = { ...smallTrace, episodes: 20, failing: 0.2 };
  const whole = generated(size);
  const running = generated(size, (writer) => ({
    file: writer.file,
    episodeStarted: (episode) => writer.episodeStarted(episode),
    span: (span) => writer.span(span),
    callEnded: (...call) => writer.callEnded(...call),
    episodeEnded: () => undefined,
    trained: (timelines) => writer.trained(timelines),
    codeFound: (places) => writer.codeFound(places),
    runEnded: (end) => writer.runEnded(end),
  }));
  let compared = 0;
  for (const { episode, error } of whole.reader.read((views) => views.episodes(0, 50)).rows) {
    if (error !== null) continue; // ended before its calls could merge
    const { timelines } = whole.reader.read((views) => views.episode(episode));
    const merged = running.reader.read((views) => views.episode(episode)).timelines;
    expect(timelines).toEqual(merged.map((timeline) => ({ ...timeline, provisional: false })));
    compared += timelines.length;
  }
  expect(compared).toBeGreaterThan(20);
});

test('totals are those asked for', () => {
  const { reader } = generated({ ...smallTrace, episodes: 200, calls: 6, failing: 0.1, longest: 12_345 });
  const { totals } = reader.read((views) => views.run());
  expect(totals).toMatchObject({ started: 200, ended: 200 });
  expect(totals.calls / 200).toBeGreaterThan(4.5);
  expect(totals.calls / 200).toBeLessThan(7.5);
  expect(totals.failed).toBeGreaterThan(5);
  expect(totals.failed).toBeLessThan(40);
  expect(reader.read((views) => views.episode(0)).timelines).toMatchObject([{ timeline: 0, tokens: 12_345 }]);
  const { texts, ids } = reader.read((views) => views.tokens.window(0, 0, 12_345 - 100, 100));
  expect(ids).toHaveLength(100);
  expect(texts.every((text) => text !== '')).toBe(true);
});
