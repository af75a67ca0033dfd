/** What is wrong with the command line, the config or the data is told once: what, where, and what to do. */
import { chmod } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { failure, runCli, runJson } from '../harness/cli.ts';
import { emptyProject, exampleProject, smallConfig, smallProject } from '../harness/project.ts';

describe('the command line', () => {
  it.each([
    ['no --conf', []],
    ['a word that belongs to nothing', ['small.yaml']],
    ['an unknown flag', ['--conf', 'small.yaml', '--tsaks', '3']],
    ['a flag without its value', ['--conf']],
    ['a number that is none', ['--conf', 'small.yaml', '--tasks', 'many']],
    ['no tasks at all', ['--conf', 'small.yaml', '--tasks', '0']],
    ['a negative time limit', ['--conf', 'small.yaml', '--episode-timeout=-1']],
    ['an unknown split', ['--conf', 'small.yaml', '--split', 'test']],
    ['an unknown model', ['--conf', 'small.yaml', '--model', 'gpt']],
    ['a script model without its file', ['--conf', 'small.yaml', '--model', 'script']],
    ['an endpoint without its address', ['--conf', 'small.yaml', '--model', 'endpoint']],
    [
      'an address that is none',
      ['--conf', 'small.yaml', '--model', 'endpoint', '--base-url', 'localhost:80/v1', '--model-name', 'm'],
    ],
    ['a training backbone', ['--conf', 'small.yaml', '--backbone', 'trinity']],
    ['no backbone of anyone', ['--conf', 'small.yaml', '--backbone', 'ray']],
    ['a flag of training', ['--conf', 'small.yaml', '--with-ray']],
    ['a service of training', ['--conf', 'small.yaml', '--with-appworld']],
    ['breakpoints of training', ['--conf', 'small.yaml', '--db', 'tag1|tag2']],
    ['a config that is not there', ['--conf', 'none.yaml']],
    ['a folder for a config', ['--conf', '.']],
    ['a runtime that is not there', ['--conf', 'small.yaml', '--runtime', './no-node']],
    ['a script model that is not there', ['--conf', 'small.yaml', '--model', 'script', '--script', 'no.ts']],
  ])('%s', async (_, args) => {
    const project = await smallProject();
    // With no host that the user of this machine has added.
    const env = { AGENTJET_HOME: project.folder, AGENTJET_HOST: undefined };
    expect(await failure(project, args, { env })).toMatchSnapshot();
  });

  it('a runtime that is too old', async () => {
    const project = await smallProject({
      'old-node': '#!/bin/sh\necho \'{"version":"20.1.0","features":{}}\'\n',
    });
    await chmod(project.path('old-node'), 0o755);
    expect(await failure(project, ['--conf', 'small.yaml', '--runtime', './old-node'])).toMatchSnapshot();
  });
});

describe('the config', () => {
  it.each([
    ['empty', ''],
    ['without a section ajet', 'trainer:\n  gpus: 8\n'],
    ['not YAML', smallConfig.replace('num_repeat: 1', 'num_repeat: [1, 2')],
    ['a tab for indentation', 'ajet:\n\trollout: {}\n'],
    ['a list for a section', 'ajet:\n  rollout: [1]\n'],
    ['a text for a number', smallConfig.replace('num_repeat: 1', 'num_repeat: often')],
    ['no repeat', smallConfig.replace('num_repeat: 1', 'num_repeat: 0')],
    ['nothing at a time', smallConfig.replace('ajet:', 'ajet:\n  debug:\n    debug_max_parallel: 0')],
    ['no workflow', smallConfig.replace(/ {4}user_workflow: .*\n/, '')],
    ['a workflow without a class', smallConfig.replace('->Small', '')],
    ['a workflow that is not there', smallConfig.replace('workflow.ts', 'none.ts')],
    ['a Python workflow that is not there', smallConfig.replace('workflow.ts', 'workflow.py')],
    [
      'a task reader without its data set',
      // The default is an id of the hub's, which no test asks.
      smallConfig.replace(
        'jsonl_dataset_file\n',
        'huggingface_dat_repo\n    huggingface_dat_repo: { dataset_path: ./nowhere }\n',
      ),
    ],
    ['a task reader of nobody', smallConfig.replace('jsonl_dataset_file\n', 'csv\n')],
    ['data that is not there', smallConfig.replace('tasks.jsonl', 'none.jsonl')],
    ['a folder for data', smallConfig.replace('tasks.jsonl', '.')],
    ['a variable that is not set', smallConfig.replace('tasks.jsonl', '${oc.env:NO_SUCH_VARIABLE}')],
  ])('%s', async (_, text) => {
    const project = await smallProject({ 'small.yaml': text });
    expect(await failure(project, ['--conf', 'small.yaml'])).toMatchSnapshot();
  });
});

describe('the data', () => {
  const row = '{"task_id": "t1", "main_query": "What is 1 + 1?"}\n';

  it.each([
    ['empty', '', []],
    ['a broken line', `${row}\n{"task_id": "t2", \n`, []],
    ['a line that is no object', `${row}[1]\n`, []],
    ['an id that is no text', `${row}{"task_id": 2, "main_query": "x"}\n`, []],
    ['no row with the id asked for', row, ['--task-id', 't1', '--task-id', 't9']],
  ])('%s', async (_, text, args) => {
    const project = await smallProject({ 'tasks.jsonl': text });
    expect(await failure(project, ['--conf', 'small.yaml', ...args])).toMatchSnapshot();
  });
});

describe('the folder of the run', () => {
  it('a file in its place', async () => {
    const project = await smallProject({ taken: '' });
    expect(await failure(project, ['--conf', 'small.yaml', '--exp-dir', 'taken'])).toMatchSnapshot();
  });

  it('no right to write', async () => {
    // To root, every folder is writable but this one.
    const expDir = process.platform === 'linux' ? '/proc/results' : '/results';
    const project = await smallProject();
    expect(await failure(project, ['--conf', 'small.yaml', '--exp-dir', expDir])).toMatchSnapshot();
  });
});

it.each([
  ['before the run', ['--conf', 'none.yaml'], 'cli/no-config'],
  ['of the command line', ['--tsaks'], 'cli/usage'],
  ['of the run', ['--conf', 'small.yaml', '--task-id', 't9'], 'task-reader/unknown-task-id'],
])('prints an error %s as a document with --json', async (_, args, code) => {
  const outcome = await runJson(await smallProject(), args);
  expect(outcome).toMatchObject({ code: 2, episodes: [], groups: [], error: { code } });
});

it('says with --verbose what it does and where errors come from', async () => {
  const project = await smallProject();
  const { stderr } = await runCli(project, ['--conf', 'none.yaml', '--verbose']);
  expect(stderr).toMatch(/\[cli\/no-config\][^]*\n {4}at /);
});

it('says how it is used', async () => {
  const help = await runCli(await emptyProject(), ['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('--episode-timeout');
  const version = await runCli(await emptyProject(), ['--version']);
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('runs a config that a tutorial shows, outside any clone, without a word of complaint', async () => {
  const project = await exampleProject();
  const { code, stderr } = await runCli(project, ['--conf', 'math_agent.yaml', '--tasks', '1']);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/^(?:warning|error|agentjet):/m);
});
