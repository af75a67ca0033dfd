import { describe, expect, it } from 'vitest';
import { parseArguments, usage } from '../../../src/node/cli/arguments.ts';

const run = (...argv: string[]) => {
  const command = parseArguments(argv);
  if (command.kind !== 'run') throw new Error(command.kind);
  return command.run;
};

describe('parseArguments', () => {
  it('takes what people know from ajet', () => {
    expect(run('--conf', 'a/b.yaml', '--backbone', 'debug', '--exp-dir', 'out')).toMatchObject({
      conf: 'a/b.yaml',
      expDir: 'out',
      model: 'embedded',
      split: 'training',
      tasks: undefined,
      json: false,
    });
  });

  it('takes a trace to be judged, by its own config or another', () => {
    expect(run('judge', 'a.ajtrace')).toMatchObject({
      conf: undefined,
      judge: { trace: 'a.ajtrace', episodes: undefined },
    });
    expect(
      run('judge', 'a.ajtrace', '--conf=b.yaml', '--episode=3', '--episode=0', '--helper=embedded'),
    ).toMatchObject({
      conf: 'b.yaml',
      judge: { trace: 'a.ajtrace', episodes: [3, 0] },
      helper: { kind: 'embedded' },
    });
    expect(() => run('judge')).toThrow('agentjet judge needs a trace.');
    expect(() => run('judge', 'a', 'b')).toThrow('one file too many');
    expect(() => run('judge', 'a', '--episode=x')).toThrow('--episode x');
    expect(() => run('judge', 'a', '--seed=1')).toThrow('--seed');
  });

  it('takes what only debugging needs', () => {
    expect(
      run(
        '--conf=x.yaml',
        '--tasks=3',
        '--task-id=a',
        '--task-id=b',
        '--repeat=2',
        '--parallel=5',
        '--seed=7',
        '--episode-timeout=1.5',
        '--split=validation',
        '--model=endpoint',
        '--base-url=http://h/v1',
        '--model-name=m',
        '--json',
      ),
    ).toMatchObject({
      tasks: 3,
      taskIds: ['a', 'b'],
      repeat: 2,
      parallel: 5,
      seed: 7,
      episodeTimeout: 1.5,
      split: 'validation',
      model: 'endpoint',
      baseUrl: 'http://h/v1',
      modelName: 'm',
      json: true,
    });
  });

  it.each([
    [['--mode=validate', '--attempts=3'], { mode: 'validate', split: 'validation', attempts: 3 }],
    [['--as-upstream-debug'], { mode: 'sample', split: 'validation', asUpstreamDebug: true }],
    [['--as-upstream-debug', '--split=training'], { split: 'training', asUpstreamDebug: true }],
  ])('runs otherwise than training rolls out: %j', (args, expected) => {
    expect(run('--conf=x.yaml', ...args)).toMatchObject(expected);
  });

  it.each([
    [[], undefined],
    [['--helper=embedded'], { kind: 'embedded' }],
    [['--helper-script=h.ts'], { kind: 'script', script: 'h.ts' }],
    [['--script=m.ts', '--helper=script'], { kind: 'script', script: 'm.ts' }],
    [
      ['--helper-base-url=http://h/v1'],
      { kind: 'endpoint', baseUrl: 'http://h/v1', apiKeyEnv: 'OPENAI_API_KEY' },
    ],
    [
      ['--helper-base-url=http://h/v1', '--helper-model=big', '--helper-api-key-env=KEY'],
      { kind: 'endpoint', modelName: 'big', apiKeyEnv: 'KEY' },
    ],
  ])('takes for the helper %j', (flags, expected) => {
    const { helper } = run('--conf=x.yaml', ...flags);
    if (expected === undefined) expect(helper).toBeUndefined();
    else expect(helper).toMatchObject(expected);
  });

  it.each([
    [['--helper=script'], '--helper script needs a file'],
    [['--helper=endpoint'], '--helper endpoint needs a server'],
    [['--helper-model=big'], '--helper-model needs a server'],
    [['--helper=person'], 'person'],
  ])('refuses for the helper %j', (flags, message) => {
    expect(() => run('--conf=x.yaml', ...flags)).toThrow(message);
  });

  it.each(['check', 'config', 'schema'] as const)('leaves what follows %s to it', (name) => {
    const args = ['a.yaml', '--format', 'json', '--help'];
    expect(parseArguments([name, ...args])).toEqual({ kind: 'subcommand', name, args });
    expect(usage).toContain(`agentjet ${name} `);
  });

  it('takes recordings and faults', () => {
    const run = ['--conf', 'a.yaml', '--record', 'r', '--replay', 's', '--replay-miss', 'call-model'];
    expect(parseArguments([...run, '--faults', 'rate=0.5,seed=7,kinds=cut+empty'])).toMatchObject({
      run: {
        record: { file: 'r', overwrite: false },
        replay: { file: 's', miss: 'call-model' },
        faults: { rate: 0.5, seed: 7, kinds: ['cut', 'empty'] },
      },
    });
    expect(parseArguments(['--conf', 'a.yaml', '--faults', '1'])).toMatchObject({
      run: { faults: { rate: 1, seed: 0 } },
    });
  });

  it.each([
    [['--record-overwrite'], /Add --record FILE/],
    [['--replay-miss', 'fail'], /Add --replay FILE/],
    [['--replay', 's', '--replay-miss', 'guess'], /Choose fail, call-model, sequential/],
    [['--faults', '2'], /above 0 and at most 1|rate=0.2/],
    [['--faults', 'rate=0.1,seed=x'], /rate=0.2/],
    [['--faults', 'rate=0.1,kinds=fire'], /Choose timeout/],
    [['--faults', 'often=1'], /rate=0.2/],
  ])('refuses %j', (args, hint) => {
    let thrown: unknown;
    try {
      parseArguments(['--conf', 'a.yaml', ...args]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'cli/usage', hint: expect.stringMatching(hint) as string });
  });

  it.each([['--backbone=verl'], ['--backbone', 'trinity']])('sends what trains to a host: %j', (...argv) => {
    const args = ['--conf', 'a.yaml', ...argv, '--with-ray', '--debug=tag'];
    expect(parseArguments(args)).toEqual({
      kind: 'subcommand',
      name: 'remote',
      args: ['run', '--follow', ...args],
    });
  });

  it('takes a trace to look at', () => {
    const args = ['a.ajtrace', '--port', '65536'];
    expect(parseArguments(['trace', ...args])).toEqual({ kind: 'subcommand', name: 'trace', args });
    expect(run('--conf', 'a.yaml', '--with-logview')).toMatchObject({ logView: true });
    expect(run('--conf', 'a.yaml')).toMatchObject({ logView: false });
  });

  it.each([
    [['--conf', 'a.yaml', '--backbone', 'vrel'], 'cli/backbone', 'vrel'],
    [['--conf', 'a.yaml', '--with-ray'], 'cli/refused-flag', 'Ray'],
    [['--conf', 'a.yaml', '--debug=tag'], 'cli/refused-flag', 'F5'],
    [['--conf', 'a.yaml', '--kill', 'ray'], 'cli/refused-flag', '--kill'],
    [[], 'cli/usage', '--conf'],
    [['a.yaml'], 'cli/usage', 'a.yaml'],
    [['--conf', 'a.yaml', '--taks', '3'], 'cli/usage', '--taks'],
    [['--conf'], 'cli/usage', '--conf'],
    [['--conf', 'a.yaml', '--tasks', '0'], 'cli/usage', '--tasks'],
    [['--conf', 'a.yaml', '--tasks', '1.5'], 'cli/usage', '--tasks'],
    [['--conf', 'a.yaml', '--parallel', 'many'], 'cli/usage', 'many'],
    [['--conf', 'a.yaml', '--episode-timeout', '0'], 'cli/usage', '--episode-timeout'],
    [['--conf', 'a.yaml', '--model', 'gpt'], 'cli/usage', 'gpt'],
    [['--conf', 'a.yaml', '--model', 'script'], 'cli/usage', '--script'],
    [['--conf', 'a.yaml', '--model', 'endpoint', '--base-url', 'x'], 'cli/usage', '--model-name'],
    [['--conf', 'a.yaml', '--split', 'test'], 'cli/usage', 'validation'],
  ])('refuses %j by name', (argv, code, named) => {
    let thrown: unknown;
    try {
      parseArguments(argv);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
    const { message, hint } = thrown as { message: string; hint?: string };
    expect(`${message} ${hint ?? ''}`).toContain(named);
  });

  it('explains every option it knows', () => {
    expect(parseArguments(['--help'])).toEqual({ kind: 'help' });
    expect(parseArguments(['--version'])).toEqual({ kind: 'version' });
    for (const flag of [
      'conf',
      'exp-dir',
      'task-id',
      'script',
      'api-key-env',
      'runtime',
      'with-logview',
      'port',
      'json',
      'verbose',
    ]) {
      expect(usage).toContain(`--${flag}`);
    }
  });
});
