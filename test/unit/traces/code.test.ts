/** From a trace to the code: lines of calls, tools by name, who gives rewards, and what has changed since. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { fingerprintOf } from '../../../src/traces/node/store/fingerprint.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { CallSource, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import { parseFilter } from '../../../src/traces/core/filterText.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from './samples.ts';

interface Project {
  readonly folder: string;
  readonly trace: string;
  readonly workflow: string;
  readonly judge: string;
}

function aProject(): Project {
  const folder = temporaryFolder();
  const workflow = path.join(folder, 'workflow.ts');
  const judge = path.join(folder, 'lib', 'judge.py');
  mkdirSync(path.dirname(judge));
  writeFileSync(workflow, 'await ask();\nawait ask();\nfunction add() {}\n');
  writeFileSync(judge, 'def compute_reward(): ...\ndef look_up(): ...\n');
  return { folder, trace: path.join(folder, 'math.ajtrace'), workflow, judge };
}

const end = { status: 'completed', error: null, endedAt: 0 } as const;

function written({ folder, trace, workflow }: Project, write: (writer: TraceWriter) => void): void {
  const run = aRun({ config: path.join(folder, 'math.yaml'), workflowFile: workflow });
  const writer = openTraceWriter(trace, run);
  write(writer);
  writer.runEnded(end);
}

function opened(trace: string): TraceReader {
  const reader = openTraceReader(trace);
  onTestFinished(() => reader.close());
  return reader;
}

function at(file: string, line: number, name: string | null = 'solve'): CallSource {
  return { file, line, column: 7, function: name };
}

function episodeOf(writer: TraceWriter, episode: number, sources: readonly (CallSource | undefined)[]): void {
  writer.episodeStarted(anEpisode(episode));
  sources.forEach((source, call) => {
    const messages = [
      { position: 2 * call, message: aMessage(`${call}?`) },
      { position: 2 * call + 1, message: aMessage('!', { author: 'llm' }) },
    ];
    const counts = { promptTokens: 10 * (call + 1), replyTokens: 4 };
    const positions = { messages: [2 * call], reply: 2 * call + 1 };
    writer.callEnded(aCall(episode, call, { ...positions, ...counts, source }), messages, []);
  });
  writer.episodeEnded({ result: aResult(episode), timelines: [] }, []);
}

test('a call tells its line, in its own view and with what became of the file', () => {
  const project = aProject();
  written(project, (writer) => episodeOf(writer, 0, [at(project.workflow, 2), undefined]));
  const reader = opened(project.trace);
  const source = at(project.workflow, 2);
  expect(reader.read((views) => views.call(0, 0)).source).toEqual(source);
  const ofCall = { kind: 'call', call: 0 } as const;
  expect(reader.read((views) => views.code.source(0, ofCall))).toEqual({
    ...source,
    state: 'same',
    found: 'recorded',
  });
  writeFileSync(project.workflow, '// shorter\n');
  expect(reader.read((views) => views.code.source(0, ofCall)).state).toBe('changed');
  rmSync(project.workflow);
  expect(reader.read((views) => views.code.source(0, ofCall)).state).toBe('gone');
  expect(reader.read((views) => views.call(0, 1)).source).toBeNull();
  expect(() => reader.read((views) => views.code.source(0, { kind: 'call', call: 1 }))).toThrow(
    'does not record which line of code call 1 of episode 0',
  );
});

test('files in the folder of the config are named relative to it', () => {
  const project = aProject();
  written(project, (writer) => episodeOf(writer, 0, [at(project.workflow, 1), at('/opt/agents/a.py', 3)]));
  const database = new DatabaseSync(project.trace, { readOnly: true });
  const names = database.prepare('SELECT file FROM sources ORDER BY id').all();
  database.close();
  expect(names).toEqual([{ file: 'workflow.ts' }, { file: '/opt/agents/a.py' }]);
});

test('a reward tells who gave it', () => {
  const project = aProject();
  const { workflow, judge } = project;
  written(project, (writer) => {
    writer.codeFound({ execute: { file: workflow, line: 3, column: 10 }, judge: { file: judge, line: 1 } });
    const failed = (code: string) => ({ reward: null, error: { code, message: 'no' } });
    const results = [
      { scoredBy: 'judge' as const },
      { scoredBy: 'workflow' as const },
      failed('task-judge/threw'),
      failed('episode/workflow-threw'),
    ];
    results.forEach((changes, episode) => {
      writer.episodeStarted(anEpisode(episode));
      writer.episodeEnded({ result: aResult(episode, changes), timelines: [] }, []);
    });
  });
  const reader = opened(project.trace);
  const files = [0, 1, 2, 3].map((episode) =>
    reader.read((views) => views.code.source(episode, { kind: 'reward' })),
  );
  expect(files.map(({ file, line, state }) => [path.basename(file), line, state])).toEqual([
    ['judge.py', 1, 'same'],
    ['workflow.ts', 3, 'same'],
    ['judge.py', 1, 'same'],
    ['workflow.ts', 3, 'same'],
  ]);
});

test('a tool is found by its name, in the file of the workflow and in those that asked', () => {
  const project = aProject();
  written(project, (writer) => episodeOf(writer, 0, [at(project.judge, 2)]));
  const reader = opened(project.trace);
  const tool = (name: string) => reader.read((views) => views.code.source(0, { kind: 'tool', tool: name }));
  expect(tool('add')).toMatchObject({ file: project.workflow, line: 3, found: 'scan', state: 'unknown' });
  expect(tool('look_up')).toMatchObject({ file: project.judge, line: 2, found: 'scan', state: 'same' });
  expect(() => tool('fly')).toThrow(`No definition of the tool "fly" was found in ${project.workflow}`);
});

test('lines tell what their calls come to', () => {
  const project = aProject();
  const [first, second] = [at(project.workflow, 1), at(project.workflow, 2, null)];
  written(project, (writer) => {
    episodeOf(writer, 0, [first, first, second]);
    episodeOf(writer, 1, [first, undefined]);
    writer.episodeStarted(anEpisode(2));
    writer.callEnded(aCall(2, 0, { messages: [], reply: null, error: 'no', source: second }), [], []);
  });
  const ofFile = { name: 'workflow.ts', state: 'same', fingerprint: fingerprintOf(project.workflow) };
  expect(opened(project.trace).read((views) => views.lines())).toEqual({
    live: false,
    lines: [
      {
        ...{ ...first, ...ofFile, calls: 3, episodes: 2, failed: 0 },
        ...{ promptTokens: (10 + 20 + 10) / 3, replyTokens: 4, seconds: 0.25, reward: 0.5 },
        first: { episode: 0, call: 0 },
      },
      {
        ...{ ...second, ...ofFile, calls: 2, episodes: 2, failed: 1 },
        ...{ promptTokens: 30, replyTokens: 4, seconds: 0.25, reward: 0 },
        first: { episode: 0, call: 2 },
      },
    ],
    tools: [],
    execute: null,
    judge: null,
  });
});

test('tools, the workflow and the judge tell what the episodes came to in which they had a part', () => {
  const project = aProject();
  const { workflow, judge } = project;
  written(project, (writer) => {
    writer.codeFound({ execute: { file: workflow, line: 3, column: 10 }, judge: { file: judge, line: 1 } });
    [1, 0, null].forEach((reward, episode) => {
      writer.episodeStarted(anEpisode(episode));
      const call = { id: 'c', type: 'function', function: { name: 'look_up', arguments: '{}' } };
      const asks = aMessage('', { author: 'llm', toolCalls: JSON.stringify([call]) });
      const messages = [aMessage('?'), episode === 1 ? aMessage('!') : asks];
      writer.callEnded(
        aCall(episode, 0, { source: at(judge, 2) }),
        messages.map((message, position) => ({ position, message })),
        [],
      );
      const error = reward === null ? 'It fell.' : null;
      const span = { episode, call: null, startedAt: 0 };
      writer.span({ ...span, span: 0, kind: 'workflow', name: 'Math', seconds: 2 + episode, error });
      if (error === null)
        writer.span({ ...span, span: 1, kind: 'judge', name: 'Judge', seconds: 0.5, error });
      const failure = { code: 'workflow/threw', message: 'It fell.' };
      const result = aResult(episode, {
        ...{ reward, isSuccess: reward === 1 },
        ...(error !== null && { error: failure }),
      });
      writer.episodeEnded({ result, timelines: [] }, []);
    });
  });
  const { tools, execute, judge: scorer } = opened(project.trace).read((views) => views.lines());
  const found = {
    file: judge,
    line: 2,
    function: 'look_up',
    state: 'same',
    fingerprint: fingerprintOf(judge),
  };
  expect(tools).toMatchObject([{ ...found, tool: 'look_up', episodes: 2, reward: 1 }]);
  const fingerprint = fingerprintOf(workflow);
  expect(execute).toEqual({
    ...{ file: workflow, line: 3, column: 10, function: null, state: 'same', fingerprint },
    ...{ episodes: 3, failed: 1, seconds: 3, reward: 0.5, successRate: 0.5 },
  });
  expect(scorer).toMatchObject({ line: 1, episodes: 2, failed: 0, seconds: 0.5, reward: 0.5 });
});

test('a filter finds the episodes that called from a line or a file', () => {
  const project = aProject();
  written(project, (writer) => {
    episodeOf(writer, 0, [at(project.workflow, 1), at(project.workflow, 12)]);
    episodeOf(writer, 1, [at(project.workflow, 2)]);
    episodeOf(writer, 2, [at('/opt/my agents/a.py', 3), undefined]);
    episodeOf(writer, 3, [undefined]);
    episodeOf(writer, 4, [at('D:\\agents\\b.py', 3)]);
  });
  const reader = opened(project.trace);
  const found = (text: string): readonly number[] => {
    const parsed = parseFilter(text);
    if (!('filter' in parsed) || parsed.filter === null) throw new Error(`${text} is no filter.`);
    const { filter } = parsed;
    return reader.read((views) => views.episodes(0, 10, { filter })).rows.map(({ episode }) => episode);
  };
  const cases: Readonly<Record<string, readonly number[]>> = {
    'source:workflow.ts:1': [0],
    'source:workflow.ts': [0, 1],
    'source:flow.ts': [],
    'source:*flow.ts:2': [1],
    'source:"my agents/a.py:3"': [2],
    'source:"/opt/my agents/a.py"': [2],
    'source:agents\\b.py:3': [4],
    '-source:*': [3],
  };
  expect(Object.fromEntries(Object.keys(cases).map((text) => [text, found(text)]))).toEqual(cases);
});

test('a pipe, a device and a file without end count as gone, and are not read', () => {
  const project = aProject();
  const pipe = path.join(project.folder, 'pipe.py');
  execFileSync('mkfifo', [pipe]);
  const endless = path.join(project.folder, 'endless.py');
  writeFileSync(endless, '');
  truncateSync(endless, 2 ** 40);
  const zeroes = path.join(project.folder, 'zeroes.py');
  symlinkSync('/dev/zero', zeroes);
  written(project, (writer) => {
    episodeOf(writer, 0, [at(pipe, 1), at(endless, 1), at(zeroes, 1), at('/dev/zero', 1)]);
  });
  const reader = opened(project.trace);
  const { lines } = reader.read((views) => views.code.lines(false));
  expect(lines.map(({ state }) => state)).toEqual(['gone', 'gone', 'gone', 'gone']);
  expect(() => reader.read((views) => views.code.source(0, { kind: 'tool', tool: 'look_up' }))).toThrow(
    'No definition of the tool',
  );
});
