import { describe, expect, it } from 'vitest';
import { RunTracker, type RunTrackerOptions } from '../../../src/backbone/core/context-tracker/runTracker.ts';
import { tracedCall } from '../../../src/backbone/core/context-tracker/tracedCall.ts';
import type { FinishedCall } from '../../../src/backbone/core/model-tuner/call.ts';
import { failures } from '../../../src/backbone/core/model-tuner/failures.ts';
import { CodedError } from '../../../src/base/core/errors.ts';
import type { ModelText } from '../../../src/tracking/core/tokenizer.ts';
import { FakeClock } from '../fakeClock.ts';
import { completionOf } from './model-tuner/tunerBench.ts';
import type { BegunRequest } from '../../../src/tracking/core/tracker.ts';
import {
  episodeResult,
  finishedCall,
  letters,
  NotingWriter,
  request,
  simpleTracker,
  tracking,
} from './recording.ts';

function recording(changes: Partial<RunTrackerOptions> = {}) {
  const writer = new NotingWriter();
  const warnings: CodedError[] = [];
  const recorder = new RunTracker({
    text: { note: letters.note, open: () => Promise.resolve(letters) },
    tracking,
    createTracker: simpleTracker,
    openTrace: () => writer,
    clock: new FakeClock(),
    warn: (problem) => warnings.push(problem),
    ...changes,
  });
  return { recorder, writer, noted: writer.noted, codes: () => warnings.map(({ code }) => code), warnings };
}

function start(recorder: RunTracker, ...episodes: number[]): void {
  for (const episode of episodes) {
    const place = { taskId: 't', taskIndex: 0, repeat: episode, query: 'q' };
    recorder.episodeStarted({ episode, uuid: 'ab'.repeat(16), ...place, startedAt: 0 });
  }
}

function saying(content: string, changes: Partial<FinishedCall> = {}): FinishedCall {
  return finishedCall({ completion: completionOf(content), ...changes });
}

describe('an episode that is tried again', () => {
  it.each([true, false])('has the calls of all attempts, and timelines of the last', async (isOpen) => {
    const tokens: number[] = [];
    const { recorder, noted } = recording({ onTokens: (_, count) => tokens.push(count) });
    if (isOpen) void recorder.open();
    await Promise.resolve();
    start(recorder, 0);
    recorder.callEnded(saying('ab', { call: 0 }));
    recorder.callEnded(saying('a', { call: 1 }));
    recorder.episodeRestarted(0);
    recorder.callEnded(saying('abc', { call: 0 }));
    const { tracking: last } = await recorder.episodeEnded(episodeResult());
    expect(last).toMatchObject({ timelines: 1, tokens: 3 });
    expect(noted.map((note) => /call \S+/.exec(note)?.[0] ?? '').filter((note) => note !== '')).toEqual([
      'call 0/0',
      'call 0/1',
      'call 0/2',
    ]);
    expect(tokens).toEqual([2, 1, 3]);
  });
});

describe('what an episode does beside its calls', () => {
  const writing = () => {
    const clock = new FakeClock();
    const { recorder, writer } = recording({ clock });
    start(recorder, 0);
    const told = (): unknown[] =>
      writer.spans.splice(0).map(({ kind, name, seconds, error }) => [kind, name, seconds, error]);
    return { recorder, clock, told };
  };
  const began = { call: 0, agentName: 'solver', targetTag: 'main', episode: 0, request, startedAt: 0 };

  it('is told when it is over, and before that if it takes long', () => {
    const { recorder, clock, told } = writing();
    const endShort = recorder.spanBegins(0, { kind: 'environment', name: 'step' });
    clock.advance(100);
    endShort(null);
    const endLong = recorder.spanBegins(0, { kind: 'judge', name: 'Judge' });
    clock.advance(300);
    expect(told()).toEqual([
      ['environment', 'step', 0.1, null],
      ['judge', 'Judge', null, null],
    ]);
    endLong('It threw.');
    endLong(null);
    expect(told()).toEqual([['judge', 'Judge', 0.3, 'It threw.']]);
  });

  it('has calls that take long, until they end', async () => {
    const { recorder, clock, told } = writing();
    await recorder.callBegins(began);
    await recorder.callBegins({ ...began, call: 1 });
    recorder.callEnded(finishedCall({ call: 1 }));
    clock.advance(1_000);
    expect(told()).toEqual([['call', 'solver', null, null]]);
    recorder.callEnded(finishedCall());
    expect(told()).toEqual([]);
  });

  it('ends with the episode at the latest, and nothing begins after it', async () => {
    const { recorder, clock, told } = writing();
    const end = recorder.spanBegins(0, { kind: 'workflow', name: 'W' });
    clock.advance(50);
    await recorder.episodeEnded(episodeResult());
    end(null);
    recorder.spanBegins(0, { kind: 'judge', name: 'Judge' })(null);
    clock.advance(1_000);
    expect(told()).toEqual([['workflow', 'W', 0.05, 'The episode ended first.']]);
  });
});

const disk = new Error('the disk is full');
const broken = new CodedError({ code: 'tokenizer/broken', message: 'No tokenizer.', hint: 'Mend it.' });

describe('a run that is recorded', () => {
  it('has calls in the order of their ends, each with the tokens that are new to the run', async () => {
    const { recorder, noted, codes } = recording();
    expect(recorder.trace).toBe('/runs/exp/exp.ajtrace');
    start(recorder, 0, 1);
    recorder.callEnded(saying('bab', { call: 1 }));
    recorder.callEnded(saying('abc', { call: 0 }));
    const first = await recorder.episodeEnded(episodeResult(0));
    recorder.callEnded(saying('ad<', { episode: 1 }));
    await recorder.episodeEnded(episodeResult(1));
    recorder.runEnded({ status: 'completed', error: null, endedAt: 9 });
    expect(noted).toEqual([
      'episode 0 starts',
      'episode 1 starts',
      'call 0/1 200: 0 "bab" new "ba"',
      'call 0/0 200: 1 "abc" new "c"',
      'episode 0 ends, 2 timelines',
      'call 1/0 200: 0 "ad<" new "d<!"',
      'episode 1 ends, 1 timelines',
      'run completed',
    ]);
    expect(first).toEqual({
      ...episodeResult(0),
      tracking: { timelines: 2, tokens: 6, trainableTokens: 6, problems: [] },
    });
    expect(codes()).toEqual([]);
  });

  it('waits for its tokenizer with the calls that ended before it was open, and once', async () => {
    let resolve: (text: ModelText) => void = () => undefined;
    const opening = new Promise<ModelText>((settle) => {
      resolve = settle;
    });
    let opened = 0;
    const open = (): Promise<ModelText> => {
      opened += 1;
      return opening;
    };
    const { recorder, noted } = recording({ text: { note: letters.note, open } });
    start(recorder, 0, 1);
    expect(opened).toBe(0);
    void recorder.open();
    recorder.callEnded(saying('a', { call: 0 }));
    recorder.callEnded(saying('b', { episode: 1 }));
    recorder.callEnded(saying('c', { call: 1 }));
    const ends = [recorder.episodeEnded(episodeResult(0)), recorder.episodeEnded(episodeResult(1))];
    expect(noted).toHaveLength(2);
    resolve(letters);
    await Promise.all(ends);
    expect(noted.slice(2)).toEqual([
      'call 0/0 200: 0 "a" new "a"',
      'call 0/1 200: 1 "c" new "c"',
      'call 1/0 200: 0 "b" new "b"',
      'episode 0 ends, 2 timelines',
      'episode 1 ends, 1 timelines',
    ]);
    expect(opened).toBe(1);
  });

  it('has failed and cancelled calls with their errors, and no timeline of them', async () => {
    const { recorder, noted } = recording();
    start(recorder, 0);
    const report = new CodedError({ code: 'model/rate-limited', message: 'Too fast.' });
    const error = { message: 'slow down', type: 'rate_limit_error', param: null, code: null };
    recorder.callEnded(finishedCall({ status: 429, failure: { status: 429, error, report } }));
    recorder.callEnded(
      finishedCall({ call: 1, status: 499, completion: undefined, failure: failures.cancelled() }),
    );
    const { tracking: tracked } = await recorder.episodeEnded(episodeResult());
    expect(noted.slice(1)).toEqual([
      'call 0/0 429: Too fast.',
      'call 0/1 499: The request was canceled before the response.',
      'episode 0 ends, 0 timelines',
    ]);
    expect(tracked?.timelines).toBe(0);
  });

  it('knows nothing of the calls of an episode that is over', async () => {
    const { recorder, noted } = recording();
    start(recorder, 0);
    await recorder.episodeEnded(episodeResult());
    recorder.callEnded(finishedCall());
    expect(noted).toHaveLength(2);
  });

  it('is tracked without a trace, too', async () => {
    const { recorder, noted } = recording({ openTrace: undefined });
    expect(recorder.trace).toBeUndefined();
    start(recorder, 0);
    recorder.callEnded(finishedCall());
    expect((await recorder.episodeEnded(episodeResult())).tracking?.timelines).toBe(1);
    expect(noted).toEqual([]);
  });
});

describe('a call that begins', () => {
  const begun = { episode: 0, call: 0, agentName: 'solver', request, startedAt: 20 };
  const safe = { unsafe: null, overflows: false };

  function checking(changes: Partial<RunTrackerOptions> = {}) {
    const asked: BegunRequest[] = [];
    const made = recording({
      createTracker: (options) => ({
        ...simpleTracker(options),
        begin: (call) => {
          asked.push(call);
          return { unsafe: 'token_overflow', overflows: true };
        },
      }),
      ...changes,
    });
    return { ...made, asked };
  }

  it('is checked once the tokenizer is open, under its number in the episode', async () => {
    const { recorder, asked } = checking();
    start(recorder, 0);
    const first = recorder.callBegins(begun);
    expect(asked).toEqual([]);
    expect(await first).toEqual({ unsafe: 'token_overflow', overflows: true });
    recorder.callEnded(saying('a'));
    recorder.episodeRestarted(0);
    await recorder.callBegins(begun);
    expect(asked.map(({ call, interrupted }) => [call, interrupted])).toEqual([
      [0, false],
      [1, false],
    ]);
  });

  it('knows whether its episode had been told to stop', async () => {
    const { recorder, asked } = checking();
    start(recorder, 0);
    recorder.episodesStopped([0], 20);
    await recorder.callBegins({ ...begun, startedAt: 19 });
    await recorder.callBegins(begun);
    expect(asked.map(({ interrupted }) => interrupted)).toEqual([false, true]);
  });

  it('is safe where nothing is tracked, and where its attempt is over', async () => {
    const lost = checking({ text: { note: letters.note, open: () => Promise.reject(broken) } });
    start(lost.recorder, 0);
    expect(await lost.recorder.callBegins(begun)).toEqual(safe);
    const { recorder, asked } = checking();
    expect(await recorder.callBegins(begun)).toEqual(safe);
    start(recorder, 0);
    const waiting = recorder.callBegins(begun);
    recorder.callEnded(saying('a'));
    recorder.episodeRestarted(0);
    expect(await waiting).toEqual(safe);
    expect(asked).toEqual([]);
  });

  it('has what answered it told in the trace', () => {
    const traced = tracedCall(finishedCall({ canned: 'overflow_response' }), undefined);
    expect(JSON.parse(traced.options)).toMatchObject({ canned_reply: 'overflow_response' });
  });
});

describe('a run goes on', () => {
  it('without a trace that cannot be begun', async () => {
    const openTrace = (): never => {
      throw disk;
    };
    const { recorder, codes } = recording({ openTrace });
    expect(recorder.trace).toBeNull();
    start(recorder, 0);
    recorder.callEnded(finishedCall());
    expect((await recorder.episodeEnded(episodeResult())).tracking?.timelines).toBe(1);
    recorder.runEnded({ status: 'completed', error: null, endedAt: 0 });
    expect(codes()).toEqual(['context-tracker/no-trace']);
  });

  it('without a trace that fails, and is warned once', async () => {
    const { recorder, writer, codes, warnings } = recording();
    start(recorder, 0);
    writer.callEnded = () => {
      throw disk;
    };
    recorder.callEnded(finishedCall());
    recorder.callEnded(finishedCall({ call: 1 }));
    expect((await recorder.episodeEnded(episodeResult())).tracking?.timelines).toBe(2);
    expect(writer.noted).toEqual(['episode 0 starts']);
    expect(codes()).toEqual(['context-tracker/no-trace']);
    expect(warnings[0]?.message).toContain('the disk is full');
  });

  it('with what its tracker had when that failed, and is warned once', async () => {
    const createTracker: RunTrackerOptions['createTracker'] = (options) => ({
      ...simpleTracker(options),
      track: () => {
        throw new Error('a bug');
      },
    });
    const { recorder, noted, codes } = recording({ createTracker });
    start(recorder, 0);
    recorder.callEnded(finishedCall());
    recorder.callEnded(finishedCall({ call: 1 }));
    expect(await recorder.episodeEnded(episodeResult())).toEqual(episodeResult());
    expect(noted.slice(1)).toEqual([
      'call 0/0 200: null "" new ""',
      'call 0/1 200: null "" new ""',
      'episode 0 ends, 0 timelines',
    ]);
    expect(codes()).toEqual(['context-tracker/failed']);
  });

  it('untracked where the tokenizer cannot be opened', async () => {
    const { recorder, noted, codes } = recording({
      text: { note: letters.note, open: () => Promise.reject(broken) },
    });
    start(recorder, 0);
    recorder.callEnded(finishedCall());
    expect(await recorder.episodeEnded(episodeResult())).toEqual(episodeResult());
    expect(noted.slice(1)).toEqual(['call 0/0 200: null "" new ""', 'episode 0 ends, 0 timelines']);
    expect(codes()).toEqual(['tokenizer/broken']);
  });
});
