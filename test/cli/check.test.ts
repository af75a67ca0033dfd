/** `agentjet check` as the built program: what it prints and where, and its exit codes. */
import { describe, expect, it } from 'vitest';
import { runCli } from './harness/cli.ts';
import { smallProject } from './harness/project.ts';

describe('agentjet check', () => {
  it('gives one JSON document on stdout, and 1 for an error', async () => {
    const project = await smallProject({ 'wrong.yaml': 'ajet:\n  rollout: {num_repeat: "4"}\n' });
    const { code, stdout, stderr } = await runCli(project, ['check', 'wrong.yaml', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        file: 'wrong.yaml',
        dialect: 'ajet',
        diagnostics: [{ line: 2, severity: 'error', rule: 'wrong-type' }],
      },
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  it('finds nothing wrong with a config that runs, its workflow included', async () => {
    const { code, stdout } = await runCli(await smallProject(), ['check', 'small.yaml']);
    expect(stdout).not.toContain('locator-target');
    expect(stdout).toMatch(/^0 errors, /m);
    expect(code).toBe(0);
  });

  it('ends with 2 when it is used wrongly or finds no file', async () => {
    const project = await smallProject();
    expect((await runCli(project, ['check'])).code).toBe(2);
    const { code, stderr } = await runCli(project, ['check', 'none.yaml']);
    expect(stderr).toContain('[cli/no-file]');
    expect(code).toBe(2);
  });
});
