/** Lists of a run: what SQL filters, sorts and groups, against the same done by hand with rows and the report. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { Filter } from '../../../src/traces/core/protocol/traceFilter.ts';
import {
  episodeSorts,
  type EpisodeSort,
  type GroupRow,
  type EpisodeRow,
} from '../../../src/traces/core/protocol/traceLists.ts';
import { parseFilter } from '../../../src/traces/core/filterText.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { groupsOf } from '../../../src/tracking/core/groups.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from './samples.ts';

interface Trace {
  readonly file: string;
  readonly writer: TraceWriter;
  readonly reader: TraceReader;
}

function aTrace(run: Partial<TracedRun> = {}): Trace {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun(run));
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return { file, writer, reader };
}

function end({ writer }: Pick<Trace, 'writer'>, episode: number, changes: Partial<EpisodeResult> = {}): void {
  const { tracking, error = null } = changes;
  const { tokens = 11, trainableTokens = 2 } = tracking ?? {};
  const timelines = error === null ? [{ calls: [0], messages: [], tokens, trainableTokens }] : [];
  writer.episodeEnded({ result: aResult(episode, changes), timelines }, []);
}

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if (!('filter' in parsed) || parsed.filter === null) throw new Error(`${text} is no filter.`);
  return parsed.filter;
}

const found = (reader: TraceReader, text: string): readonly number[] =>
  reader
    .read((views) => views.episodes(0, 100, { filter: filterOf(text) }))
    .rows.map(({ episode }) => episode);

/** Six tasks of two: rewards, errors, tools, agents and findings of many kinds. */
function variedRun(): Trace {
  const trace = aTrace({ tasks: 6, repeat: 2, episodes: 12 });
  const { writer } = trace;
  for (let episode = 0; episode < 11; episode++) {
    writer.episodeStarted(
      anEpisode(episode, {
        query: episode === 6 ? `${'long '.repeat(100)}needle` : `Task 100% no. ${episode}`,
      }),
    );
  }
  const call = { id: 'c', type: 'function', function: { name: 'search_web', arguments: '{}' } };
  const asks = aMessage('', { author: 'llm', toolCalls: JSON.stringify([call, call]) });
  writer.callEnded(
    aCall(2, 0),
    [
      { position: 0, message: aMessage('a') },
      { position: 1, message: asks },
    ],
    [],
  );
  writer.callEnded(aCall(3, 0, { agent: 'Judge', error: 'overloaded', status: 503, reply: null }), [], []);
  for (let episode = 0; episode < 10; episode++) {
    const error = { code: 'workflow/timeout', message: 'It took too long.' };
    const problems = [{ code: 'cut-reply-end-trained', severity: 'warning' as const, message: 'Cut.' }];
    if (episode === 5) end(trace, episode, { reward: null, isSuccess: false, error });
    else if (episode < 4) end(trace, episode, { reward: episode - 1 });
    else if (episode === 7) {
      end(trace, episode, {
        reward: 0.25,
        tracking: { timelines: 1, tokens: 40, trainableTokens: 10, problems },
      });
    } else end(trace, episode, { reward: 0.5, isSuccess: false, seconds: 60 + episode });
  }
  return trace;
}

describe('the neighbors of an episode', () => {
  test('are those next to it in the list, and of the whole run if it is not in it', () => {
    const { reader } = variedRun();
    const neighbors = (episode: number, text?: string, by?: EpisodeSort) =>
      reader.read((views) =>
        views.neighbors(episode, {
          ...(text !== undefined && { filter: filterOf(text) }),
          ...(by !== undefined && { sort: { by, descending: true } }),
        }),
      );
    expect(neighbors(0)).toEqual({ position: 0, total: 11, previous: null, next: 1 });
    expect(neighbors(10)).toEqual({ position: 10, total: 11, previous: 9, next: null });
    for (const [text, by] of [
      ['reward>=0.5', undefined],
      ['reward>=0.5', 'time'],
      ['-error', 'reward'],
    ] as const) {
      const sort = by === undefined ? {} : { sort: { by, descending: true } };
      const list = reader.read((views) => views.episodes(0, 100, { filter: filterOf(text), ...sort }));
      const numbers = list.rows.map(({ episode }) => episode);
      numbers.forEach((episode, position) =>
        expect(neighbors(episode, text, by)).toEqual({
          ...{ position, total: numbers.length },
          ...{ previous: numbers[position - 1] ?? null, next: numbers[position + 1] ?? null },
        }),
      );
    }
    expect(neighbors(5, 'reward=0.25')).toEqual({ position: 5, total: 11, previous: 4, next: 6 });
  });
});

describe('a filter', () => {
  test('finds what it says', () => {
    const { reader } = variedRun();
    const cases: Readonly<Record<string, readonly number[]>> = {
      'reward<0': [0],
      'reward=0.25': [7],
      'reward=0.3': [7],
      'not reward>=0': [0, 5, 10],
      error: [5],
      'error:TIMEOUT': [5],
      'text:search': [2],
      'text:A': [2],
      'text:a_%': [],
      'agent:judge': [3],
      'agent:ju': [],
      'agent:ju*': [3],
      'tool:search_web': [2],
      'tool:search%web': [],
      'failures>0': [3],
      'mask>20%': [7],
      'mask=25%': [7],
      'tokens>=40': [7],
      'time>1min': [4, 6, 8, 9],
      'trains:open': [10],
      'trains:no': [5, 8, 9],
      'finding:equal-rewards': [8, 9],
      'finding:cut-*': [7],
      'finding:episode-error': [5],
      'success:no': [0, 2, 4, 6, 8, 9],
      'state:running': [10],
      'group=3': [6, 7],
      'spread=0': [8, 9],
      'best>=2 worst<2': [2, 3],
      'mean<0': [0, 1],
      needle: [6],
      '100%': [0, 1, 2, 3, 4, 5, 7, 8, 9, 10],
      t1: [2, 3],
      'task:t1 or task:t2': [2, 3, 4, 5],
      '-(reward<1 or error or state:running)': [2, 3],
    };
    const is = Object.fromEntries(Object.keys(cases).map((text) => [text, found(reader, text)]));
    expect(is).toEqual(cases);
  });

  test('lists the groups that have such an episode, and how many of theirs', () => {
    const { reader } = variedRun();
    const { total, rows } = reader.read((views) =>
      views.groups(0, 10, { filter: filterOf('reward>=1 or error') }),
    );
    expect(total).toBe(2);
    expect(rows).toMatchObject([
      {
        group: 1,
        matching: 2,
        taskId: 't1',
        best: { episode: 3, reward: 2 },
        worst: { episode: 2, reward: 1 },
      },
      { group: 2, matching: 1, failed: 1, ended: 2 },
    ]);
  });

  test('of a run follows what ends', () => {
    const trace = aTrace({ tasks: 1, repeat: 2, episodes: 2 });
    const { reader, writer } = trace;
    writer.episodeStarted(anEpisode(0));
    writer.episodeStarted(anEpisode(1));
    end(trace, 1, { reward: 1 });
    expect(found(reader, 'trains:open')).toEqual([0, 1]);
    end(trace, 0, { reward: 1 });
    expect(found(reader, 'finding:equal-rewards trains:no')).toEqual([0, 1]);
    expect(reader.read((views) => views.groups(0, 1)).rows).toMatchObject([
      { trains: 0, findings: [{ code: 'equal-rewards', severity: 'warning', episodes: 2 }] },
    ]);
  });

  test('finds tasks of one id as they come, and after a request that failed', () => {
    const trace = aTrace({ tasks: 4, repeat: 1, episodes: 4 });
    for (const episode of [0, 1, 2, 3]) {
      const taskId = episode === 1 ? 'other' : 'same';
      trace.writer.episodeStarted(anEpisode(episode, { taskId, taskIndex: episode }));
    }
    end(trace, 2, { taskId: 'same' });
    end(trace, 1, { taskId: 'other' });
    expect(found(trace.reader, 'finding:duplicate-task-id')).toEqual([]);
    end(trace, 0, { taskId: 'same' });
    expect(() => trace.reader.read((views) => views.group(9))).toThrow('no episode of group 9');
    expect(found(trace.reader, 'finding:duplicate-task-id')).toEqual([0, 2]);
    expect(found(trace.reader, 'finding:colliding-ids')).toEqual([0, 2]);
    end(trace, 3, { taskId: 'same' });
    expect(trace.reader.read((views) => views.run()).report.findings).toContainEqual(
      expect.objectContaining({ code: 'duplicate-task-id', episodes: [0, 2, 3], count: 3 }),
    );
    expect(found(trace.reader, 'finding:duplicate-task-id')).toEqual([0, 2, 3]);
  });

  test('knows which episodes an oversampled run left out, once it has ended', () => {
    const trace = aTrace({ tasks: 1, repeat: 2, episodes: 2 });
    for (const episode of [0, 1]) {
      trace.writer.episodeStarted(anEpisode(episode));
      end(trace, episode);
    }
    expect(found(trace.reader, 'finding:not-selected')).toEqual([]);
    const selection = [
      { episode: 0, times: 0 },
      { episode: 1, times: 1 },
    ];
    trace.writer.runEnded({ status: 'completed', error: null, endedAt: 0, selection });
    expect(found(trace.reader, 'finding:not-selected')).toEqual([0]);
  });
});

describe('an order', () => {
  test('has what is unknown last either way, and ties by number', () => {
    const { reader } = variedRun();
    const by = (descending: boolean): readonly number[] =>
      reader
        .read((views) => views.episodes(0, 100, { sort: { by: 'reward', descending } }))
        .rows.map(({ episode }) => episode);
    expect(by(false)).toEqual([0, 1, 7, 4, 6, 8, 9, 2, 3, 5, 10]);
    expect(by(true)).toEqual([3, 2, 4, 6, 8, 9, 7, 1, 0, 5, 10]);
  });

  test('tells where in it an episode or a group is', () => {
    const { reader } = variedRun();
    const sort = { by: 'reward', descending: true } as const;
    expect(reader.read((views) => views.episodes(0, 1, { sort, anchor: 7 })).anchor).toBe(6);
    expect(
      reader.read((views) => views.episodes(0, 1, { filter: filterOf('reward<0'), anchor: 7 })).anchor,
    ).toBeNull();
    expect(
      reader.read((views) => views.groups(0, 1, { sort: { by: 'mean', descending: true }, anchor: 0 }))
        .anchor,
    ).toBe(4);
  });

  test('tells where the newest of a list is, and which that is', () => {
    const { reader } = variedRun();
    const newest = { anchor: 'newest' } as const;
    expect(reader.read((views) => views.run()).newest).toBe(10);
    const list = { sort: { by: 'reward', descending: true }, filter: filterOf('reward<1') } as const;
    const at = reader
      .read((views) => views.episodes(0, 20, list))
      .rows.findIndex(({ episode }) => episode === 9);
    expect(reader.read((views) => views.episodes(0, 1, { ...newest, ...list }))).toMatchObject({
      newest: 9,
      anchor: at,
    });
    expect(reader.read((views) => views.groups(0, 1, { ...newest, filter: filterOf('error') })).newest).toBe(
      2,
    );
    const none = { ...newest, filter: filterOf('reward>9') };
    expect(reader.read((views) => views.episodes(0, 1, none))).toMatchObject({ newest: null, anchor: null });
  });
});

test('a group shows its episodes with their verdicts, and how many groups there are', () => {
  const { reader } = variedRun();
  const { row, episodes, groups } = reader.read((views) => views.group(2));
  expect(groups).toBe(6);
  expect(row).toMatchObject({ group: 2, taskId: 't2', started: 2, ended: 2, failed: 1, meanReward: 0.5 });
  expect(episodes).toMatchObject([
    { episode: 4, trains: true },
    { episode: 5, trains: false, error: { code: 'workflow/timeout' } },
  ]);
  expect(() => reader.read((views) => views.group(6))).toThrow('no episode of group 6');
});

describe('histograms', () => {
  test('have a bar for each of few values, and say what has none', () => {
    const { reader } = variedRun();
    const [rewards, means] = reader.read((views) => views.histograms());
    expect(rewards).toEqual({
      field: 'reward',
      of: 'episodes',
      missing: 1,
      bars: [
        [-1, 1],
        [0, 1],
        [0.25, 1],
        [0.5, 4],
        [1, 1],
        [2, 1],
      ].map(([value, count]) => ({ from: value, to: value, count })),
    });
    expect(means?.bars).toHaveLength(4);
  });

  test('put many values together, each into one bar', () => {
    const trace = aTrace({ tasks: 40, repeat: 1, episodes: 40 });
    for (let episode = 0; episode < 40; episode++) {
      trace.writer.episodeStarted(anEpisode(episode));
      end(trace, episode, { reward: episode === 39 ? -Infinity : episode / 10 });
    }
    const [{ bars, missing } = { bars: [], missing: 0 }] = trace.reader.read((views) => views.histograms());
    expect(missing).toBe(1);
    expect(bars).toHaveLength(16);
    expect(bars.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(39);
    expect(bars.at(-1)).toMatchObject({ to: 3.8 });
    for (const [index, bar] of bars.slice(1).entries()) expect(bar.from).toBe(bars[index]?.to);
    for (const { from, to, count } of bars.slice(0, -1)) {
      expect(found(trace.reader, `reward>=${from} reward<${to}`)).toHaveLength(count);
    }
  });
});

/** What a row is sorted by, written down once more. */
function keyOf(by: EpisodeSort, row: EpisodeRow): number | string | null {
  const ended = row.state === 'ended';
  const word = (is: boolean): string => (is ? 'yes' : 'no');
  const keys: Readonly<Record<EpisodeSort, number | string | null>> = {
    task: row.taskId.toLowerCase(),
    repeat: row.repeat,
    reward: row.reward,
    advantage: row.advantage,
    success: row.reward === null ? null : word(row.isSuccess),
    trains: row.trains === null ? 'open' : word(row.trains),
    calls: row.calls,
    timelines: ended ? row.timelines : null,
    tokens: ended ? row.tokens : null,
    trainable: ended ? row.trainableTokens : null,
    time: row.seconds,
  };
  return keys[by];
}

function sorted(rows: readonly EpisodeRow[], by: EpisodeSort, descending: boolean): readonly number[] {
  return rows
    .toSorted((a, b) => {
      const [one, other] = [keyOf(by, a), keyOf(by, b)];
      if (one === null || other === null)
        return Number(one === null) - Number(other === null) || a.episode - b.episode;
      if (one === other) return a.episode - b.episode;
      return (one < other ? -1 : 1) * (descending ? -1 : 1);
    })
    .map(({ episode }) => episode);
}

test('any run is listed as its rows and the training report have it', () => {
  const outcome = fc.option(
    fc.record({
      reward: fc.option(fc.constantFrom(-1, 0, 0.5, 1)),
      isSuccess: fc.boolean(),
      seconds: fc.nat(9),
      tokens: fc.nat(3),
    }),
  );
  const runs = fc.record({
    repeat: fc.integer({ min: 1, max: 4 }),
    outcomes: fc.array(outcome, { maxLength: 14 }),
    sort: fc.record({ by: fc.constantFrom(...episodeSorts), descending: fc.boolean() }),
    least: fc.constantFrom(-0.5, 0, 0.5),
    ends: fc.boolean(),
  });
  fc.assert(
    fc.property(runs, ({ repeat, outcomes, sort, least, ends }) => {
      const trace = aTrace({ repeat, tasks: 14, episodes: 14 * repeat });
      const results = outcomes.flatMap((one, episode): EpisodeResult[] => {
        const task = Math.floor(episode / repeat);
        trace.writer.episodeStarted(
          anEpisode(episode, { taskId: `t${task}`, taskIndex: task, repeat: episode % repeat }),
        );
        if (one === null) return [];
        const error = one.reward === null ? { code: 'x/y', message: 'No.' } : null;
        const tracking = { timelines: 1, tokens: one.tokens, trainableTokens: one.tokens, problems: [] };
        const changes = { ...one, error, tracking, taskId: `t${task}`, repeat: episode % repeat };
        end(trace, episode, changes);
        return [aResult(episode, changes)];
      });
      if (ends) trace.writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
      const { reader } = trace;
      const { rows } = reader.read((views) => views.episodes(0, 100));
      const listed = reader.read((views) => views.episodes(0, 100, { sort }));
      expect(listed.rows.map(({ episode }) => episode)).toEqual(sorted(rows, sort.by, sort.descending));
      expect(listed.rows.toSorted((a, b) => a.episode - b.episode)).toEqual(rows);
      const filter = filterOf(`reward>=${least} trains:no`);
      const matching = rows.filter(
        ({ reward, trains }) => reward !== null && reward >= least && trains === false,
      );
      const filtered = reader.read((views) => views.episodes(1, 3, { filter, sort }));
      expect(filtered.total).toBe(matching.length);
      expect(filtered.rows.map(({ episode }) => episode)).toEqual(
        sorted(matching, sort.by, sort.descending).slice(1, 4),
      );
      const groups = groupsOf(results, repeat).map(
        ({ group, meanReward, successRate, deviation, failed }) => {
          return { group, meanReward, successRate, deviation, failed };
        },
      );
      const known = new Set(groups.map(({ group }) => group));
      const told = reader.read((views) => views.groups(0, 100)).rows;
      expect(told.filter(({ group }) => known.has(group))).toMatchObject(groups);
      expect(told.map(({ group }) => group)).toEqual([
        ...new Set(rows.map(({ episode }) => Math.floor(episode / repeat))),
      ]);
      for (const row of told) checkSums(row, rows, repeat);
    }),
    fuzz(72, 300),
  );
});

function checkSums(group: GroupRow, rows: readonly EpisodeRow[], repeat: number): void {
  const members = rows.filter(({ episode }) => Math.floor(episode / repeat) === group.group);
  const sum = (of: (row: EpisodeRow) => number): number => members.reduce((total, row) => total + of(row), 0);
  expect(group).toMatchObject({
    started: members.length,
    matching: members.length,
    tokens: sum(({ tokens }) => tokens),
    trainableTokens: sum(({ trainableTokens }) => trainableTokens),
    calls: sum(({ calls }) => calls),
  });
  if (group.trains !== null) expect(group.trains).toBe(members.filter(({ trains }) => trains).length);
}

describe('notes', () => {
  it('are next to the trace, in its rows and its filter', () => {
    const { file, reader } = variedRun();
    const noted = { note: ' Loops at the end. ', tags: ['needs work', ' odd', 'odd', ''] };
    reader.read((views) => views.annotate(3, noted));
    reader.read((views) => views.annotate(5, { note: '', tags: ['Odd.one'] }));
    const kept = { note: 'Loops at the end.', tags: ['needs work', 'odd'] };
    expect(JSON.parse(readFileSync(`${file}.notes.json`, 'utf8'))).toMatchObject({ episodes: { '3': kept } });
    const again = openTraceReader(file);
    onTestFinished(() => again.close());
    expect(again.read((views) => views.episode(3).row.noted)).toEqual(kept);
    expect(again.read((views) => views.episode(4).row)).not.toHaveProperty('noted');
    expect(again.read((views) => views.names().tags)).toEqual(['Odd.one', 'needs work', 'odd']);
    expect(found(again, 'tag:odd')).toEqual([3]);
    expect(found(again, 'tag:odd*')).toEqual([3, 5]);
    expect(found(again, 'tag:"needs work" note:LOOPS')).toEqual([3]);
    expect(found(again, '-tag:*')).toHaveLength(9);
    reader.read((views) => views.annotate(3, { note: '', tags: [] }));
    expect(found(again, 'note:loops')).toEqual([]);
  });

  it('that cannot be read are not overwritten, and the trace still opens', () => {
    const { file, reader } = variedRun();
    writeFileSync(`${file}.notes.json`, '{"episodes": 3}');
    expect(reader.read((views) => views.episodes(0, 1).rows)).toHaveLength(1);
    const location = { file: `${file}.notes.json` };
    const refused: unknown = expect.objectContaining({ code: 'trace/bad-notes', location });
    expect(() => reader.read((views) => views.annotate(3, { note: 'x', tags: [] }))).toThrow(refused);
    expect(() => found(reader, 'tag:odd')).toThrow(refused);
    expect(() => reader.read((views) => views.annotate(99, { note: 'x', tags: [] }))).toThrow(
      expect.objectContaining({ code: 'trace/no-such-episode' }),
    );
  });
});
