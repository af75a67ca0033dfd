/** One table of names and values. Every surface must hide the secrets in it and show the rest. */
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { compose } from '../../../../src/configs/core/compose.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { maskSecrets } from '../../../../src/configs/core/effective/secrets.ts';
import { hoverIn } from '../../../../src/configs/core/hover.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { readContext } from '../../../../src/configs/core/readContext.ts';
import { runConfig } from '../../../../src/configs/cli/configCommand.ts';
import { openRunFolder } from '../../../../src/backbone/node/runFolder.ts';
import { exportTrace } from '../../../../src/traces/node/export/exportFile.ts';
import { traceOf } from '../../../../src/traces/node/import/importTrace.ts';
import { effectiveConfigText } from '../../../../src/training/core/runs/effectiveConfig.ts';
import { LogRedactor, marksOf, secretsIn, type Digest } from '../../../../src/training/core/runs/secrets.ts';
import { exportFormats, type ExportFormat } from '../../../../src/traces/core/export/formats.ts';
import { memoryFiles, posix } from '../../configs/memoryFiles.ts';
import { asked, record } from '../../backbone/recording/recordingBench.ts';
import { orderOf } from '../../training/client/launch/orders.ts';
import { temporaryFolder } from '../../traces/folder.ts';
import { aRun } from '../../traces/samples.ts';

interface Row {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

const row = (name: string, value: string, isSecret: boolean): Row => ({ name, value, isSecret });

const rows: readonly Row[] = [
  ...['DB_DSN', 'AUTH_COOKIE', 'GITHUB_PAT', 'SLACK_WEBHOOK', 'SLACK_WEBHOOK_URL'],
  ...['OPENAI_API_KEY', 'HF_TOKEN', 'API_TOKENS', 'BASIC_AUTH', 'SMTP_PASS', 'PGPASSWORD', 'MYSQL_PWD'],
  ...['db_password', 'judge_api_key', 'client-secret', 'accessToken', 'JWT', 'CONNECTION_STRING'],
  ...[
    'SSHPASS',
    'DB_PWD',
    'AZURE_STORAGE_CONNECTION_STRING',
    'BEARER',
    'SESSION_ID',
    'ACCESS_KEY_ID',
    'CREDS',
  ],
  ...['PASSCODE', 'AZURE_SAS', 'LOGIN_OTP'],
]
  .map((name, index) => row(name, `d1b6cc0a77f1-${index}`, true))
  .concat([
    row('DATABASE_URL', 'postgres://ann:d1b6cc0a77f1@db.example/x', true),
    row('NOTE', 'sk-ant-api03-d1b6cc0a77f1d1b6', true),
    row('COMMENT', 'npm_d1b6cc0a77f1aB9xQ2mK7tR4wZ8vN5cJ1pLa', true),
    row('SETTINGS', 'SG.d1b6cc0a77f1aB9xQ2mK7t.R4wZ8vN5cJ1pLd1b6cc0a77f1aB9xQ2mK7tR4wZ8vN5', true),
    row('HF_TOKEN_PATH', '/home/ann/hub/token-file', false),
    row('TOKENIZER_PATH', '/models/tokenizer.json', false),
    row('MODEL_PATH', '/models/Qwen/Qwen2.5-7B-Instruct', false),
    row('MODEL', 'Qwen/Qwen2.5-7B-Instruct', false),
    row('MAX_TOKENS', '1048576', false),
    row('max_response_tokens', '1048576', false),
    row('TASK_ID', '0f9a8b7c6d5e4f3a0f9a8b7c6d5e4f3a', false),
    row('COMMIT', 'b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b', false),
    row('RUN', '123e4567-e89b-12d3-a456-426614174000', false),
    row('prompt_key', 'question', false),
    row('eos_token', '<|im_end|>', false),
    row('KEYBOARD', 'querty-layout', false),
    row('pass_rate', '0.83333333', false),
  ]);

/** Each surface gets all rows and returns what it shows. */
const surfaces: readonly (readonly [string, () => Promise<string>])[] = [
  ['hover', hover],
  ['agentjet config, with environment variables', () => configCommand(true)],
  ['agentjet config, with written values', () => configCommand(false)],
  ['the effective config of a training run', effectiveConfig],
  ['the log of a host that knows the environment', () => Promise.resolve(hostLog(true))],
  ['the log of a host that does not know it', () => Promise.resolve(hostLog(false))],
  ['the config in a trace', storedTrace],
  ['a recording', () => Promise.resolve(recording())],
  ...exportFormats.map((format) => [`an export as ${format}`, () => exported(format)] as const),
];

describe('one policy decides what a secret is', () => {
  test.each(surfaces)('in %s', async (_, show) => {
    const shown = await show();
    const isShown = ({ value }: Row): boolean =>
      [value, JSON.stringify(value).slice(1, -1), value.replaceAll('<', '&lt;').replaceAll('>', '&gt;')].some(
        (form) => shown.includes(form),
      );
    const wrong = rows.filter((one) => isShown(one) === one.isSecret);
    expect(wrong).toEqual([]);
  });
});

const environment = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
const assignments = rows.map(({ name, value }) => `${name}=${value}`);
const isEnvironment = ({ name }: Row): boolean => /^\w+$/.test(name);

function configText(fromEnvironment: boolean): string {
  const lines = rows.map((one) =>
    fromEnvironment && isEnvironment(one)
      ? `  ${one.name}: "\${oc.env:${one.name}}"\n`
      : `  ${one.name}: ${JSON.stringify(one.value)}\n`,
  );
  return `ajet:\n  project_name: p\n${lines.join('')}`;
}

const around = {
  ...{ file: '/project/conf/exp.yaml', cwd: '/project', files: memoryFiles({}), paths: posix },
  environment: maskSecrets((name) => environment[name]),
};

async function hover(): Promise<string> {
  const text = configText(true);
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('The text is not a config.');
  const classes = {
    find: () => Promise.resolve({ status: 'elsewhere' } as const),
    all: () => Promise.resolve([]),
  };
  const context = await readContext(parseConfig(text), dialect, { ...around, classes });
  const hovers = rows.map(({ name }) => hoverIn(context, text.indexOf(`  ${name}:`) + 2)?.markdown ?? '');
  return hovers.join('\n');
}

async function configCommand(fromEnvironment: boolean): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'exp.yaml'), configText(fromEnvironment));
  let out = '';
  await runConfig({ origin: true }, 'exp.yaml', {
    stdout: { write: (text) => void (out += text), colour: false },
    stderr: { write: () => undefined, colour: false },
    readStdin: () => Promise.resolve(''),
    ...{ cwd: folder, env: environment },
  });
  return out;
}

const digest: Digest = (salt, text) => createHmac('sha256', salt).update(text).digest('hex');

function redactor(variables: Readonly<Record<string, string>>): LogRedactor {
  return new LogRedactor(marksOf(secretsIn(variables), 'salt', digest, btoa), digest);
}

async function effectiveConfig(): Promise<string> {
  const text = configText(false);
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('The text is not a config.');
  const composition = await compose({ ...around, text, dialect });
  const one = redactor({});
  return effectiveConfigText({
    ...{ run: '20260101-120000-abcdef', order: orderOf({}), dialect: dialect.id, text },
    ...{ relativeTo: '/project', sent: composition, started: composition, bridged: {} },
    redact: (line) => one.line(line),
  });
}

function hostLog(knows: boolean): string {
  const one = redactor(knows ? environment : {});
  return assignments.map((line) => one.line(`started with ${line}`)).join('\n');
}

async function storedTrace(): Promise<string> {
  const config = path.join(temporaryFolder(), 'exp.yaml');
  writeFileSync(config, configText(false));
  const folder = await openRunFolder(`${config}-run`, configText(false), config);
  const writer = folder.openTrace(aRun());
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  return readFileSync(writer.file, 'latin1');
}

function recording(): string {
  return record([asked(assignments.join('\n'), `You said: ${assignments.join(', ')}`)]);
}

async function exported(format: ExportFormat): Promise<string> {
  const folder = temporaryFolder();
  const log = path.join(folder, 'log.jsonl');
  // Some formats have only the start of a long text.
  const calls = assignments.map((content) => {
    const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }];
    return { request: { model: 'm', messages: [{ role: 'user', content }] }, response: { choices } };
  });
  writeFileSync(log, calls.map((call) => JSON.stringify(call)).join('\n'));
  const common = { cancellation: neverCancelled };
  const trace = await traceOf(log, { ...common, cacheFolder: folder });
  const out = path.join(folder, 'out');
  await exportTrace(trace, out, { ...common, format, redaction: { texts: false, patterns: [] } });
  return readFileSync(out, 'utf8');
}
