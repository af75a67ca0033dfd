/** A TypeScript workflow and judge train: in real Node processes beside a real Python, from `agentjet remote run` on. */
import { spawn } from 'node:child_process';
import { chmod, copyFile, cp } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { createBuiltInModel } from '../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import { createGateway, type Gateway } from '../../../src/backbone/core/model-tuner/gateway.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { startModelServer } from '../../../src/backbone/node/model-tuner/modelServer.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { emptyProject, smallWorkflow } from '../harness/project.ts';
import { gpuMachine, type GpuMachine } from './gpuHost.ts';

const example = path.resolve(import.meta.dirname, '../../../media/examples/math_agent');
const driver = path.join(import.meta.dirname, 'bridgeEpisodes.py');

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

const trouble = `import OpenAI from './openai.ts';
import { type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { MathAgentWorkflow } from './workflow.ts';
enum Ask { Throw = 'throw', Kill = 'kill', Hang = 'hang', Key = 'key', Endless = 'endless', Tell = 'tell' }
export class Trouble extends MathAgentWorkflow {
  override trainableTargets = ['math', 'default_target_tag'];
  override async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const query: string = workflowTask.task.main_query;
    console.log('{"type": "done", "id": 1}');
    process.stdout.write('no end of line ');
    if (query === Ask.Throw) throw new TypeError('not like that');
    if (query === 'beside') besideIsHere();
    if (query === Ask.Kill) {
      // One that comes later has a process of its own.
      await beside;
      process.kill(process.pid, 'SIGKILL');
    }
    if (query === Ask.Endless) {
      void workflowTask.gymEnv.step({ role: 'assistant', content: 'go' });
      for (;;);
    }
    if (query === Ask.Hang) await workflowTask.gymEnv.step({ role: 'assistant', content: 'go' });
    if (query === Ask.Hang || query === Ask.Kill || query === 'beside') await new Promise(() => undefined);
    if (query === 'late') return { reward: 1 };
    if (query === Ask.Key) {
      const { baseUrl, apiKey } = tuner.asOaiBaseUrlApiKey({ agentName: 'own' });
      const key = JSON.parse(atob(apiKey.replace('sk-ajet-', '')));
      const other = await tuner.asChatModel({ targetTag: 'other' })([{ role: 'user', content: 'Hello' }]);
      return { reward: 2, metadata: { baseUrl, key, said: other.content.length > 0 } };
    }
    if (query === Ask.Tell) {
      const step = await workflowTask.gymEnv.step({ role: 'assistant', content: 'left' });
      const { contextOverflow } = tuner.getContextTracker();
      const logMetrics = { n: 1, text: 'no', list: [1, 2] };
      return { reward: 0.25, metadata: { step, contextOverflow, config: tuner.config }, logMetrics };
    }
    const output = await super.execute(workflowTask, tuner);
    return { ...output, metadata: { ...output.metadata, pid: process.pid } };
  }
}
let besideIsHere = (): void => undefined;
const beside = new Promise<void>((resolve) => (besideIsHere = resolve));
function seen(target: unknown, _: unknown): void {}
class Decorated { @seen method(): void {} }
export const used = [OpenAI, Decorated];
`;

interface Told {
  readonly query: string;
  readonly error?: string;
  readonly reward?: number;
  readonly success?: boolean;
  readonly [more: string]: unknown;
}

/** The gateway of the debug backbone, with its embedded model, for the episodes that the driver numbers. */
async function models(
  waves: readonly string[],
): Promise<{ readonly baseUrl: string; readonly gateway: Gateway }> {
  const gateway = createGateway({
    model: createBuiltInModel({ seed: 7 }),
    debugModel: () => Promise.reject(new Error('There is none.')),
    sampling: { temperature: 0, topP: 1, maxTokens: 400 },
    seed: 7,
    clock: systemClock,
    logger: { log: () => undefined },
    observer: { onCall: () => undefined },
  });
  const server = await startModelServer(gateway.handle);
  onTestFinished(() => server.close());
  for (const [at, wave] of waves.entries()) {
    for (const index of wave.split('&').keys()) {
      const episodeUuid = at.toString(16).padStart(16, '0') + index.toString(16).padStart(16, '0');
      gateway.openEpisode({ episodeUuid, episode: at * 100 + index, seed: 7, address: server.baseUrl });
    }
  }
  return { baseUrl: server.baseUrl, gateway };
}

/** A machine whose launcher runs the driver; the user's folder is the example's. */
async function trainer(waves: readonly string[]): Promise<{ machine: GpuMachine; baseUrl: string }> {
  const machine = await gpuMachine();
  const { baseUrl } = await models(waves);
  const pythonFolder = path.join(inject('dist'), 'python');
  await cp(example, machine.project.folder, { recursive: true });
  await machine.script([{ do: 'program', command: python, args: [driver, pythonFolder, baseUrl, ...waves] }]);
  const ajet = machine.folder.path('ajet');
  await copyFile(machine.folder.path('trinity'), ajet);
  await chmod(ajet, 0o755);
  await machine.add('box', await machine.host(['--listen', '127.0.0.1:0', '--launcher', `ajet=${ajet}`]));
  return { machine, baseUrl };
}

const question =
  'Mira picked 14 plums in the morning and 9 more in the afternoon. She gave 6 of them away. What is 14 + 9 - 6?';

describe.skipIf(process.platform === 'win32')('a TypeScript workflow in training', () => {
  test('runs with its judge, many episodes at a time, and outlives what goes wrong in one', async () => {
    const waves = [
      [question, question, question, question, 'throw', 'key', 'tell', 'hang'].join('&'),
      question,
      'kill&beside',
      'late',
      question,
      'endless',
      question,
    ];
    const { machine, baseUrl } = await trainer(waves);
    const { project } = machine;
    await project.write({ 'trouble.ts': trouble, 'openai.ts': "export { default } from 'openai-like';\n" });
    await project.edit('math_agent.yaml', 'workflow.ts->MathAgentWorkflow', 'trouble.ts->Trouble');
    await project.write({
      'node_modules/openai-like/package.json': '{"name": "openai-like", "main": "index.js"}',
      'node_modules/openai-like/index.js': 'module.exports = { like: true };',
    });
    const before = await project.read('math_agent.yaml');
    const run = [
      'run',
      '--conf',
      'math_agent.yaml',
      '--backbone',
      'trinity',
      '--force',
      '--gpus',
      '0',
      '--follow',
    ];
    const warned = await machine.remote([...run, '--dry-run']);
    expect(warned.stderr).toContain('The workflow imports `openai-like`, which is not sent');
    await project.write({ '.agentjetignore': '!node_modules/\n' });
    const { code, stdout, stderr } = await machine.remote(run);
    expect(code, stdout + stderr).toBe(0);
    expect(stderr).not.toContain('openai-like');
    expect(await project.read('math_agent.yaml')).toBe(before);
    const told = stdout
      .split('\n')
      .flatMap((line) => /\{"query".*\}$/.exec(line)?.[0] ?? [])
      .map((line) => JSON.parse(line) as Told);
    const of = (query: string): Told[] => told.filter((one) => one.query === query);
    const solved = of(question);
    expect(solved).toHaveLength(7);
    for (const one of solved)
      expect(one).toMatchObject({ reward: 1, success: true, pid: expect.any(Number) as number });
    // The cancelled one had its process go on; the killed one and the endless one each cost theirs.
    const pids = solved.map(({ pid }) => pid);
    expect(pids.map((pid) => [...new Set(pids)].indexOf(pid))).toEqual([0, 0, 0, 0, 0, 1, 2]);
    const [thrown] = of('throw');
    expect(thrown?.error).toMatch(/trouble\.ts:11:36: not like that \[bridge\/threw\]\n/);
    expect(thrown?.error).toMatch(/TypeError: not like that\n\s+at Trouble\.execute \(.*trouble\.ts:11:36\)/);
    for (const query of ['hang', 'late', 'endless'])
      expect(of(query)).toMatchObject([{ error: 'cancelled' }]);
    expect(of('key')).toMatchObject([
      { reward: 2, said: true, baseUrl, key: { agent_name: 'own', episode_address: baseUrl } },
    ]);
    expect(of('tell')).toMatchObject([
      {
        step: { obs: 'left, seen', reward: 0.5, terminate: false, info: { n: 1 } },
        contextOverflow: false,
        config: { ajet: { rollout: { max_model_len: 512 } }, own: { colour: 'blue' } },
        log: { n: 1, list: [1, 2] },
      },
    ]);
    for (const query of ['kill', 'beside']) {
      expect(of(query)[0]?.error).toContain('ended by SIGKILL. [bridge/node-ended]');
    }
    expect(stdout).toContain('no end of line');
  });

  test('ends with its Python, and tells what keeps it from starting', async () => {
    const project = await emptyProject();
    const dist = inject('dist');
    await cp(path.join(dist, 'python/agentjet_bridge'), project.path('agentjet_bridge'), { recursive: true });
    for (const name of ['bridge.mjs', 'sdk.mjs']) {
      await copyFile(path.join(dist, name), project.path(`agentjet_bridge/${name}`));
    }
    const body = 'console.log(`pid ${process.pid}`); return new Promise(() => {});';
    const old = project.path('old');
    await project.write({ 'workflow.ts': smallWorkflow(body), old: '#!/bin/sh\necho 18.20.4\n' });
    await chmod(old, 0o755);
    const start = async (name: string, node: string) => {
      const named = { workflow: { file: 'workflow.ts', name }, judge: null };
      await project.write({ 'agentjet_bridge/named.json': JSON.stringify(named) });
      return spawn(python, [driver, path.join(dist, 'python'), 'http://127.0.0.1:1/v1', 'one'], {
        cwd: project.folder,
        env: { ...process.env, AGENTJET_NODE: node },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    };
    const failure = async (name: string, node: string): Promise<string> => {
      const lines: unknown[] = await (await start(name, node)).stdout.setEncoding('utf8').toArray();
      return (JSON.parse(lines.join('')) as Told).error ?? '';
    };
    expect(await failure('Small', '/nowhere/node')).toMatch(/\/nowhere\/node.* \[bridge\/node\]/);
    expect(await failure('Small', old)).toMatch(/old is 18\.20\.4\. \[bridge\/node\]\n.*AGENTJET_NODE/);
    expect(await failure('Other', process.execPath)).toMatch(
      /Other; it exports Small\. \[loader\/no-such-export\]/,
    );

    const trainer = await start('Small', process.execPath);
    let pid = 0;
    for await (const line of createInterface(trainer.stdout)) {
      pid = Number(/^pid (\d+)$/.exec(line)?.[1]);
      break;
    }
    trainer.kill('SIGKILL');
    const isThere = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await vi.waitFor(() => expect(isThere()).toBe(false), { timeout: 30_000, interval: 20 });
  });
});
