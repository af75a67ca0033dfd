import { describe, expect, it } from 'vitest';
import { ajetKeys } from '../../../../../src/configs/core/key-tables/keyTable.ts';
import { parseConfig } from '../../../../../src/configs/core/parse.ts';
import { TracebackFolder } from '../../../../../src/training/core/logs/foldTracebacks.ts';
import { logLinks } from '../../../../../src/training/core/logs/links.ts';

function folded(text: string): string {
  const folder = new TracebackFolder();
  return [...text.split('\n').flatMap((line) => folder.add(line)), ...folder.end()].join('\n');
}

describe('tracebacks', () => {
  it('keep the user’s frames and the error, and say what was folded', () => {
    const ray = '(Explorer pid=4242, ip=10.0.0.1) ';
    const text = [
      'INFO before',
      `${ray}Traceback (most recent call last):`,
      `${ray}  File "/opt/venv/lib/python3.11/site-packages/ray/_private/worker.py", line 2822, in get`,
      `${ray}    values, debugger_breakpoint = worker.get_objects(refs)`,
      `${ray}                                  ^^^^^^^^^^^^^^^^^^^^^^^^`,
      `${ray}  File "/opt/venv/lib/python3.11/site-packages/trinity/explorer/explorer.py", line 9, in run`,
      `${ray}    await step()`,
      `${ray}  File "/data/runs/20261123-070000-abcdef/code/agent.py", line 12, in execute`,
      `${ray}    raise ValueError("no answer")`,
      `${ray}  File "/usr/lib/python3.11/asyncio/tasks.py", line 3, in wait`,
      `${ray}    pass`,
      `${ray}ValueError: no answer`,
      'INFO after',
    ].join('\n');
    expect(folded(text)).toBe(
      [
        'INFO before',
        `${ray}Traceback (most recent call last):`,
        `${ray}  ⋯ 2 frames of ray, trinity`,
        `${ray}  File "/data/runs/20261123-070000-abcdef/code/agent.py", line 12, in execute`,
        `${ray}    raise ValueError("no answer")`,
        `${ray}  ⋯ 1 frame of asyncio`,
        `${ray}ValueError: no answer`,
        'INFO after',
      ].join('\n'),
    );
  });

  it.each(['', '(Explorer pid=4242) '])('are folded in Trinity’s own lines after "%s"', (ray) => {
    const log = `${ray}ERROR 11-23 07:00:01 [explorer.py:312] `;
    const text = [
      `${log}Error in Explorer: Traceback (most recent call last):`,
      `${log}  File "/opt/venv/lib/python3.11/site-packages/trinity/explorer/explorer.py", line 9, in run`,
      `${log}    await step()`,
      `${log}  File "/data/runs/20261123-070000-abcdef/code/agent.py", line 12, in execute`,
      `${log}    raise ValueError("no answer")`,
      `${log}ValueError: no answer`,
    ].join('\n');
    expect(folded(text)).toBe(
      [
        `${log}Error in Explorer: Traceback (most recent call last):`,
        `${log}  ⋯ 1 frame of trinity`,
        `${log}  File "/data/runs/20261123-070000-abcdef/code/agent.py", line 12, in execute`,
        `${log}    raise ValueError("no answer")`,
        `${log}ValueError: no answer`,
      ].join('\n'),
    );
  });

  it('leave other lines as they are', () => {
    const text = ['    indented', '  File is no frame', '', '(pid=1) hello', 'a'.repeat(10_000)].join('\n');
    expect(folded(text)).toBe(text);
  });
});

describe('links of a line', () => {
  const run = '20261123-070000-abcdef';
  const { root } = parseConfig(
    'ajet:\n  rollout:\n    max_env_worker: 4\ntrinity:\n  trainer:\n    total_steps: 5\n',
  );
  const sent = new Map([
    ['agents/math.py', 'agents/math.py'],
    ['math.py', 'agents/math.py'],
    ['main.py', 'main.py'],
  ]);
  const of = (line: string): unknown =>
    logLinks(line, { run, config: root, keys: ajetKeys(), sentFile: (path) => sent.get(path) }).map(
      ({ start, end, target }) => ({ text: line.slice(start, end), target }),
    );

  it('lead to files that were sent', () => {
    expect(
      of(`  File "/home/ann/.agentjet/host/runs/${run}/code/agents/math.py", line 12, in execute`),
    ).toEqual([
      {
        text: `File "/home/ann/.agentjet/host/runs/${run}/code/agents/math.py", line 12`,
        target: { kind: 'file', path: 'agents/math.py', line: 12 },
      },
    ]);
    expect(of('./agents/math.py:7: UserWarning')).toEqual([
      { text: './agents/math.py:7', target: { kind: 'file', path: 'agents/math.py', line: 7 } },
    ]);
    expect(of('File "/etc/passwd", line 1 and other/agents/math.py:7')).toEqual([]);
    expect(of(`File "/x/${run}/code/../../secret.py", line 1`)).toEqual([]);
  });

  it('lead from a package of Ray to the files that were sent in it', () => {
    const place = '/tmp/ray/session_2026-11-23/runtime_resources/working_dir_files/_ray_pkg_0f3a9c';
    expect(of(`(TaskRunner pid=7)   File "${place}/agents/math.py", line 12, in execute`)).toEqual([
      {
        text: `File "${place}/agents/math.py", line 12`,
        target: { kind: 'file', path: 'agents/math.py', line: 12 },
      },
    ]);
    expect(of(`${place}/agents/math.py:7: UserWarning`)).toMatchObject([{ target: { line: 7 } }]);
    expect(of(`File "${place}/../secret.py", line 1 and ${place}/other.py:2`)).toEqual([]);
  });

  it('lead to files that are named without their folder', () => {
    expect(of('WARNING 11-23 07:00:01 [math.py:41] no number; main.py:7, other.py:1')).toEqual([
      { text: 'math.py:41', target: { kind: 'file', path: 'agents/math.py', line: 41 } },
      { text: 'main.py:7', target: { kind: 'file', path: 'main.py', line: 7 } },
    ]);
    expect(of('/elsewhere/main.py:7 other/main.py:7 http://main.py:80')).toEqual([]);
  });

  it('lead to keys that an error names', () => {
    expect(of('ConfigError: ajet.rollout.max_env_worker must be positive')).toEqual([
      {
        text: 'ajet.rollout.max_env_worker',
        target: { kind: 'key', path: ['ajet', 'rollout', 'max_env_worker'] },
      },
    ]);
    expect(of('AssertionError: trainer.total_steps is missing')).toMatchObject([
      { target: { path: ['trinity', 'trainer', 'total_steps'] } },
    ]);
    expect(of('INFO trainer.total_steps is 5')).toEqual([]);
    expect(of('KeyError: torch.nn.functional')).toEqual([]);
  });

  it('lead to the nearest section of a key that is left to a default, or mistyped', () => {
    expect(of('ConfigError: ajet.rollout.temperature must be positive')).toEqual([
      { text: 'ajet.rollout.temperature', target: { kind: 'key', path: ['ajet', 'rollout'] } },
    ]);
    expect(of('ConfigError: ajet.data.train_batch_size is missing')).toMatchObject([
      { target: { path: ['ajet'] } },
    ]);
    expect(of('    full_key: ajet.rollout.temperatur')).toMatchObject([
      { target: { path: ['ajet', 'rollout'] } },
    ]);
    expect(of('    full_key: ajet.rollout.max_env_workers')).toMatchObject([
      { target: { path: ['ajet', 'rollout'] } },
    ]);
    expect(of('Key error: trainer.save_interval')).toMatchObject([
      { target: { path: ['trinity', 'trainer'] } },
    ]);
    // Neither a key nor near one.
    expect(of('KeyError: ajet.rollout.layers')).toEqual([]);
    expect(of('error: torch.nn.functional')).toEqual([]);
  });
});
