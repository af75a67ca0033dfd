import { describe, expect, test } from 'vitest';
import { compose, type Composition } from '../../../../../src/configs/core/compose.ts';
import { dialectOf } from '../../../../../src/configs/core/dialect.ts';
import { hostMethods, scopeOf } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { mostOfEffectiveConfig, type RunOrder } from '../../../../../src/training/core/protocol/runs.ts';
import { maskSecrets } from '../../../../../src/configs/core/effective/secrets.ts';
import {
  comparableText,
  effectiveConfigText,
  effectiveConfigValues,
  type EffectiveConfigRequest,
} from '../../../../../src/training/core/runs/effectiveConfig.ts';
import { LogRedactor, marksOf, secretsIn } from '../../../../../src/training/core/runs/secrets.ts';
import { memoryFiles, posix } from '../../../configs/memoryFiles.ts';
import { ajetConfig, orderOf, trinityConfig } from '../launch/orders.ts';

const run = '20260101-120000-abcdef';

interface Started {
  readonly order?: Partial<RunOrder>;
  /** What the host makes of the text. */
  readonly started?: (text: string) => string;
  readonly bridged?: EffectiveConfigRequest['bridged'];
  readonly variables?: Readonly<Record<string, string>>;
}

async function effective(
  text: string,
  { order, started = (sent) => sent, variables = {}, bridged = {} }: Started = {},
): Promise<string> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('The text is no config.');
  const composed = (one: string): Promise<Composition> =>
    compose({
      ...{ file: '/run/code/conf/exp.yaml', text: one, dialect, cwd: '/run/code' },
      ...{ files: memoryFiles({}), paths: posix },
      environment: maskSecrets((name) => variables[name]),
    });
  const digest = (salt: string, one: string): string => `${salt} ${one}`;
  const redactor = new LogRedactor(marksOf(secretsIn(variables), 'salt', digest, btoa), digest);
  return effectiveConfigText({
    ...{ run, order: orderOf(order), dialect: dialect.id, text, relativeTo: '/run/code' },
    sent: await composed(text),
    started: await composed(started(text)),
    redact: (one) => redactor.line(one),
    bridged,
  });
}

function lineOf(text: string, key: string): string {
  const line = text.split('\n').find((one) => one.trimStart().startsWith(`${key}:`)) ?? '';
  return line.replace(/\s+#/, ' #').trim();
}

describe('what a run was started with', () => {
  test('has defaults, what the launcher sets by its flags, and whose each value is', async () => {
    const text = await effective(ajetConfig, {
      order: { flags: ['--with-ray', '--exp-dir', 'out'] },
      started: (sent) =>
        sent.replace('name: first', `name: first_${run}`).replace('ajet:\n', 'ajet:\n  seed: 1\n'),
    });
    const [head, flags, empty] = text.split('\n');
    expect(head).toBe(`# conf/exp.yaml, as started by run ${run}`);
    expect([flags, empty]).toEqual(['# launcher ajet, backbone trinity, flags --with-ray --exp-dir out', '']);
    expect(lineOf(text, 'experiment_name')).toBe(`experiment_name: first_${run} # set by the host`);
    expect(lineOf(text, 'experiment_dir')).toMatch(`experiment_dir: out/first_${run} #`);
    expect(lineOf(text, 'backbone')).toBe('backbone: trinity # --backbone trinity');
    expect(lineOf(text, 'seed')).toBe('seed: 1 # set by the host');
    // By the lines of what was sent.
    expect(lineOf(text, 'n_gpus_per_node')).toBe('n_gpus_per_node: 4 # conf/exp.yaml:7');
    expect(lineOf(text, 'num_repeat')).toBe('num_repeat: 4 # default');
    // How it is put together is no value, and the other backbone's defaults are left out.
    const values = effectiveConfigValues(text, run);
    expect([...values.entries.keys()]).toEqual(['ajet', 'trinity']);
  });

  test("has the backbone's own sections where it is verl", async () => {
    const keys = [
      ...effectiveConfigValues(
        await effective(ajetConfig, { order: { backbone: 'verl' } }),
        run,
      ).entries.keys(),
    ];
    expect(keys).toEqual(expect.arrayContaining(['ajet', 'trainer', 'actor_rollout_ref']));
    expect(keys).not.toContain('trinity');
  });

  test('says what it goes on from', async () => {
    const from = { run: '20251231-120000-abcdef', step: 10, as: 'fork' } as const;
    const text = await effective(trinityConfig, { order: { launcher: 'trinity', from } });
    expect(text).toContain('\n# fork of run 20251231-120000-abcdef from step 10\n');
    expect(lineOf(text, 'gpu_per_node')).toBe('gpu_per_node: 4 # conf/exp.yaml:10');
  });

  test('tells the code that the bridge stands in for', async () => {
    const bridged = { workflow: { file: 'src/workflow.ts', name: 'Odd\nKey: 1' } };
    const text = await effective(trinityConfig, { bridged });
    expect(text.split('\n')[2]).toBe('# workflow src/workflow.ts->Odd?Key: 1, through the bridge');
  });

  test('of two runs is the same text where the values are', async () => {
    const moved = trinityConfig
      .replace('mode: both\n', '')
      .replace('project:', 'mode: both # as ever\nproject:');
    const [one, other] = [await effective(trinityConfig), await effective(`# moved\n${moved}`)];
    expect(one).not.toBe(other);
    const comparable = (text: string): string => comparableText(effectiveConfigValues(text, run));
    expect(comparable(one)).toBe(comparable(other));
    expect(comparable(one)).not.toBe(comparable(await effective(trinityConfig.replace('120', '121'))));
  });
});

describe('its secrets', () => {
  const variables = {
    JUDGE_API_KEY: 'judge-key-of-the-environment',
    SWANLAB_AUTH: 'auth-of-the-environment',
    PLACE: 'https://ann:place-password@example.org/v1',
    MODEL: 'qwen-plus',
  };
  const config = `${trinityConfig.replace('monitor_type: tensorboard', 'monitor_type: swanlab')}
  monitor_args:
    api_key: written-in-the-config
    mode: cloud
    auth: \${oc.env:SWANLAB_AUTH}
service:
  data_juicer:
    server_url: redis://:redis-password@10.0.0.1:6379/0
extra:
  apiKey: camel-case-key-1
  judge_api_key: judge-written-in-the-config
  judge_key: \${oc.env:JUDGE_API_KEY}
  with_default: \${oc.env:NOT_SET_KEY,sk-default-in-the-config}
  secret_default: \${oc.env:JUDGE_API_KEY,another-default}
  fallback: Bearer \${oc.env:UNSET_TOKEN,'fallback-of-a-token'} as ever
  copied: \${extra.fallback}
  place: \${oc.env:PLACE}
  judge_model: \${oc.env:MODEL}
  copy: pass judge-key-of-the-environment on
  git: https://abcdefghij0123456789@git.example.org/repo
  command: HF_TOKEN=token-in-a-command python --api-key=key-in-a-command serve.py --port=8000
  callback: https://hooks.example.org/x?token=token-in-an-address&size=12345678
  password: 12345678
  credentials: { user: someone, pass: pass-in-a-section }
  api_keys: [first-of-the-list, second-of-the-list]
  text: |
    -----BEGIN RSA PRIVATE KEY-----
    MIIEowIBAAKCAQEAwritten
    -----END RSA PRIVATE KEY-----
`;
  const leaks = [
    ...Object.values(variables).filter((value) => value !== 'qwen-plus'),
    ...['place-password', 'redis-password', 'written-in-the-config', 'camel-case', 'default-in-the-config'],
    ...[
      'another-default',
      'fallback-of-a-token',
      'token-in-a',
      'key-in-a-command',
      '12345678\n',
      '0123456789',
      'pass-in-a-section',
    ],
    ...['first-of-the-list', 'second-of-the-list', 'MIIE', 'someone'],
  ];

  test('are not in it, written in the config, of the environment, or within an address', async () => {
    const text = await effective(config, { variables });
    expect(leaks.filter((leak) => text.includes(leak))).toEqual([]);
    expect(lineOf(text, 'judge_api_key')).toMatch(/^judge_api_key: "\[redacted\]" # conf\/exp\.yaml:\d+$/);
    expect(lineOf(text, 'auth')).toMatch(/^auth: "\*\*\*" #/);
    expect(lineOf(text, 'judge_key')).toMatch(/^judge_key: "\*\*\*" #/);
    expect(lineOf(text, 'place')).toMatch(/^place: "\[redacted\]example\.org\/v1" #/);
    expect(lineOf(text, 'server_url')).toMatch(/^server_url: "\[redacted\]10\.0\.0\.1:6379\/0" #/);
    expect(lineOf(text, 'password')).toMatch(/^password: "\[redacted\]" #/);
    // What is none stays.
    expect(lineOf(text, 'judge_model')).toContain('qwen-plus');
    expect(lineOf(text, 'mode')).toContain('both');
    expect(text).toContain('serve.py --port=8000');
    expect(text).toContain('size=12345678');
    // It is still YAML.
    expect(effectiveConfigValues(text, run).entries.get('extra')?.kind).toBe('mapping');
  });

  test.each([
    ['prompt_key: question', true],
    ['reward_fn_key: data_source', true],
    ['eos_token: </s>', true],
    ['max_tokens: 1048576', true],
    ['ppo_max_token_len_per_gpu: 131072', true],
    ['pass_at_k: 8', true],
    ['api_key_env: OPENAI_API_KEY', true],
    ['api_key: hunter', false],
    ['openai_key: 0f9a8b7c6d5e4f3a', false],
    ['DASHSCOPE_KEY: abcdef', false],
    ['access_token: abcdef', false],
    ['token: abcdef', false],
    ['bot_token: 123456789', false],
    ['client-secret: abcdef', false],
    ['Authorization: Basic abc', false],
  ])('%s is shown: %s', async (line, isShown) => {
    const text = await effective(`${trinityConfig}extra:\n  ${line}\n`);
    const value = line.slice(line.indexOf(':') + 2);
    expect(text.includes(`: ${value}`) || text.includes(`: "${value}"`)).toBe(isShown);
  });
});

describe('on the wire', () => {
  test('it is asked for by a run, for which looking is enough', () => {
    expect(hostMethods['run.config'].params.safeParse({ run }).success).toBe(true);
    expect(hostMethods['run.config'].params.safeParse({ run: '../../etc' }).success).toBe(false);
    expect(scopeOf('run.config', { run })).toBe('view');
  });

  test('it has a limit, which a long config is cut to', async () => {
    const decode = hostMethods['run.config'].result;
    const items = Array.from({ length: 40 }, (_, index) => `  - ${index} ${'long '.repeat(6_000)}.\n`).join(
      '',
    );
    const text = await effective(`${trinityConfig}extra:\n${items}`);
    expect(text.length).toBeLessThanOrEqual(mostOfEffectiveConfig);
    expect(text).toMatch(/\n# Truncated: the config is too long\.\n$/);
    expect(decode.safeParse({ text }).success).toBe(true);
    expect(decode.safeParse({ text: ' '.repeat(mostOfEffectiveConfig + 1) }).success).toBe(false);
  });
});
