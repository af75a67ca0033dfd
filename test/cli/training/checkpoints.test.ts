/** `agentjet checkpoints` against a scripted Tinker server. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ScriptedTraining } from '../../tools/trainingFolder.ts';
import {
  adapterFiles,
  fileEntry,
  tarOf,
  TinkerServer,
  type TinkerServerOptions,
} from '../../tools/tinkerServer.ts';
import { runCli, startCli, type Outcome } from '../harness/cli.ts';
import { smallProject, type Project } from '../harness/project.ts';

interface Trained {
  readonly server: TinkerServer;
  readonly training: ScriptedTraining;
  readonly project: Project;
  readonly run: (...args: readonly string[]) => Promise<Outcome>;
}

/** An ended training with checkpoints of the steps 1 and 2. */
async function trained(options: TinkerServerOptions = {}): Promise<Trained> {
  const server = await TinkerServer.start(options);
  onTestFinished(() => server.close());
  const project = await smallProject({});
  const training = await ScriptedTraining.open(path.join(project.folder, 'math'), { baseUrl: server.url });
  for (let step = 1; step <= 2; step += 1) {
    await training.step();
    await training.checkpoint();
  }
  await training.save({ status: 'completed' });
  for (const { path: weights, sampler } of training.state.checkpoints) {
    for (const one of [weights, sampler]) server.weights.set(one, { steps: 0, passes: [] });
  }
  return { server, training, project, run: (...args) => runCli(project, ['checkpoints', ...args]) };
}

const stepsIn = ({ training }: Trained): number[] => {
  const text = readFileSync(path.join(training.folder, 'training.json'), 'utf8');
  return (JSON.parse(text) as { checkpoints: { step: number }[] }).checkpoints.map(({ step }) => step);
};

const adapterIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.keys(adapterFiles).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );

describe('the list', () => {
  it('shows what the server has', async () => {
    const { server, run } = await trained({ kind: 'tuft' });
    server.weights.delete('tinker://run-1/weights/step-1');
    server.published.add('tinker://run-1/sampler_weights/step-2');
    const { code, stdout } = await run('math');
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['STEP', 'KIND', 'PATH', 'SAVED', 'SIZE', 'STATE'],
      ['1', 'training', 'tinker://run-1/weights/step-1', '2026-03-04 09:31', 'missing'],
      ['1', 'sampler', 'tinker://run-1/sampler_weights/step-1', '2026-03-04 09:31', '2.5 MB', 'saved'],
      ['2', 'training', 'tinker://run-1/weights/step-2', '2026-03-04 09:32', '2.5 MB', 'saved'],
      ['2', 'sampler', 'tinker://run-1/sampler_weights/step-2', '2026-03-04 09:32', '2.5 MB', 'public'],
    ]);
    expect(JSON.parse((await run('math', '--json')).stdout)).toContainEqual({
      ...{ step: 2, kind: 'sampler', path: 'tinker://run-1/sampler_weights/step-2' },
      ...{ savedAt: expect.any(Number) as number, bytes: 2_500_000, isPublic: true, isOnServer: true },
    });
  });

  it('is that of the training if no server answers', async () => {
    const { run } = await trained();
    const { code, stdout, stderr } = await run('math', '--tinker-url', 'http://127.0.0.1:9');
    expect(code).toBe(0);
    expect(stdout.match(/unknown$/gm)).toHaveLength(4);
    expect(stderr).toContain('[tinker/no-server]');
  });

  it('needs the folder of a training', async () => {
    const { code, stderr } = await (await trained()).run('elsewhere');
    expect([code, stderr]).toEqual([2, expect.stringContaining('[training/no-folder]')]);
  });
});

describe('a download', () => {
  it('has the layout of PEFT', async () => {
    const { run, project } = await trained();
    const { code, stdout } = await run('download', 'math');
    const target = path.join(project.folder, 'checkpoints/math/step-2');
    expect([code, stdout]).toEqual([0, `${target}\n`]);
    expect(adapterIn(target)).toEqual(adapterFiles);

    const again = await run('download', 'math');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('[sync/target-taken]')]);
    const other = await run('download', 'math', '--step', '1', '--to', 'mine', '--json');
    expect(JSON.parse(other.stdout)).toEqual({
      ...{ step: 1, path: 'tinker://run-1/sampler_weights/step-1' },
      target: path.join(project.folder, 'mine/step-1'),
    });
  });

  it('names the steps that there are', async () => {
    const { code, stderr } = await (await trained()).run('download', 'math', '--step', '7');
    expect(code).toBe(2);
    expect(stderr).toContain('no checkpoint of step 7');
    expect(stderr).toContain('Steps with a checkpoint: 1, 2.');
  });

  it('leaves nothing of an archive that is refused', async () => {
    const hostile = () => tarOf([fileEntry('adapter_config.json', '{}'), fileEntry('../../evil', 'x')]);
    const { run, project } = await trained({ archive: hostile });
    const { code, stderr } = await run('download', 'math', '--to', 'mine');
    expect([code, stderr]).toEqual([2, expect.stringContaining('[checkpoint/refused-entry]')]);
    expect(existsSync(path.join(project.folder, 'mine/step-2'))).toBe(false);
    expect(existsSync(path.join(project.folder, 'mine/step-2.part'))).toBe(false);
  });

  it('leaves nothing if it is interrupted', async () => {
    const { server, project } = await trained();
    const archive = await tarOf();
    server.script('training_runs/run-1/checkpoints/step-2/download', {
      ...{ status: 200, body: archive.slice(0, archive.length - 20), hangs: true },
      headers: { 'content-length': String(archive.length) },
    });
    const cli = startCli(project, ['checkpoints', 'download', 'math', '--to', 'mine']);
    await cli.wrote(/Received/);
    cli.child.kill('SIGINT');
    expect((await cli.exited).code).toBe(130);
    expect(readdirSync(path.join(project.folder, 'mine'))).toEqual([]);
  });
});

describe('deleting', () => {
  it('needs a confirmation, and makes the training forget the checkpoint', async () => {
    const all = await trained();
    const { server, run } = all;
    const asked = await run('delete', 'math', '--step', '2');
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(server.weights.size).toBe(4);

    const file = path.join(all.training.folder, 'training.json');
    const ended = statSync(file).mtimeMs;
    const { code } = await run('delete', 'math', '--step', '2', '--yes');
    expect(code).toBe(0);
    // The page shows it as the end of the training.
    expect(statSync(file).mtimeMs).toBeCloseTo(ended, -1);
    expect([...server.weights.keys()]).toEqual([
      'tinker://run-1/weights/step-1',
      'tinker://run-1/sampler_weights/step-1',
    ]);
    expect(stepsIn(all)).toEqual([1]);
    const gone = await run('download', 'math', '--step', '2');
    expect(gone.stderr).toContain('It was deleted. Steps with a checkpoint: 1.');
  });

  it('also forgets what the server no longer has', async () => {
    const all = await trained();
    all.server.weights.clear();
    const { code } = await all.run('delete', 'math', '--step', '1', '--step', '2', '--yes');
    expect([code, stepsIn(all)]).toEqual([0, []]);
  });

  it('is refused while the training is active', async () => {
    const all = await trained();
    await all.training.save({ status: 'running' });
    const { code, stderr } = await all.run('delete', 'math', '--step', '2', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('[checkpoint/training-active]')]);
    expect(stepsIn(all)).toEqual([1, 2]);
  });
});

describe('publishing', () => {
  it('makes the weights of a checkpoint public, and private again', async () => {
    const { server, run } = await trained({ kind: 'tuft' });
    const paths = ['tinker://run-1/weights/step-2', 'tinker://run-1/sampler_weights/step-2'];
    expect((await run('publish', 'math')).stdout).toBe(`${paths.join('\n')}\n`);
    expect([...server.published]).toEqual(paths);
    expect((await run('unpublish', 'math', '--step', '2', '--json')).code).toBe(0);
    expect([...server.published]).toEqual([]);
  });

  it('says what to do where the server cannot', async () => {
    const { code, stderr } = await (await trained()).run('publish', 'math');
    expect(code).toBe(2);
    expect(stderr).toContain('SkyRL 0.4 does not offer this.');
    expect(stderr).toContain('Download the checkpoint, and share its files.');
  });
});

it('asks no other server about the checkpoints of a training on a GPU host', async () => {
  const one = await trained({ kind: 'skyrl' });
  const { server, training, project } = one;
  await training.save({ baseUrl: undefined, tinkerHost: 'box' });
  server.weights.clear();
  const options = { env: { TINKER_BASE_URL: server.url } };
  const removed = await runCli(project, ['checkpoints', 'delete', 'math', '--step', '1', '--yes'], options);
  expect([removed.code, removed.stderr]).toEqual([2, expect.stringContaining('[checkpoint/on-host]')]);
  expect(stepsIn(one)).toEqual([1, 2]);
  expect(server.requests).toEqual([]);
  const listed = await runCli(project, ['checkpoints', 'math'], options);
  expect(listed.stdout).toContain('tinker://run-1/weights/step-2');
  expect(listed.stderr).toContain('agentjet remote serve --host box');
});
