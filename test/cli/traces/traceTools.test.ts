/** `agentjet trace` without a viewer: what it prints of traces, and of what other tools wrote. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../harness/cli.ts';
import { emptyProject } from '../harness/project.ts';

const fixture = (name: string): string => path.join(import.meta.dirname, '../../fixtures/imports', name);

async function trace(...args: string[]) {
  const project = await emptyProject();
  return runCli(project, ['trace', ...args], { env: { AGENTJET_HOME: project.folder } });
}

describe('agentjet trace --summary', () => {
  it('tells what is in a file of another tool, what is not, and what could not be read', async () => {
    const { code, stdout, stderr } = await trace(fixture('trinity-0.4.0.db'), '--summary');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').filter((line) => !line.startsWith('trace:'));
    expect(lines).toEqual([
      'run:       trinity-0.4.0.db, completed',
      `made from: ${fixture('trinity-0.4.0.db')} (Trinity-RFT experiences)`,
      'not in it: LLM calls, successes, texts of tokens, token counts of calls',
      'started:   2026-01-02T03:04:05.000Z',
      'episodes:  6 of 6 ended; 3 tasks',
      'reward:    mean 0.5',
      'success:   unknown',
      'calls:     unknown',
      'timelines: 6',
      'tokens:    68, of which 30 count in the loss',
      'findings:',
      '  warning: All repeats of the task have the same reward, so the task gives no training signal. (2)',
      'could not be read: 1',
      '  row 6 of debug_buffer: its field metrics is left out: it has pathlib.PosixPath, which is not read',
      '',
    ]);
  });

  it('is one JSON document with --json', async () => {
    const { stdout } = await trace(fixture('traces.jsonl'), '--summary', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      experiment: 'sums',
      state: 'completed',
      totals: { ended: 4, failed: 1 },
    });
  });

  it('is of one trace', async () => {
    const outcome = await trace(fixture('traces.jsonl'), fixture('requests.jsonl'), '--summary');
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('Unexpected argument');
  });

  it('says what is none of the formats', async () => {
    const outcome = await trace(path.join(import.meta.dirname, 'traceTools.test.ts'), '--summary', '--json');
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toContain('"import/unknown-format"');
  });
});

describe('agentjet trace --export', () => {
  it('writes the trace in another format, which opens again', async () => {
    const project = await emptyProject();
    const out = project.path('out.otlp.jsonl');
    const env = { AGENTJET_HOME: project.folder };
    const args = ['trace', fixture('rollout.json.log'), '--export', 'otlp', '--out', 'out.otlp.jsonl'];
    const { code, stdout, stderr } = await runCli(project, args, { env });
    expect([code, stdout, stderr]).toEqual([0, '', `exported: ${out}\n`]);
    const again = await runCli(project, ['trace', out, '--summary'], { env });
    expect(again.stdout).toContain('tokens:    164, of which 35 count in the loss');
  });

  it.each([
    [['--export', 'pdf', '--out', 'a'], 'otlp, jsonl, chrome, html'],
    [['--export', 'html'], '--out FILE'],
    [['--export', 'html', '--out', 'a', '--redact', '('], 'not a regular expression'],
  ])('refuses %j', async (args, named) => {
    const { code, stderr } = await trace(fixture('traces.jsonl'), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
  });
});

describe('agentjet trace --query', () => {
  const file = fixture('traces.jsonl');

  it('prints rows as a table and as JSON, blobs as numbers where that is wanted', async () => {
    const sql = 'SELECT taskId, count(*) AS n, avg(reward) AS mean FROM episodes GROUP BY taskId';
    expect((await trace(file, '--query', sql)).stdout).toBe(
      'taskId\tn\tmean\nsum-0\t2\t0.5\nsum-1\t2\t0.25\n',
    );
    const blobs =
      'SELECT int32s(tokenIds), float32s(logprobs), lossMask FROM messageContents WHERE logprobs IS NOT NULL';
    const { stdout } = await trace(file, '--query', blobs, '--json', '--limit', '1');
    expect(JSON.parse(stdout)).toEqual({
      columns: ['int32s(tokenIds)', 'float32s(logprobs)', 'lossMask'],
      rows: [['[6,7,8]', '[null,-0.5,-0.25]', { base64: 'AAEB' }]],
      more: true,
    });
  });

  it.each([
    ['DELETE FROM episodes', 'query/only-reading'],
    ["ATTACH '/etc/passwd' AS a", 'query/only-reading'],
    ['PRAGMA writable_schema = 1', 'query/only-reading'],
    ['WITH a AS (SELECT 1) DELETE FROM episodes', 'query/failed'],
    ['SELECT 1; DELETE FROM episodes', 'query/failed'],
    ['SELECT nothing FROM episodes', 'query/failed'],
  ])('refuses %s', async (sql, code) => {
    const outcome = await trace(file, '--query', sql, '--json');
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toContain(`"${code}"`);
  });

  it('gives up what takes too long', async () => {
    const endless = 'WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a';
    const outcome = await trace(file, '--query', endless, '--timeout', '1', '--json');
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toContain('"cli/timeout"');
  });

  it('shows what would steer a terminal as its code', async () => {
    const { stdout } = await trace(file, '--query', "SELECT char(27) || '[2J' || char(8238) AS a");
    expect(stdout).toBe('a\n\\u001b[2J\\u202e\n');
  });
});

it('refuses what belongs to other uses by name', async () => {
  for (const [args, named] of [
    [[], 'agentjet trace needs <file>.'],
    [['a.ajtrace', 'b.ajtrace'], 'b.ajtrace'],
    [['a.ajtrace', '--port', '65536'], '65536'],
    [['a.ajtrace', '--conf', 'a.yaml'], '--conf'],
  ] as const) {
    const { code, stderr } = await trace(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
  }
});
