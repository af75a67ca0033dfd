import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlags } from '../../../src/backbone/node/options/runOptions.ts';
import { completionScript, tree } from '../../../src/command/cli/completion.ts';
import { buildProgram } from '../../../src/command/cli/program.ts';
import { resolveArguments } from '../../../src/backbone/cli/runCommand.ts';
import {
  backboneOf,
  judgeArguments,
  refuseForeignFlags,
  runArguments,
} from '../../../src/backbone/cli/runFlags.ts';
import { referencePage } from '../../tools/referenceDocs.ts';
import { parsed } from './commandLines.ts';

const cwd = path.resolve('/ws');
const at = (name: string): string => path.join(cwd, name);
const files = {
  exists: (file: string) => Promise.resolve(!file.includes('none')),
  readText: () => Promise.resolve(undefined),
};

function read(argv: readonly string[]) {
  refuseForeignFlags(argv);
  const { path: command, values, args } = parsed(argv);
  if (command === 'agentjet') return runArguments(values, cwd);
  if (command === 'agentjet judge') return judgeArguments(values, args[0] ?? '', cwd);
  throw new Error(command);
}

/** The request of a run that a command line starts. */
async function request(...argv: string[]) {
  const { request: made } = await resolveArguments(read(argv), { files, environment: { KEY: 'secret' } });
  return made;
}

describe('the command line of a run', () => {
  it('takes what people know from ajet', async () => {
    expect(await request('--conf', 'a/b.yaml', '--backbone', 'debug', '--exp-dir', 'out')).toEqual({
      protocol: 1,
      config: at('a/b.yaml'),
      cwd,
      expDir: at('out'),
      model: { kind: 'embedded' },
      split: 'training',
      allowEnvironment: true,
    });
    expect(read(['--conf', 'a.yaml'])).toMatchObject({ json: false, logView: false });
    expect(read(['--conf', 'a.yaml', '--with-logview'])).toMatchObject({ logView: true });
  });

  it('takes a trace to be judged, by its own config or another', async () => {
    expect(await request('judge', 'a.ajtrace')).toMatchObject({
      config: '',
      judge: { trace: at('a.ajtrace'), episodes: undefined, ownConfig: false },
    });
    const args = ['--conf=b.yaml', '--episode=3', '--episode=0', '--helper=embedded'];
    expect(await request('judge', 'a.ajtrace', ...args)).toMatchObject({
      config: at('b.yaml'),
      judge: { trace: at('a.ajtrace'), episodes: [3, 0], ownConfig: true },
      helper: { kind: 'embedded' },
    });
    expect(() => read(['judge'])).toThrow('agentjet judge needs <trace>.');
    expect(() => read(['judge', 'a', 'b'])).toThrow('Unexpected argument "b".');
    expect(() => read(['judge', 'a', '--episode=x'])).toThrow('--episode must be');
    expect(() => read(['judge', 'a', '--seed=1'])).toThrow('--seed');
  });

  it('takes what only debugging needs', async () => {
    const made = await request(
      ...['--conf=x.yaml', '--tasks=3', '--task-id=a', '--task-id=b', '--repeat=2', '--parallel=5'],
      ...['--seed=7', '--episode-timeout=1.5', '--split=validation', '--model=endpoint'],
      ...['--base-url=http://h/v1', '--model-name=m', '--api-key-env=KEY', '--json'],
      ...['--debug-model=big=embedded', '--debug-model=other=m@http://d/v1', '--trainable-targets=a, b'],
      ...['--plugin-dir=p', '--plugin-dir=q'],
    );
    expect(made).toMatchObject({
      firstTasks: 3,
      taskIds: ['a', 'b'],
      repeat: 2,
      parallel: 5,
      seed: 7,
      episodeTimeout: 1.5,
      split: 'validation',
      model: { kind: 'endpoint', baseUrl: 'http://h/v1', model: 'm', apiKey: 'secret' },
      debugModels: {
        big: { kind: 'embedded' },
        other: { kind: 'endpoint', baseUrl: 'http://d/v1', model: 'm', apiKey: 'secret' },
      },
      trainableTargets: ['a', 'b'],
      python: { pluginDirs: ['p', 'q'] },
    });
  });

  it.each([
    [['--mode=validate', '--attempts=3'], { mode: 'validate', split: 'validation', attempts: 3 }],
    [['--ajet-debug-parity'], { split: 'validation', asUpstreamDebug: true }],
    [['--ajet-debug-parity', '--split=training'], { split: 'training', asUpstreamDebug: true }],
  ])('runs otherwise than training rolls out: %j', async (args, expected) => {
    expect(await request('--conf=x.yaml', ...args)).toMatchObject(expected);
  });

  it.each([
    [[], undefined],
    [['--helper=embedded'], { kind: 'embedded' }],
    [['--helper-script=h.ts'], { kind: 'script', file: at('h.ts') }],
    [['--script=m.ts', '--helper=script'], { kind: 'script', file: at('m.ts') }],
    [['--helper-base-url=http://h/v1'], { kind: 'endpoint', baseUrl: 'http://h/v1' }],
    [
      ['--helper-base-url=http://h/v1', '--helper-model=big', '--helper-api-key-env=KEY'],
      { kind: 'endpoint', model: 'big', apiKey: 'secret' },
    ],
  ])('takes for the helper %j', async (flags, expected) => {
    const { helper } = await request('--conf=x.yaml', ...flags);
    if (expected === undefined) expect(helper).toBeUndefined();
    else expect(helper).toMatchObject(expected);
  });

  it('takes recordings and faults', async () => {
    const run = ['--conf', 'a.yaml', '--record', 'r', '--replay', 's', '--on-replay-miss', 'call-model'];
    expect(await request(...run, '--faults', 'rate=0.5,seed=7,kinds=cut+empty')).toMatchObject({
      record: { file: at('r'), overwrite: false },
      replay: { file: at('s'), miss: 'call-model' },
      faults: { rate: 0.5, seed: 7, kinds: ['cut', 'empty'] },
    });
    expect(await request('--conf', 'a.yaml', '--faults', '1')).toMatchObject({
      faults: { rate: 1, seed: 0 },
    });
  });

  it('takes the former names of flags for one version, with a note', async () => {
    const former = [
      '--record=r',
      '--record-overwrite',
      '--replay=s',
      '--replay-miss=rerecord',
      '--as-upstream-debug',
    ];
    expect(await request('--conf=a.yaml', ...former)).toMatchObject({
      record: { overwrite: true },
      replay: { miss: 'call-model' },
      asUpstreamDebug: true,
    });
    expect(read(['--conf=a.yaml', ...former]).notes).toEqual([
      '--record-overwrite is deprecated. Use --force.',
      '--replay-miss is deprecated. Use --on-replay-miss.',
      '--as-upstream-debug is deprecated. Use --ajet-debug-parity.',
    ]);
    expect(buildProgram('1').helpInformation()).not.toContain('--as-upstream-debug');
  });

  it('takes the key of a server from OPENAI_API_KEY, also of .env', async () => {
    const run = read(['--conf=a.yaml', '--model=endpoint', '--base-url=http://h', '--model-name=m']);
    const readText = (file: string) =>
      Promise.resolve(file === at('.env') ? 'OPENAI_API_KEY=of-the-file' : undefined);
    const keyIn = async (environment: Record<string, string>) =>
      (await resolveArguments(run, { files: { ...files, readText }, environment })).request.model;
    expect(await keyIn({})).toMatchObject({ apiKey: 'of-the-file' });
    expect(await keyIn({ OPENAI_API_KEY: 'set' })).toMatchObject({ apiKey: 'set' });
  });

  it('finds the backbone that trains', () => {
    expect(backboneOf(['--conf', 'a.yaml', '--backbone=verl'])).toBe('verl');
    expect(backboneOf(['--backbone', 'debug', '--backbone', 'trinity'])).toBe('trinity');
  });

  it.each([
    [['--helper=script'], 'cli/usage', '--helper-script'],
    [['--helper=endpoint'], 'cli/usage', '--helper-base-url'],
    [['--helper-model=big'], 'cli/usage', '--helper-base-url'],
    [['--helper=person'], 'cli/usage', 'person'],
    [['--force'], 'cli/usage', 'Add --record FILE'],
    [['--on-replay-miss', 'fail'], 'cli/usage', 'Add --replay FILE'],
    [['--replay', 's', '--on-replay-miss', 'guess'], 'cli/usage', "'fail', 'call-model', 'sequential'"],
    [['--replay', 's', '--episode', '1'], 'cli/usage', 'Add --replay FILE.ajtrace'],
    [['--faults', '2'], 'cli/usage', 'rate=0.2'],
    [['--faults', 'rate=0.1,seed=x'], 'cli/usage', 'rate=0.2'],
    [['--faults', 'rate=0.1,kinds=fire'], 'cli/usage', "'timeout'"],
    [['--faults', 'often=1'], 'cli/usage', 'rate=0.2'],
    [['--debug-model', 'big'], 'cli/usage', 'NAME=MODEL'],
    [['--debug-model', 'big=who'], 'cli/usage', '--debug-model (big)'],
    [['--trainable-targets', ','], 'cli/usage', 'is empty'],
    [['--backbone', 'vrel'], 'cli/backbone', 'vrel'],
    [['--with-ray'], 'cli/refused-flag', 'Ray'],
    [['--debug=tag'], 'cli/refused-flag', 'F5'],
    [['--kill', 'ray'], 'cli/refused-flag', '--kill'],
    [['b.yaml'], 'cli/usage', 'write --conf b.yaml'],
    [['--taks', '3'], 'cli/usage', 'Did you mean --tasks?'],
    [['--tasks', '0'], 'cli/usage', '--tasks'],
    [['--tasks', '1.5'], 'cli/usage', '--tasks'],
    [['--parallel', 'many'], 'cli/usage', 'many'],
    [['--episode-timeout', '0'], 'cli/usage', '--episode-timeout'],
    [['--model', 'gpt'], 'cli/usage', 'gpt'],
    [['--model', 'script'], 'cli/usage', '--script'],
    [['--model', 'script', '--script', 'none.ts'], 'cli/no-file', 'none.ts'],
    [['--model', 'endpoint'], 'cli/usage', '--base-url'],
    [['--model', 'endpoint', '--base-url', 'http://h'], 'cli/usage', '--model-name'],
    [['--model=endpoint', '--base-url=http://h', '--model-name=m', '--api-key-env=NO'], 'cli/no-key', 'NO'],
    [['--split', 'test'], 'cli/usage', 'validation'],
  ])('refuses %j by name', async (argv, code, named) => {
    const error: unknown = await request('--conf', 'a.yaml', ...argv).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    const { message, hint } = error as { message: string; hint?: string };
    expect(`${message} ${hint ?? ''}`).toContain(named);
  });

  it.each([
    [[], '--conf is missing'],
    [['--conf'], '--conf <file> needs a value.'],
    [['--conf', 'none.yaml'], 'does not exist'],
    [['chekc', 'a.yaml'], 'Unknown command: agentjet chekc.'],
  ])('refuses %j', async (argv, message) => {
    const error: unknown = await request(...argv).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(message);
  });
});

describe('the commands', () => {
  const program = buildProgram('1.2.3');
  const commands = tree(program);

  it('explain every option of runs', () => {
    const help = program.helpInformation();
    for (const { flag, isReplaced } of runFlags())
      expect(help.includes(`--${flag} `) || help.includes(`--${flag}\n`)).toBe(!isReplaced);
  });

  it.each(commands.map((command) => command.path()))(
    '%s has a description and explains its options',
    (name) => {
      const command = commands.find((one) => one.path() === name);
      expect(command?.description()).not.toBe('');
      for (const { description } of command?.options ?? []) expect(description).toMatch(/[.)]$/);
      for (const line of command?.helpInformation().split('\n') ?? [])
        expect(line.length).toBeLessThanOrEqual(120);
    },
  );

  it.each(['bash', 'zsh', 'fish'])('complete in %s', (shell) => {
    const script = completionScript(program, shell);
    for (const word of ['remote', 'completion', 'on-replay-miss', 'call-model', 'dry-run'])
      expect(script).toContain(word);
    for (const hidden of ['detach', 'as-upstream-debug']) expect(script).not.toContain(hidden);
  });

  it('are all in the reference, with launch attributes and settings', async () => {
    const reference = await referencePage('command-line');
    for (const command of commands) expect(reference).toContain(`## \`${command.path()}\``);
    const launch = await referencePage('launch-json');
    expect(launch).toContain('- `baseUrl` (string, required): ');
    expect(launch).not.toContain('asUpstreamDebug');
    expect(await referencePage('settings')).toContain('## `agentjet.model`');
  });

  it('complete in no other shell', () => {
    expect(() => completionScript(program, 'csh')).toThrow('Shell cannot be csh.');
  });
});
