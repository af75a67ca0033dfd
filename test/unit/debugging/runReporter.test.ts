import { describe, expect, it } from 'vitest';
import { RunProgress } from '../../../src/backbone/node/client/runReport.ts';
import type { RunEvent } from '../../../src/backbone/core/protocol/run.ts';
import { RunReporter } from '../../../src/debugging/node/runReporter.ts';

const error = { code: 'model/unreachable', message: 'No server answers.' };

function started(episode: number): RunEvent {
  return { type: 'episode-started', episode, taskId: 'sum', repeat: episode };
}

function ended(episode: number, changes: object = {}): RunEvent {
  const outcome = { reward: 1, isSuccess: true, llmCalls: 1, seconds: 0.1, error: null, ...changes };
  return { type: 'episode-ended', result: { episode, taskId: 'sum', repeat: episode, ...outcome } };
}

function reporter(styled = false) {
  const reported = new RunReporter({ verbose: false, progress: false, styled }, new RunProgress());
  const outputs = (event: RunEvent): object[] =>
    reported.report(event).flatMap(({ event: name, body }) => (name === 'output' ? [body as object] : []));
  return { reported, outputs };
}

describe('RunReporter', () => {
  it('reports an episode in one line, and its start only while it runs', () => {
    const { reported, outputs } = reporter();
    expect(outputs(started(0))).toEqual([]);
    expect(reported.stillRunning({ episode: 0 })).toMatchObject([
      { event: 'output', body: { category: 'stdout', output: 'sum · repeat 0: started\n' } },
    ]);
    expect(outputs(ended(0))).toHaveLength(1);
    expect(reported.stillRunning({ episode: 0 })).toEqual([]);
  });

  it('says only once what an error is', () => {
    const { outputs } = reporter();
    expect(outputs(ended(0, { error }))).toMatchObject([
      { category: 'stderr', output: 'task sum, repeat 0: No server answers. [model/unreachable]\n' },
    ]);
    expect(outputs(ended(1, { error }))).toMatchObject([
      { category: 'stderr', output: 'task sum, repeat 1: the same error as task sum, repeat 0\n' },
    ]);
  });

  it('names options as the editor does', () => {
    const settings = new Set(['endpoint']);
    const options = { verbose: false, progress: false, styled: false, settings };
    const report = { ...error, hint: 'Correct --base-url (launch.json: endpoint.baseUrl).' };
    const [line] = new RunReporter(options, new RunProgress()).report({
      type: 'problem',
      severity: 'error',
      report,
    });
    expect((line?.body as { output: string }).output).toContain("'baseUrl' of 'agentjet.endpoint'");
  });

  it.each([
    [true, { isSuccess: true }, '\u001b[32m'],
    [true, { isSuccess: false }, 'task'],
    [false, { isSuccess: true }, 'task'],
  ])('colors for clients that show styles: %s, %j', (styled, outcome, begin) => {
    const [line] = reporter(styled).outputs(ended(0, outcome)) as { category: string; output: string }[];
    expect(line?.category).toBe('stdout');
    expect(line?.output.startsWith(begin)).toBe(true);
  });
});
