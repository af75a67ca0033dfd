/** Texts of others, such as names of runs, replies of models and errors of servers, control no terminal. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { CodedError, formatReport } from '../../../src/base/core/errors.ts';
import { reportFailures } from '../../../src/base/node/terminal/failures.ts';
import { terminalIo, type CommandIo } from '../../../src/base/node/terminal/commandIo.ts';
import { HumanTerminal } from '../../../src/backbone/cli/humanTerminal.ts';
import { TerminalView } from '../../../src/backbone/cli/terminalView.ts';
import { columns } from '../../../src/training/cli/remote/texts.ts';
import { runOrder } from '../../../src/training/core/protocol/runs.ts';
import { withoutTerminalCodes } from '../../../src/training/core/runs/lines.ts';
import { dispatchRun } from '../../../src/training/node/client/dispatch.ts';
import { runHere } from '../command/commandLines.ts';
import { temporaryFolder } from '../traces/folder.ts';
import { orderOf } from '../training/client/launch/orders.ts';

/** Sets the clipboard and the title, clears the screen, and hides what follows, also with codes of 8 bits. */
const hostile =
  '\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u0007\u001b[2J\u009b8m\u009d0;t\u009c\u202e\rforged\b\u007f';
const control = /(?![\n\t])[\p{Cc}\u202e]/u;

/** The terminal of this process, and all that is written to it. */
async function written(use: (io: CommandIo) => unknown): Promise<string> {
  let text = '';
  const take = (chunk: string | Uint8Array): boolean => {
    text += String(chunk);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(take),
  );
  try {
    await use(terminalIo());
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return text;
}

test('what a command writes has no control characters but line ends and tabs', async () => {
  const text = await written(({ stdout }) => stdout.write(`a\tb ${hostile}\r\nnext 👩‍💻\n`));
  expect(text).toMatch(/^a\tb \\u001b\]52.*\r\nnext 👩‍💻\n$/);
  expect(text.replace('\r\n', '\n')).not.toMatch(control);
});

test('JSON keeps its values', async () => {
  const text = await written(({ stdout }) => stdout.write(`${JSON.stringify({ name: hostile })}\n`));
  expect(text).not.toMatch(control);
  expect(JSON.parse(text)).toEqual({ name: hostile });
});

test('codes of our own reach the terminal', async () => {
  const text = await written(({ stderr }) => stderr.write('\r\u001b[K', true));
  expect(text).toBe('\r\u001b[K');
});

test('errors of servers and hosts, with their code and hint, control nothing and forge no line', async () => {
  const report = {
    message: `Refused: ${hostile}\nagentjet: ok`,
    code: `x/${hostile}\ny`,
    hint: `Do ${hostile}\nz`,
  };
  const text = await written((io) => reportFailures([], io, () => Promise.reject(new CodedError(report))));
  expect(text).not.toMatch(control);
  expect(text.trimEnd().split('\n').slice(1)).toSatisfy((lines: string[]) =>
    lines.every((line) => line.startsWith('  ')),
  );
  expect(formatReport({ ...report, stack: hostile }, { verbose: true })).not.toMatch(control);
});

test('problems and logs of a local run control nothing', async () => {
  const text = await written((io) => {
    const view = new TerminalView({ json: false, verbose: true }, io);
    view.take({ type: 'log', level: 'info', message: hostile });
    view.take({ type: 'problem', severity: 'warning', report: { code: 'model/status', message: hostile } });
    view.cannotStart({ code: 'model/status', message: hostile });
  });
  expect(text).toContain('52;c;');
  expect(text).not.toMatch(control);
});

test('a conversation that a person answers controls nothing', () => {
  const output = new PassThrough();
  const nothing = (): void => undefined;
  const options = { input: new PassThrough(), output, terminal: false, answer: nothing, interrupt: nothing };
  const human = new HumanTerminal(options);
  const about = { call: 1, episode: 1, agent: 'a', taskId: hostile, repeat: 0, waiting: 0, tools: [] };
  human.take({ type: 'model-asks', id: 1, problem: null, conversation: hostile, ...about });
  human.close();
  expect(String(output.read())).not.toMatch(control);
});

test('a checked config controls nothing', async () => {
  const folder = temporaryFolder();
  const yaml = `ajet:\n  ${JSON.stringify(hostile)}: 1\n  rollout: {num_repeat: ${JSON.stringify(hostile)}}\n`;
  writeFileSync(path.join(folder, 'exp.yaml'), yaml);
  for (const args of [
    ['check', 'exp.yaml'],
    ['check', '--format', 'json', 'exp.yaml'],
    ['config', 'exp.yaml'],
  ]) {
    const text = await written((io) => runHere(args, { ...io, cwd: folder }));
    expect(text).toContain('52;c;');
    expect(text).not.toMatch(control);
  }
});

test('no cell of a table begins another row', () => {
  const rows = columns([
    ['RUN', 'NAME'],
    ['1', 'a\n2  forged'],
  ]);
  expect(rows).toBe('RUN  NAME\n1    a\\u000a2  forged\n');
});

test('a run whose name has control characters is refused by the client and by the host', async () => {
  const folder = temporaryFolder();
  const config = path.join(folder, 'exp.yaml');
  writeFileSync(config, 'ajet: {}\n');
  for (const name of ['a\nb', 'a\u001b[2Jb', 'a\u009bb', 'a\u202eb']) {
    const request = { config, root: folder, launcher: 'ajet', backbone: 'verl', flags: [], env: {} } as const;
    const started = dispatchRun(
      { ask: () => Promise.reject(new Error('asked the host')) } as never,
      { ...request, name, cache: null, environment: () => undefined },
      { cancellation: neverCancelled, confirm: () => Promise.resolve(true) },
    );
    await expect(started).rejects.toMatchObject({ code: 'dispatch/name' });
    expect(runOrder.safeParse(orderOf({ name })).success).toBe(false);
  }
  expect(runOrder.safeParse(orderOf({ name: 'Größe 训练 1' })).success).toBe(true);
});

test('a removed code leaves no other code', () => {
  const nested = '\u001b\u001b[0m]52;c;ZXZpbA==\u0007 \u001b\u001b\u001b[0m[0m[2J \u009b2J end';
  expect(withoutTerminalCodes(nested).replaceAll('\u0007', '')).not.toMatch(/\p{Cc}/u);
});
