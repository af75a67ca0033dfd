/** Which episodes of a trace can be run again, and what is said of the others. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openTraceReader } from '../../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../../src/traces/node/store/openWriter.ts';
import { TraceService } from '../../../../src/traces/node/server/service.ts';
import type { TracedRun } from '../../../../src/tracking/core/records/tracedRun.ts';
import { FakeClock } from '../../fakeClock.ts';
import { temporaryFolder } from '../folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from '../samples.ts';

/** A trace of two episodes, the second of which broke off. */
function aTrace(changes: Partial<TracedRun> = {}): string {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun(changes));
  const messages = [aMessage('?'), aMessage('!', { author: 'llm' })];
  for (const episode of [0, 1]) {
    writer.episodeStarted(anEpisode(episode));
    const placed = messages.map((message, position) => ({ position, message }));
    writer.callEnded(aCall(episode, 0), placed, []);
  }
  writer.episodeEnded({ result: aResult(0), timelines: [] }, []);
  writer.runEnded({ status: 'failed', error: null, endedAt: 0 });
  return file;
}

function debug(file: string, episode: number): unknown {
  const service = new TraceService({ open: openTraceReader, stampOf: () => '' }, new FakeClock());
  const request = { method: 'debug', trace: file, episode };
  const reply = service.connect().answer(JSON.stringify({ id: 1, request }));
  service.dispose();
  return reply;
}

describe('an episode', () => {
  it('can be run again when it has ended', () => {
    const file = aTrace();
    const command = expect.stringContaining(`--replay ${file} --episode 0`) as string;
    expect(debug(file, 0)).toMatchObject({ result: { started: 'page', command } });
  });

  it('cannot when it has not, or is none', () => {
    expect(debug(aTrace(), 1)).toMatchObject({ error: { code: 'trace/not-ended' } });
    expect(debug(aTrace(), 9)).toMatchObject({ error: { code: 'trace/no-such-episode' } });
  });

  it('cannot where the trace lacks what a call was asked or answered', () => {
    const file = aTrace();
    const database = new DatabaseSync(file);
    database.exec('DELETE FROM messages WHERE episode = 0 AND position = 1');
    database.close();
    expect(debug(file, 0)).toMatchObject({
      error: { code: 'trace/damaged', message: expect.stringContaining('episode 0') as string },
    });
  });

  it('cannot where another tool recorded it', () => {
    const imported = {
      ...{ format: 'OTLP/JSON', source: '/x.jsonl', lacks: [], records: 1, skipped: 0, skips: [] },
    };
    expect(debug(aTrace({ imported }), 0)).toMatchObject({ error: { code: 'trace/imported' } });
  });
});
