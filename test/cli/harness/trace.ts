import { onTestFinished } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { largestWindow } from '../../../src/traces/core/protocol/traceRpc.ts';

/** A run's trace, open until the test ends. */
export function openTrace(file: string): TraceReader {
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return reader;
}

/** The tokens of a timeline as text, those in the loss between brackets. */
export function writeTimeline(trace: TraceReader, episode: number, timeline: number): string {
  const { texts, lossMask } = trace.read((views) =>
    views.tokens.window(episode, timeline, 0, largestWindow.tokens),
  );
  return texts.map((text, at) => (lossMask[at] === 1 ? `[${text}]` : text)).join('');
}
