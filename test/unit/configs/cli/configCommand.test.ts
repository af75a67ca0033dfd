import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../../command/commandLines.ts';

const experiment = `ajet:
  project_name: p
  experiment_name: e
  model: {path: /m}
  data: {train_batch_size: 8}
  rollout: {num_repeat: 4, n_vllm_engine: 2, multi_turn: {expected_steps: 2}}
trinity:
  synchronizer: {sync_offset: 1}
hydra:
  searchpath: [file://layers]
defaults: [ajet_default, _self_]
`;

let cwd = '';

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'agentjet-config-'));
  await mkdir(path.join(cwd, 'conf'));
  const files: Record<string, string> = {
    'conf/exp.yaml': experiment,
    'conf/more.yaml': experiment.replace('num_repeat: 4', 'num_repeat: 8'),
    'conf/null.yaml': experiment.replace('path: /m', 'path: null'),
    'conf/trinity.yaml': 'mode: both\nmodel: {model_path: /m}\nbuffer: {batch_size: 4}\nexplorer: {}\n',
    'conf/secret.yaml': experiment.replace('project_name: p', 'project_name: ${oc.env:RUN_TOKEN}'),
    'conf/old.yaml': 'astuner:\n  project_name: p\n',
    'other.yaml': 'a: 1\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), text);
});

afterAll(() => rm(cwd, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runHere(['config', ...args], {
    stdout: { write: (text) => void (out += text), colour: false },
    stderr: { write: (text) => void (err += text), colour: false },
    readStdin: () => Promise.resolve(experiment),
    cwd,
    env: { RUN_TOKEN: 'secret' },
  });
  return { code, out, err };
}

describe('agentjet config', () => {
  it('prints what a config comes to, with its defaults', async () => {
    const { code, out } = await run('conf/exp.yaml');
    expect(code).toBe(0);
    expect(out).toContain('  project_name: p\n');
    expect(out).toMatch(/^ {4}max_env_worker: \d+$/m);
    expect((await run('-')).out).toBe(out);
  });

  it('shows no secret of the environment', async () => {
    const { out } = await run('conf/secret.yaml');
    expect(out).toContain('project_name: "***"');
    expect(out).not.toContain('secret\n');
  });

  it('converts, and tells where values come from', async () => {
    const { code, out } = await run('conf/exp.yaml', '--to', 'trinity', '--origin');
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}train_batch_size: 66 +# rule: 8 \* 4 \* 2 = 64, raised to 66/m);
    expect(out).toMatch(/^ {2}sync_offset: 1 +# conf\/exp\.yaml:8$/m);
    expect(out).not.toMatch(/^ajet:/m);
  });

  it('prints JSON, with origins beside the config', async () => {
    const { out } = await run('conf/exp.yaml', '--to', 'verl', '--origin', '--format', 'json');
    const { config, origins } = JSON.parse(out) as {
      config: { data: Record<string, unknown> };
      origins: Record<string, string>;
    };
    expect(config.data['train_batch_size']).toBe(8);
    expect(origins['data.train_batch_size']).toBe('ajet.data.train_batch_size, conf/exp.yaml:5');
  });

  it('says what training would stop at, and ends with 1', async () => {
    const { code, err } = await run('conf/null.yaml', '--to', 'verl');
    expect(code).toBe(1);
    expect(err).toContain('`ajet.model.path` is null, but the launcher needs it');
    expect(err).toContain('error: ');
  });

  it('takes a config of Trinity as it is, and converts none', async () => {
    expect((await run('conf/trinity.yaml')).out).toContain('  batch_size: 4\n');
    expect((await run('conf/trinity.yaml', '--to', 'trinity')).out).toContain('  batch_size: 4\n');
    await expect(run('conf/trinity.yaml', '--to', 'verl')).rejects.toMatchObject({
      code: 'cli/usage',
      message: '--to verl does not apply to conf/trinity.yaml.',
    });
    await expect(run('conf/old.yaml', '--to', 'verl')).rejects.toMatchObject({
      hint: expect.stringContaining('Migrate') as string,
    });
  });

  it('leads from a key of the backbone to the lines it is made of', async () => {
    const { out } = await run('conf/exp.yaml', '--to', 'trinity', '--key', 'repeat_times');
    expect(out).toBe('algorithm.repeat_times: 4 from ajet.rollout.num_repeat (conf/exp.yaml:6)\n');
    await expect(run('conf/exp.yaml', '--key', 'x')).rejects.toMatchObject({ code: 'cli/usage' });
    await expect(run('conf/exp.yaml', '--to', 'verl', '--key', 'nothing')).rejects.toMatchObject({
      message: 'The config for verl has no key nothing.',
    });
  });

  it.each([
    [[], 'agentjet config needs <file>.'],
    [['a.yaml', 'b.yaml'], 'Unexpected argument "b.yaml".'],
    [['nowhere.yaml'], 'nowhere.yaml does not exist.'],
    [['other.yaml'], 'other.yaml is not a config of AgentJet, ASTuner or Trinity-RFT.'],
    [['conf/exp.yaml', '--to', 'x'], '--to cannot be x.'],
    [['conf/exp.yaml', '--colour'], 'Unknown option --colour.'],
    [['diff', 'conf/exp.yaml'], 'agentjet config diff needs <b>.'],
    [
      ['diff', 'conf/exp.yaml', 'conf/trinity.yaml'],
      'conf/exp.yaml is for ajet and conf/trinity.yaml for trinity.',
    ],
  ])('refuses %j with a word on what to do', async (args, message) => {
    await expect(run(...args)).rejects.toMatchObject({
      code: expect.stringMatching(/^cli\//) as string,
      message: expect.stringContaining(message) as string,
      hint: expect.stringMatching(/\w/) as string,
    });
  });

  it('explains itself', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: agentjet config <file>/);
  });
});

describe('agentjet config diff', () => {
  it('compares by effective value', async () => {
    const { code, out } = await run('diff', 'conf/exp.yaml', 'conf/more.yaml');
    expect(code).toBe(0);
    expect(out).toBe('~ ajet.rollout.num_repeat: 4 -> 8  # conf/exp.yaml:6 -> conf/more.yaml:6\n');
    expect((await run('diff', 'conf/exp.yaml', '-')).out).toBe('');
  });

  it('compares what a backbone would get', async () => {
    const { out } = await run(
      'diff',
      'conf/exp.yaml',
      'conf/more.yaml',
      '--to',
      'trinity',
      '--format',
      'json',
    );
    expect(JSON.parse(out)).toMatchObject([
      { kind: 'changed', path: 'algorithm.repeat_times', before: 4, after: 8 },
      { kind: 'changed', path: 'buffer.train_batch_size', before: 66, after: 132 },
    ]);
  });
});
