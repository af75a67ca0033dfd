/** `agentjet config` and `agentjet schema` as the built program. */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli, startCli } from '../harness/cli.ts';
import { emptyProject, smallConfig, smallProject } from '../harness/project.ts';

const variant = smallConfig.replace('num_repeat: 1', 'num_repeat: 8');
const trinity =
  'mode: both\nmodel: {model_path: /m}\nbuffer: {batch_size: 4}\nexplorer: {}\ncluster: {node_num: 1}\n';

describe('agentjet config', () => {
  it('prints what a config comes to, as YAML that says the same again', async () => {
    const project = await smallProject();
    const { code, stdout, stderr } = await runCli(project, ['config', 'small.yaml']);
    expect(parse(stdout)).toMatchObject({ ajet: { experiment_name: 'small', rollout: { num_repeat: 1 } } });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    await project.write({ 'again.yaml': stdout });
    expect((await runCli(project, ['config', 'diff', 'small.yaml', 'again.yaml'])).stdout).toBe('');
  });

  it('gives the same values as JSON, with their origins beside them', async () => {
    const project = await smallProject();
    const yaml = await runCli(project, ['config', 'small.yaml', '--to', 'verl']);
    const json = await runCli(project, [
      'config',
      'small.yaml',
      '--to',
      'verl',
      '--origin',
      '--format',
      'json',
    ]);
    const { config, origins } = JSON.parse(json.stdout) as {
      config: unknown;
      origins: Record<string, string>;
    };
    expect(config).toEqual(parse(yaml.stdout));
    expect(origins['ajet.rollout.num_repeat']).toBe('small.yaml:10');
    expect(new Set(Object.values(origins).map((origin) => typeof origin))).toEqual(new Set(['string']));
  });

  it('tells each origin behind its value, and where a key of the backbone comes from', async () => {
    const project = await smallProject();
    const { stdout } = await runCli(project, ['config', 'small.yaml', '--to', 'trinity', '--origin']);
    expect(stdout).toMatch(/^ {2}repeat_times: 1 +# ajet\.rollout\.num_repeat, small\.yaml:10$/m);
    const key = await runCli(project, ['config', 'small.yaml', '--to', 'trinity', '--key', 'repeat_times']);
    expect(key.stdout).toBe('algorithm.repeat_times: 1 from ajet.rollout.num_repeat (small.yaml:10)\n');
  });

  it('compares by value, with what is piped in as well', async () => {
    const project = await smallProject({ 'variant.yaml': `# another comment\n${variant}` });
    const { code, stdout } = await runCli(project, ['config', 'diff', 'small.yaml', 'variant.yaml']);
    expect(stdout).toBe('~ ajet.rollout.num_repeat: 1 -> 8  # small.yaml:10 -> variant.yaml:11\n');
    expect(code).toBe(0);
    const args = ['config', 'diff', 'small.yaml', '-', '--to', 'trinity', '--format', 'json'];
    const piped = await runCli(project, args, { input: variant });
    const changes = JSON.parse(piped.stdout) as readonly { path: string }[];
    expect(changes).toContainEqual(
      expect.objectContaining({ kind: 'changed', path: 'algorithm.repeat_times', before: 1, after: 8 }),
    );
  });

  it('ends with 1 where training would not start, and tells each reason once', async () => {
    const project = await smallProject({ 'broken.yaml': `${smallConfig}extra: [1\nother: \${nowhere}\n` });
    const { code, stderr } = await runCli(project, ['config', 'broken.yaml']);
    const told = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told).size).toBe(told.length);
    expect(code).toBe(1);
  });

  it('tells no more reasons than anybody reads', async () => {
    const keys = Array.from({ length: 100 }, (_, index) => `  k${index}: \${nowhere.k${index}}\n`).join('');
    const project = await smallProject({ 'broken.yaml': `ajet:\n${keys}` });
    const { code, stderr } = await runCli(project, ['config', 'broken.yaml']);
    expect(stderr.split('\n').length).toBeLessThan(60);
    expect(stderr).toMatch(/^\d+ more problems are not shown\. Run agentjet check to see all\.$/m);
    expect(code).toBe(1);
  });

  it.each([
    [['config'], 'agentjet config needs <file>.', 'cli/usage'],
    [['config', 'gone.yaml'], 'gone.yaml does not exist.', 'cli/no-config'],
    [['config', 'tasks.jsonl'], 'tasks.jsonl is not a config of AgentJet', 'cli/no-config'],
    [['config', '.'], '.: It cannot be read: ', 'cli/unreadable'],
    [['config', 'small.yaml', '--to', 'x'], '--to cannot be x.', 'cli/usage'],
    [['config', 'small.yaml', '--key', 'x'], '--key needs a backbone.', 'cli/usage'],
    [['config', 'trinity.yaml', '--to', 'verl'], '--to verl does not apply to trinity.yaml.', 'cli/usage'],
    [['config', 'small.yaml', '--orgin'], 'Did you mean --origin?', 'cli/usage'],
    [['config', 'diff', 'small.yaml'], 'agentjet config diff needs <b>.', 'cli/usage'],
    [['schema'], 'agentjet schema needs <format>.', 'cli/usage'],
    [['schema', 'verl'], 'The format verl does not exist.', 'cli/usage'],
  ])('refuses %j', async (args, message, code) => {
    const outcome = await runCli(await smallProject({ 'trinity.yaml': trinity }), args);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toContain(`[${code}]`);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
  });

  it('says nothing when its reader goes early', async () => {
    const run = startCli(await smallProject(), ['config', 'small.yaml', '--origin']);
    run.child.stdout.destroy();
    expect(await run.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('agentjet schema', () => {
  it.each([
    ['ajet', smallConfig, 'ajet: {rollout: {num_repeat: [4]}}'],
    ['astuner', 'astuner: {rollout: {num_repeat: 4}}', 'astuner: {rollout: {num_repeat: [4]}}'],
    ['trinity', trinity, 'mode: both\nbuffer: {batch_size: many}\n'],
  ])('prints one of %s that takes what is right and refuses what is wrong', async (name, right, wrong) => {
    const { code, stdout, stderr } = await runCli(await emptyProject(), ['schema', name]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const schema = JSON.parse(stdout) as object;
    const ajv = new Ajv({ allErrors: true, strict: false });
    expect(ajv.validateSchema(schema)).toBe(true);
    const validate = ajv.compile(schema);
    validate(parse(right));
    expect(validate.errors ?? []).toEqual([]);
    expect(validate(parse(wrong))).toBe(false);
  });
});
