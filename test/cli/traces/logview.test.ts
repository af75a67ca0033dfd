/** The viewer in a browser: beside a run and on its own. The page is asked as a browser would ask. */
import { readdirSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { largestWindow, type TraceMethod } from '../../../src/traces/core/protocol/traceRpc.ts';
import type { ResultOf } from '../../../src/traces/core/methods.ts';
import { runCli, startCli, type CliOptions, type JsonResults, type RunningCli } from '../harness/cli.ts';
import { descendants, living } from '../harness/processes.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';

const noBrowser: CliOptions = { env: { BROWSER: 'none' } };
const withViewer = ['--conf', 'small.yaml', '--tasks', '1', '--with-logview'];

const asking = `const client = tuner.asOpenAIClient();
    await client.chat.completions.create({
      model: 'any',
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: workflowTask.task.main_query }],
    });
    return { reward: 1, isSuccess: true };`;

const project = (body = asking): Promise<Project> => smallProject({ 'workflow.ts': smallWorkflow(body) });

/** The only trace of a project that has one. */
function traceOf({ folder }: Project): string {
  const [name] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ajtrace'),
  );
  if (name === undefined) throw new Error('There is no trace.');
  return path.join(folder, name);
}

/** A page of the viewer, without the page. */
class Visitor {
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(address: string) {
    const { origin, hash } = new URL(address);
    this.#origin = origin;
    this.#headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token') ?? ''}` };
  }

  async page(): Promise<string> {
    return (await fetch(this.#origin)).text();
  }

  async ask<M extends Exclude<TraceMethod, 'summaries'>>(method: M, more: object = {}): Promise<ResultOf<M>> {
    const boot = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(await this.page())?.[1] ?? '';
    const { trace } = JSON.parse(boot) as { trace: string };
    const response = await fetch(`${this.#origin}/rpc`, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ id: 1, request: { method, trace, ...more } }),
    });
    const { result, error } = (await response.json()) as { result: ResultOf<M>; error?: object };
    expect(error).toBeUndefined();
    return result;
  }
}

const visit = async (command: RunningCli): Promise<Visitor> =>
  new Visitor((await command.wrote(/viewer: (http:\S+)/))[1] ?? '');

async function nothingStays(pids: readonly number[]): Promise<void> {
  await expect.poll(() => living(pids)).toEqual([]);
}

describe('--with-logview', () => {
  it('shows the run, and stays after its results until Ctrl-C', async () => {
    const command = startCli(await project(), withViewer, noBrowser);
    const visitor = await visit(command);
    await command.wrote(/Press Ctrl-C/);
    const processes = descendants(command.pid);
    expect(await visitor.ask('run')).toMatchObject({
      experiment: 'small',
      end: { status: 'completed' },
      totals: { started: 1, ended: 1, calls: 1, timelines: 1 },
    });
    const tokens = await visitor.ask('tokens', {
      episode: 0,
      timeline: 0,
      from: 0,
      limit: largestWindow.tokens,
    });
    expect(tokens.texts.join('')).toContain('What is 0 + 1?');
    command.child.kill('SIGINT');
    const { code, stdout, stderr } = await command.exited;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^t1 /m);
    expect(stderr).not.toContain('ended by itself');
    await nothingStays(processes);
  });

  it('shows a run that still goes, and how it goes on', async () => {
    const body = `console.log('under way');
    const { existsSync } = await import('node:fs');
    while (!existsSync('go')) await new Promise((resume) => setTimeout(resume, 20));
    ${asking}`;
    const small = await project(body);
    const command = startCli(small, withViewer, noBrowser);
    const visitor = await visit(command);
    await command.wrote(/under way/);
    expect(await visitor.ask('run')).toMatchObject({
      end: null,
      live: true,
      totals: { started: 1, ended: 0 },
    });
    await small.write({ go: '' });
    await command.wrote(/Press Ctrl-C/);
    expect(await visitor.ask('run')).toMatchObject({
      end: { status: 'completed' },
      totals: { started: 1, ended: 1 },
    });
    command.child.kill('SIGTERM');
    expect(await command.exited).toMatchObject({ code: 0 });
  });

  it('leaves stdout to the document of --json', async () => {
    const command = startCli(await project(), [...withViewer, '--json'], noBrowser);
    await visit(command);
    await command.wrote(/Press Ctrl-C/);
    command.child.kill('SIGINT');
    const { stdout } = await command.exited;
    expect((JSON.parse(stdout) as JsonResults).episodes).toHaveLength(1);
  });

  it('ends with a run that was interrupted', async () => {
    const waiting =
      "console.log('under way'); await new Promise(() => setInterval(() => {}, 1000)); return {};";
    const command = startCli(await project(waiting), withViewer, noBrowser);
    await visit(command);
    await command.wrote(/under way/);
    const processes = descendants(command.pid);
    command.child.kill('SIGINT');
    expect(await command.exited).toMatchObject({ code: 130 });
    await nothingStays(processes);
  });

  it('opens the browser that the user named', async () => {
    const small = await project();
    const browser = small.path('browser.sh');
    await writeFile(browser, `#!/bin/sh\necho "$1" > ${small.path('opened')}\n`);
    await chmod(browser, 0o755);
    const command = startCli(small, withViewer, { env: { BROWSER: browser, CI: undefined } });
    const [, address] = await command.wrote(/viewer: (http:\S+)/);
    await expect.poll(() => small.read('opened')).toBe(`${address}\n`);
    await command.wrote(/Press Ctrl-C/);
    command.child.kill('SIGINT');
    await command.exited;
  });

  it('ends with its command, however that ends', async () => {
    const command = startCli(await project(), withViewer, noBrowser);
    await command.wrote(/Press Ctrl-C/);
    const processes = descendants(command.pid);
    expect(processes.length).toBeGreaterThan(0);
    command.child.kill('SIGKILL');
    await nothingStays(processes);
  });
});

describe('agentjet trace', () => {
  it('shows a trace, and its page has the viewer in it', async () => {
    const small = await project();
    await runCli(small, ['--conf', 'small.yaml', '--tasks', '1']);
    const command = startCli(small, ['trace', traceOf(small)], noBrowser);
    const visitor = await visit(command);
    await command.wrote(/Press Ctrl-C/);
    expect(await visitor.page()).toContain('trace.js');
    expect(await visitor.ask('episodes', { from: 0, limit: 10 })).toMatchObject({
      total: 1,
      rows: [{ taskId: 't1', state: 'ended', reward: 1 }],
    });
    command.child.kill('SIGINT');
    expect(await command.exited).toMatchObject({ code: 0 });
  });

  it('takes the port it is told, and says when that is taken', async () => {
    const small = await project();
    await runCli(small, ['--conf', 'small.yaml', '--tasks', '1']);
    const first = startCli(small, ['trace', traceOf(small)], noBrowser);
    const [, port = ''] = await first.wrote(/viewer: http:\/\/127\.0\.0\.1:(\d+)/);
    const second = await runCli(small, ['trace', traceOf(small), '--port', port], noBrowser);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('[trace/cannot-listen]');
    first.child.kill('SIGINT');
    await first.exited;
    const third = startCli(small, ['trace', traceOf(small), '--port', port], noBrowser);
    await third.wrote(new RegExp(`viewer: http://127\\.0\\.0\\.1:${port}/#`));
    third.child.kill('SIGINT');
    await third.exited;
  });

  it('says which file does not exist', async () => {
    const small = await project();
    const { code, stderr } = await runCli(small, ['trace', 'gone.ajtrace'], noBrowser);
    expect(code).toBe(2);
    expect(stderr).toContain(`The trace ${small.path('gone.ajtrace')} does not exist. [trace/no-such-file]`);
    expect(stderr.match(/\[trace\//g)).toHaveLength(1);
  });
});
