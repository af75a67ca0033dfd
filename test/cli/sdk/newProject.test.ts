/** `agentjet new`: what it makes runs as it is. */
import { readdir, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { runCli, runJson } from '../harness/cli.ts';
import { emptyProject, Project } from '../harness/project.ts';
import { typeErrors } from '../harness/example.ts';

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

async function made(
  ...args: readonly string[]
): Promise<{ readonly project: Project; readonly stdout: string }> {
  const parent = await emptyProject();
  const { stdout, stderr, code } = await runCli(parent, ['new', 'my_agent', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { project: new Project(parent.path('my_agent')), stdout };
}

/** What a run gave, green at the first try: every episode trains, and the report has no finding. */
async function greenRun(project: Project): Promise<readonly object[]> {
  const { episodes, report } = await runJson(project, ['--conf', 'my_agent.yaml', '--python', python]);
  expect(report).toMatchObject({ trains: 24, doesNotTrain: 0 });
  expect(report.findings.map(({ code }) => code)).toEqual([]);
  const { stdout } = await runCli(project, ['check', 'my_agent.yaml']);
  expect(stdout).toMatch(/^0 errors, 0 warnings/m);
  return episodes.map(({ taskId, repeat, reward, tokens }) => ({ taskId, repeat, reward, tokens }));
}

describe('agentjet new', () => {
  it('makes a project in Python, which is the default', async () => {
    const { project, stdout } = await made();
    expect(stdout).toBe(`Created my_agent. To run it:

  cd my_agent
  python3 -m pip install -r requirements.txt
  agentjet --conf my_agent.yaml

Or open the folder in VS Code, open my_agent.yaml, and press F5.
`);
    expect((await readdir(project.folder)).sort()).toEqual([
      '.agentjet',
      '.gitignore',
      'README.md',
      'data',
      'judge.py',
      'my_agent.yaml',
      'requirements.txt',
      'workflow.py',
    ]);
    expect(await project.read('workflow.py')).toMatch(
      /class MyAgentWorkflow\(Workflow\):\n {4}name: str = "my_agent"/,
    );
  });

  it('makes a project in TypeScript, in which the editor finds no fault', async () => {
    const { project, stdout } = await made('--typescript');
    expect(stdout).not.toContain('pip');
    expect(await typeErrors(project)).toBe('');
  });

  it('makes what runs at the first try, with one report in both languages', async () => {
    const inPython = await greenRun((await made('--python')).project);
    const inTypeScript = await greenRun((await made('--typescript')).project);
    expect(inPython).toEqual(inTypeScript);
  });

  it('writes over nothing', async () => {
    const parent = await emptyProject();
    await writeFile(parent.path('taken'), 'mine');
    const { stderr, code } = await runCli(parent, ['new', 'taken']);
    expect(code).toBe(2);
    expect(stderr).toBe(`agentjet: The folder ${parent.path('taken')} already exists. [project/already-there]
  Open that folder, or choose another name or parent folder.
`);
    expect(await parent.read('taken')).toBe('mine');
  });

  it.each([
    [['new'], 'agentjet new needs <name>. [cli/usage]'],
    [['new', 'a', 'b'], 'Unexpected argument "b". [cli/usage]'],
    [['new', 'a', '--python', '--typescript'], '--python and --typescript cannot be combined. [cli/usage]'],
    [
      ['new', '../a'],
      '"../a" is not a valid project name. The name must begin with a letter. [project/bad-name]',
    ],
  ])('refuses %j', async (args, message) => {
    const parent = await emptyProject();
    const { stderr, code } = await runCli(parent, args);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `agentjet: ${message}` });
    expect(await readdir(parent.folder)).toEqual([]);
  });
});
