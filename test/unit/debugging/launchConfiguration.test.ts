import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { resolveLaunch, withSettings } from '../../../src/debugging/node/launchConfiguration.ts';
import type { RunContext } from '../../../src/backbone/node/options/resolveRun.ts';

const root = path.resolve('/project');
const at = (...parts: string[]): string => path.join(root, ...parts);

/** A disk with these files, an environment with these variables. */
function context(files: Record<string, string> = {}): RunContext {
  const disk = new Map(
    Object.entries({ 'agent.yaml': '', ...files }).map(([name, text]) => [at(name), text]),
  );
  return {
    files: {
      exists: (file) => Promise.resolve(file === root || disk.has(file)),
      readText: (file) => Promise.resolve(disk.get(file)),
    },
    environment: { KEY: 'from the environment', EMPTY: '' },
    savedApiKey: (baseUrl) => Promise.resolve(baseUrl === 'https://host/v1' ? 'saved' : undefined),
  };
}

const config = at('agent.yaml');
const mathJudge = 'judge_protocol: tutorial.example_math_agent.math_answer_as_judge->MathAnswerAsJudge';
const endpoint = { baseUrl: 'https://host/v1', model: 'm' };

async function failure(configuration: Record<string, unknown>): Promise<string> {
  try {
    await resolveLaunch(configuration, context());
  } catch (error) {
    if (error instanceof CodedError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no failure';
}

describe('resolveLaunch', () => {
  it('finds the saved key of a Tinker server, and no other key for it', async () => {
    const savedTinkerKey = (baseUrl: string) =>
      Promise.resolve(baseUrl === 'https://tinker' ? 'own' : undefined);
    const ports = { ...context(), savedTinkerKey };
    const of = async (options: object) => (await resolveLaunch({ config, ...options }, ports)).spec.request;
    const known = { tinkerUrl: 'https://tinker' };
    expect((await of({ backbone: 'tinker', ...known })).train).toEqual({
      baseUrl: 'https://tinker',
      apiKey: 'own',
    });
    expect((await of({ backbone: 'tinker', tinkerUrl: 'https://host/v1' })).train).not.toHaveProperty(
      'apiKey',
    );
    const checkpoint = 'tinker://a/sampler_weights/1';
    expect((await of({ checkpoint, ...known })).model).toMatchObject({ path: checkpoint, apiKey: 'own' });
  });

  it('leaves to the config what the attributes leave open', async () => {
    const { spec, verbose, jsDebug } = await resolveLaunch({ config }, context());
    expect(spec).toEqual({
      request: {
        protocol: 1,
        config,
        cwd: root,
        model: { kind: 'embedded' },
        python: { debug: true },
        split: 'training',
        parallel: 1,
        allowEnvironment: true,
        failFast: true,
      },
      inspect: true,
      env: {},
      runtimeExecutable: undefined,
      runtimeArgs: [],
    });
    expect({ verbose, jsDebug }).toEqual({ verbose: false, jsDebug: {} });
  });

  it.each([
    ['a workflow in Python', 'user_workflow: agent.py->A', '', false],
    ['one in a module', 'user_workflow: pkg.agent->A', '', false],
    ['one that AgentJet’s own judge scores', 'user_workflow: a.py->A', mathJudge, false],
    ['a judge in TypeScript', 'user_workflow: a.py->A', 'judge_protocol: j.ts->J', true],
    ['a workflow in TypeScript', 'user_workflow: a.ts->A', 'judge_protocol: j.py->J', true],
  ])('starts the JavaScript debugger only for JavaScript: %s', async (_, workflow, judge, inspect) => {
    const text = `ajet:\n  rollout:\n    ${workflow}\n  task_judge:\n    judge_type: customized_protocol\n    ${judge}\n`;
    const { spec } = await resolveLaunch({ config }, context({ 'agent.yaml': text }));
    expect(spec.inspect).toBe(inspect);
    expect(spec.request.python).toEqual({ debug: true });
  });

  it('takes the Python and the ajet that are named', async () => {
    const named = { config, noDebug: true, python: '.venv/bin/python', ajetPackage: 'installed' };
    const { spec, pythonDebug } = await resolveLaunch(
      { ...named, pythonDebug: { justMyCode: false } },
      context(),
    );
    expect(spec.request.python).toEqual({ executable: at('.venv/bin/python'), package: 'installed' });
    expect(pythonDebug).toEqual({ justMyCode: false });
  });

  it('runs as parallel as the config says when nobody steps', async () => {
    const { spec } = await resolveLaunch({ config, noDebug: true }, context());
    expect(spec.inspect).toBe(false);
    expect(spec.request).not.toHaveProperty('parallel');
    expect(spec.request).not.toHaveProperty('python');
  });

  it('does so under a debugger as well when told to with 0', async () => {
    const { spec } = await resolveLaunch({ config, parallel: 0 }, context());
    expect(spec.inspect).toBe(true);
    expect(spec.request).not.toHaveProperty('parallel');
  });

  it('judges the episodes of a trace, by the config that is named', async () => {
    const { spec } = await resolveLaunch({ config, judgeTrace: 'runs/a.ajtrace' }, context());
    const trace = path.resolve(spec.request.cwd, 'runs/a.ajtrace');
    expect(spec.request.judge).toEqual({ trace, ownConfig: true });
  });

  it('takes every attribute', async () => {
    const { spec, verbose, jsDebug } = await resolveLaunch(
      {
        config: 'sub/agent.yaml',
        cwd: root,
        expDir: 'runs',
        model: 'script',
        script: 'model.ts',
        seed: 7,
        tasks: 3,
        taskIds: ['a', 'b'],
        mode: 'validate',
        ajetDebugParity: false,
        attempts: 3,
        parallel: 4,
        repeat: 2,
        episodeTimeout: 1.5,
        env: { A: 'own', GONE: null },
        envFile: '.env',
        runtimeExecutable: './node/bin/node',
        runtimeArgs: ['--max-old-space-size=4096'],
        jsDebug: { smartStep: false },
        verbose: true,
        preLaunchTask: 'anything of the editor',
      },
      context({ 'sub/agent.yaml': '', 'model.ts': '', '.env': 'A=file\nB="two words"\n' }),
    );
    expect(spec.request).toMatchObject({
      config: at('sub/agent.yaml'),
      cwd: root,
      expDir: at('runs'),
      model: { kind: 'script', file: at('model.ts') },
      seed: 7,
      firstTasks: 3,
      taskIds: ['a', 'b'],
      split: 'validation',
      mode: 'validate',
      asUpstreamDebug: false,
      attempts: 3,
      parallel: 4,
      repeat: 2,
      episodeTimeout: 1.5,
    });
    expect(spec.env).toEqual({ A: 'own', B: 'two words', GONE: null });
    expect(spec.runtimeExecutable).toBe(at('node/bin/node'));
    expect(spec.runtimeArgs).toEqual(['--max-old-space-size=4096']);
    expect({ verbose, jsDebug }).toEqual({ verbose: true, jsDebug: { smartStep: false } });
  });

  it('reads .env of the working directory, below all else', async () => {
    const files = {
      '.env': 'KEY=file\nEMPTY=file\nA=file\nB=file\nC=file\n',
      'more.env': 'B=more\nC=more\n',
    };
    const own = await resolveLaunch({ config }, context(files));
    expect(own.spec.env).toEqual({ A: 'file', B: 'file', C: 'file' });
    const layered = { config, envFile: 'more.env', env: { C: 'own' } };
    const { spec } = await resolveLaunch(layered, context(files));
    expect(spec.env).toEqual({ A: 'file', B: 'more', C: 'own' });
  });

  it('takes no folder of that name, which is an environment of Python’s', async () => {
    const folder = Object.assign(new Error('a folder'), { code: 'EISDIR' });
    const { files, ...others } = context();
    const readText = (file: string): Promise<string | undefined> =>
      file === at('.env') ? Promise.reject(folder) : files.readText(file);
    const { spec } = await resolveLaunch({ config }, { ...others, files: { ...files, readText } });
    expect(spec.env).toEqual({});
  });

  it('leaves a bare name of a runtime to be found on PATH', async () => {
    const { spec } = await resolveLaunch({ config, runtimeExecutable: 'node24' }, context());
    expect(spec.runtimeExecutable).toBe('node24');
  });

  it.each([
    ['saved by the user', {}, {}, 'saved'],
    ['in the environment', { apiKeyEnv: 'KEY' }, {}, 'from the environment'],
    ['in env', { apiKeyEnv: 'KEY' }, { KEY: 'from env' }, 'from env'],
    ['nowhere', { baseUrl: 'http://127.0.0.1:8000/v1' }, {}, undefined],
  ])('finds the key of an endpoint %s', async (_, more, env, expected) => {
    const launched = { config, model: 'endpoint', endpoint: { ...endpoint, ...more }, env };
    const { spec } = await resolveLaunch(launched, context());
    const { model } = spec.request;
    expect(model).toMatchObject({ kind: 'endpoint', model: 'm' });
    expect('apiKey' in model ? model.apiKey : undefined).toBe(expected);
  });

  it.each([
    [{ kind: 'embedded' }, { kind: 'embedded' }],
    [{ script: 'judge.mjs' }, { kind: 'script', file: at('judge.mjs') }],
    [{ kind: 'script' }, { kind: 'script', file: at('own.mjs') }],
    [{ baseUrl: 'https://host/v1' }, { kind: 'endpoint', baseUrl: 'https://host/v1', apiKey: 'saved' }],
    [
      { baseUrl: 'https://other/v1', model: 'big', apiKeyEnv: 'KEY' },
      { kind: 'endpoint', baseUrl: 'https://other/v1', model: 'big', apiKey: 'from the environment' },
    ],
  ])('takes for the helper %j', async (helper, expected) => {
    const files = context({ 'judge.mjs': '', 'own.mjs': '' });
    const { spec } = await resolveLaunch({ config, script: 'own.mjs', helper }, files);
    expect(spec.request.helper).toEqual(expected);
  });

  it.each([
    [
      { config, helper: { kind: 'script' } },
      "debug/missing-attribute: Launch attribute 'helper.script' is missing: the helper 'script' needs a script file.",
    ],
    [
      { config, helper: { model: 'big' } },
      "debug/missing-attribute: Launch attribute 'helper.baseUrl' is missing: the helper 'endpoint' needs a server.",
    ],
    [
      { config, helper: { baseUrl: 'https://host', apiKeyEnv: 'NONE' } },
      "debug/missing-api-key: Launch attribute 'helper.apiKeyEnv' names the environment variable NONE, which is not set.",
    ],
    [{}, "debug/missing-attribute: Launch attribute 'config' is missing: it is the config or script to run."],
    [
      { config: ' ' },
      "debug/bad-attribute: Launch attribute 'config' must be a string that is not empty, but is ' '.",
    ],
    [
      { config: 1 },
      "debug/bad-attribute: Launch attribute 'config' must be a string that is not empty, but is 1.",
    ],
    [
      { config: at('no.yaml') },
      `debug/file-not-found: Launch attribute 'config' names a path that does not exist: ${at('no.yaml')}.`,
    ],
    [
      { config, cwd: at('no') },
      `debug/file-not-found: Launch attribute 'cwd' names a path that does not exist: ${at('no')}.`,
    ],
    [
      { config, parallel: -1 },
      "debug/bad-attribute: Launch attribute 'parallel' must be an integer of at least 0, but is -1.",
    ],
    [{ config, seed: 1.5 }, "debug/bad-attribute: Launch attribute 'seed' must be an integer, but is 1.5."],
    [
      { config, tasks: '3' },
      "debug/bad-attribute: Launch attribute 'tasks' must be an integer of at least 1, but is '3'.",
    ],
    [
      { config, episodeTimeout: 0 },
      "debug/bad-attribute: Launch attribute 'episodeTimeout' must be a number above 0, but is 0.",
    ],
    [
      { config, split: 'test' },
      "debug/bad-attribute: Launch attribute 'split' must be one of 'training', 'validation', but is 'test'.",
    ],
    [
      { config, taskIds: ['a', 2] },
      "debug/bad-attribute: Launch attribute 'taskIds[1]' must be a string, but is 2.",
    ],
    [
      { config, taskIds: 'a' },
      "debug/bad-attribute: Launch attribute 'taskIds' must be an array, but is 'a'.",
    ],
    [
      { config, env: { A: 1 } },
      "debug/bad-attribute: Launch attribute 'env.A' must be a string or null, but is 1.",
    ],
    [
      { config, jsDebug: [] },
      "debug/bad-attribute: Launch attribute 'jsDebug' must be an object, but is [].",
    ],
    [
      { config, verbose: 'yes' },
      "debug/bad-attribute: Launch attribute 'verbose' must be a boolean, but is 'yes'.",
    ],
    [
      { config, envFile: '.env' },
      `debug/file-not-found: Launch attribute 'envFile' names a path that does not exist: ${at('.env')}.`,
    ],
    [
      { config, model: 'script' },
      "debug/missing-attribute: Launch attribute 'script' is missing: the model 'script' needs a script file.",
    ],
    [
      { config, model: 'script', script: 'm.ts' },
      `debug/file-not-found: Launch attribute 'script' names a path that does not exist: ${at('m.ts')}.`,
    ],
    [
      { config, model: 'endpoint' },
      "debug/missing-attribute: Launch attribute 'endpoint' is missing: the model 'endpoint' needs a server.",
    ],
    [
      { config, endpoint: { model: 'm' } },
      "debug/missing-attribute: Launch attribute 'endpoint.baseUrl' is missing: 'endpoint' needs it.",
    ],
    [
      { config, endpoint: { ...endpoint, apiKey: 'sk' } },
      "debug/bad-attribute: Launch attribute 'endpoint.apiKey' must be one of baseUrl, model, apiKeyEnv, but is none of them.",
    ],
    [
      { config, model: 'endpoint', endpoint: { ...endpoint, baseUrl: 'host' } },
      "debug/bad-attribute: Launch attribute 'endpoint.baseUrl' must be an http or https URL, but is 'host'.",
    ],
    [
      { config, model: 'endpoint', endpoint: { ...endpoint, apiKeyEnv: 'NONE' } },
      "debug/missing-api-key: Launch attribute 'endpoint.apiKeyEnv' names the environment variable NONE, which is not set.",
    ],
    [
      { config, model: 'endpoint', endpoint: { ...endpoint, apiKeyEnv: 'EMPTY' } },
      "debug/missing-api-key: Launch attribute 'endpoint.apiKeyEnv' names the environment variable EMPTY, which is not set.",
    ],
  ])('refuses %j', async (configuration, expected) => {
    expect(await failure(configuration)).toBe(expected);
  });

  it('takes the former names of options for one version, with a note', async () => {
    const { spec, notes } = await resolveLaunch(
      {
        config,
        record: 'r',
        recordOverwrite: true,
        replay: 's',
        replayMiss: 'rerecord',
        asUpstreamDebug: true,
      },
      context(),
    );
    expect(spec.request).toMatchObject({
      record: { file: at('r'), overwrite: true },
      replay: { file: at('s'), miss: 'call-model' },
      asUpstreamDebug: true,
    });
    expect(notes).toEqual([
      "Launch attribute 'recordOverwrite' is deprecated. Use 'force'.",
      "Launch attribute 'replayMiss' is deprecated. Use 'onReplayMiss'.",
      "Launch attribute 'asUpstreamDebug' is deprecated. Use 'ajetDebugParity'.",
    ]);
    expect(
      (
        await resolveLaunch(
          { config, replay: 's', replayMiss: 'fail', onReplayMiss: 'sequential' },
          context(),
        )
      ).spec.request.replay?.miss,
    ).toBe('sequential');
  });

  it('never repeats a key in an error', async () => {
    const secret = 'sk-very-secret';
    const text = await failure({ config, endpoint: { ...endpoint, apiKey: secret } });
    expect(text).not.toContain(secret);
  });
});

describe('withSettings', () => {
  it('fills in what is set and missing, and nothing else', () => {
    const settings = { model: 'script', script: 'm.ts', endpoint: null, runtimeExecutable: '' };
    expect(withSettings({ config }, settings)).toEqual({ config, model: 'script', script: 'm.ts' });
  });

  it.each([
    ['a model', { model: 'embedded' }, {}],
    ['a script', { script: 'own.ts' }, {}],
    ['an endpoint', { endpoint }, {}],
    ['a model that needs the setting', { model: 'script' }, { script: 'm.ts' }],
  ])('leaves out the settings of other models if the configuration has %s', (_, own, filled) => {
    const settings = { model: 'human', script: 'm.ts', endpoint: { baseUrl: 'http://other/v1' } };
    expect(withSettings({ config, ...own }, settings)).toEqual({ config, ...own, ...filled });
  });
});

describe('an endpoint', () => {
  it('chooses the model, as a script does', async () => {
    const { spec, notes } = await resolveLaunch({ config, endpoint }, context());
    expect(spec.request.model).toMatchObject({ kind: 'endpoint', model: 'm' });
    expect(notes).toEqual([]);
    const scripted = await resolveLaunch({ config, script: 'm.ts' }, context({ 'm.ts': '' }));
    expect(scripted.spec.request.model).toEqual({ kind: 'script', file: at('m.ts') });
  });

  it('is reported if another model is chosen', async () => {
    const { spec, notes } = await resolveLaunch({ config, endpoint, model: 'embedded' }, context());
    expect(spec.request.model).toEqual({ kind: 'embedded' });
    expect(notes).toEqual([expect.stringContaining("'model' is 'embedded'")]);
  });
});
