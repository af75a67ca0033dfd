/** Drives VS Code's debugger through its API and listens to what its sessions say. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as vscode from 'vscode';

interface Message {
  readonly session: vscode.DebugSession;
  readonly message: DebugProtocol.Event;
}

export interface Frame {
  readonly session: vscode.DebugSession;
  readonly threadId: number;
  readonly frameId: number;
  readonly name: string;
  /** Path on disk, however the editor spells it. */
  readonly file: string;
  readonly line: number;
}

export function workspaceFolder(): vscode.WorkspaceFolder {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the editor has a folder open');
  return folder;
}

export function fileUri(name: string): vscode.Uri {
  return vscode.Uri.joinPath(workspaceFolder().uri, name);
}

/** The 0-based line of a file of the workspace that contains `text`, which must be there once. */
export async function lineOf(name: string, text: string): Promise<number> {
  const document = await vscode.workspace.openTextDocument(fileUri(name));
  const lines = document.getText().split('\n');
  const found = lines.findIndex((line) => line.includes(text));
  assert.ok(found >= 0, `${name} has a line with ${text}`);
  return found;
}

/** Gives each test of a suite a conversation, after which no process of a run may be left. */
export function inConversation(begin: (debug: Conversation) => void): void {
  let debug: Conversation;
  beforeEach(() => {
    debug = new Conversation();
    begin(debug);
  });
  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });
}

/** One conversation with the debugger: everything its sessions say from construction to `dispose`. */
export class Conversation {
  readonly #messages: Message[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #disposables: vscode.Disposable[] = [];
  readonly #sessions: vscode.DebugSession[] = [];
  readonly #ended = new Set<string>();

  constructor() {
    const notify = (): void => {
      for (const check of [...this.#waiting]) check();
    };
    this.#disposables.push(
      vscode.debug.registerDebugAdapterTrackerFactory('*', {
        createDebugAdapterTracker: (session) => ({
          onDidSendMessage: (message: DebugProtocol.ProtocolMessage) => {
            if (message.type !== 'event') return;
            this.#messages.push({ session, message: message as DebugProtocol.Event });
            notify();
          },
        }),
      }),
      vscode.debug.onDidStartDebugSession((session) => {
        this.#sessions.push(session);
        notify();
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.#ended.add(session.id);
        notify();
      }),
    );
  }

  /** Ends what still runs, and forgets all breakpoints and what runs have found. */
  async dispose(): Promise<void> {
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    const running = this.#sessions.filter((session) => !this.#ended.has(session.id));
    if (running.length > 0) {
      await vscode.debug.stopDebugging();
      await this.until('all sessions have ended', () => running.every(({ id }) => this.#ended.has(id)));
    }
    await vscode.commands.executeCommand('agentjet.clearRunNotes');
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async launch(attributes: Readonly<Record<string, unknown>> = {}, noDebug = false): Promise<void> {
    const configuration = {
      type: 'agentjet',
      request: 'launch',
      name: 'test',
      config: fileUri('math_agent.yaml').fsPath,
      ...attributes,
    };
    const started = await vscode.debug.startDebugging(workspaceFolder(), configuration, { noDebug });
    assert.equal(started, true, 'the session starts');
  }

  /** Waits for the condition; fails with what was said so far. */
  async until(what: string, holds: () => boolean, timeoutMs = 30_000): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!holds()) return;
        stop();
        resolve();
      };
      const poll = setInterval(check, 50);
      const limit = setTimeout(() => {
        stop();
        // This process may have stood still for so long.
        if (holds()) resolve();
        else reject(new Error(`Waited in vain until ${what}. Output so far:\n${this.output()}`));
      }, timeoutMs);
      const stop = (): void => {
        clearInterval(poll);
        clearTimeout(limit);
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
    });
  }

  /** The top frame of the n-th stop (from 1). */
  async stopped(count = 1): Promise<Frame> {
    const stops = (): Message[] => this.#messages.filter(({ message }) => message.event === 'stopped');
    await this.until(`stop ${count}`, () => stops().length >= count);
    const stop = stops()[count - 1];
    assert.ok(stop);
    const { threadId } = stop.message.body as { threadId: number };
    const trace = (await stop.session.customRequest('stackTrace', {
      threadId,
      startFrame: 0,
      levels: 1,
    })) as DebugProtocol.StackTraceResponse['body'];
    const [frame] = trace.stackFrames;
    assert.ok(frame, 'a stopped thread has a frame');
    return {
      session: stop.session,
      threadId,
      frameId: frame.id,
      name: frame.name,
      file: pathOf(frame.source?.path ?? ''),
      line: frame.line,
    };
  }

  /** What the debugger makes of an expression in a frame. */
  async evaluate(frame: Frame, expression: string): Promise<string> {
    const answer = (await frame.session.customRequest('evaluate', {
      expression,
      frameId: frame.frameId,
      context: 'watch',
    })) as DebugProtocol.EvaluateResponse['body'];
    return answer.result;
  }

  async request(frame: Frame, command: 'continue' | 'next' | 'stepIn' | 'stepOut'): Promise<void> {
    const answer = frame.session.customRequest(command, { threadId: frame.threadId });
    // Of a program that is at its end, the session may be over before it has answered.
    await answer.then(undefined, (error: unknown) => {
      if (command !== 'continue' || (error as Error).name !== 'Canceled') throw error;
    });
  }

  /** Hears of each event by its name, as it comes. */
  onEvent(listener: (event: string) => void): void {
    let heard = 0;
    this.#waiting.add(() => {
      for (; heard < this.#messages.length; heard++) listener(this.#messages[heard]?.message.event ?? '');
    });
  }

  /** Everything any session printed, in order. */
  output(): string {
    return this.#messages
      .filter(({ message }) => message.event === 'output')
      .map(({ message }) => message.body as DebugProtocol.OutputEvent['body'])
      .filter((body) => body.category !== 'telemetry')
      .map((body) => body.output)
      .join('');
  }

  events(name: string): readonly DebugProtocol.Event[] {
    return this.#messages.filter(({ message }) => message.event === name).map(({ message }) => message);
  }

  sessions(): readonly vscode.DebugSession[] {
    return this.#sessions;
  }

  /** Waits until the run and its child are over. */
  async ended(timeoutMs = 30_000): Promise<void> {
    await this.until(
      'every session has ended',
      () => this.#sessions.length > 0 && this.#sessions.every(({ id }) => this.#ended.has(id)),
      timeoutMs,
    );
  }
}

/** In a remote editor, debuggers see paths as `vscode-remote://…`. */
function pathOf(source: string): string {
  return source.startsWith('vscode-remote:') ? vscode.Uri.parse(source).path : path.normalize(source);
}

export function breakAt(
  name: string,
  line: number,
  options: { condition?: string; log?: string } = {},
): void {
  const location = new vscode.Location(fileUri(name), new vscode.Position(line, 0));
  vscode.debug.addBreakpoints([
    new vscode.SourceBreakpoint(location, true, options.condition, undefined, options.log),
  ]);
}

/** Processes of runs that this editor started: our backbone, and whatever it started in turn. */
export function backboneProcesses(...parts: readonly string[]): readonly string[] {
  const sought = parts.length > 0 ? parts : ['backbone.mjs', 'agentjet_worker', 'agentjet-test-child'];
  const marker = process.env['AGENTJET_E2E_TEMP'];
  assert.ok(marker, 'the harness marks its processes');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => procText(pid, 'environ').includes(marker))
    .map((pid) => `${pid} ${procText(pid, 'cmdline').replaceAll('\0', ' ')}`)
    .filter((command) => sought.some((part) => command.includes(part)));
}

function procText(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}
