import process from 'node:process';
import { formatReport, toReport, CodedError } from '../../base/core/errors.ts';
import { endServer, traceServerSpawner, type SpawnTraceServer } from '../node/client/serverProcess.ts';
import type { CommandOutput } from '../../base/node/terminal/commandIo.ts';
import { openBrowser } from '../../base/node/terminal/browser.ts';
import { cancelledByInterrupt, type Interrupts } from '../../base/node/terminal/interrupts.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { LineSplitter } from '../../base/core/lineSplitter.ts';
import type { HttpGreeting } from '../node/errors.ts';
import { clientErrors } from '../node/client/errors.ts';

export interface LogViewOptions {
  readonly distFolder: string;
  readonly runtime: string | undefined;
  /** `--port`; undefined: any free one. */
  readonly port?: number | undefined;
  readonly stderr: CommandOutput;
}

/** Opens the viewer in a browser for the command line. All of its messages go to stderr. */
export class LogView {
  readonly #options: LogViewOptions;
  #opening: Promise<BrowserViewer | undefined> | undefined;

  constructor(options: LogViewOptions) {
    this.#options = options;
  }

  take(event: { readonly type: string; readonly trace?: unknown }): void {
    if (event.type !== 'run-started' || this.#opening !== undefined) return;
    if (typeof event.trace === 'string')
      this.#opening = this.open(event.trace).catch((error: unknown) => this.#tellWhyNot(error));
    else this.#options.stderr.write('This run has no trace, so there is nothing for a viewer to show.\n');
  }

  /** Serves a trace, and others to compare it with, and prints the address. Rejects with a CodedError. */
  async open(trace: string, others: readonly string[] = []): Promise<BrowserViewer> {
    const { distFolder, runtime, port, stderr } = this.#options;
    const spawn = traceServerSpawner({
      distFolder,
      ownExecutable: process.execPath,
      runtimeExecutable: () => runtime,
    });
    const viewer = await serveViewer(spawn, trace, { others, port });
    stderr.write(`viewer: ${viewer.url}\n`);
    openBrowser(viewer.url, process.env, process.platform);
    return viewer;
  }

  /** Keeps a viewer that was opened for a run until Ctrl-C. Resolves at once if there is none. */
  async stay(): Promise<void> {
    const viewer = await this.#opening;
    if (viewer !== undefined) await untilInterrupted(viewer, cancelledByInterrupt(), this.#options.stderr);
  }

  async close(): Promise<void> {
    (await this.#opening)?.dispose();
  }

  #tellWhyNot(error: unknown): undefined {
    this.#options.stderr.write(`agentjet: ${formatReport(toReport(error, 'trace/no-viewer'))}\n`);
  }
}

/** Resolves at Ctrl-C, or when the viewer's server has ended by itself. */
export async function untilInterrupted(
  viewer: BrowserViewer,
  interrupts: Interrupts,
  stderr: CommandOutput,
): Promise<void> {
  const interrupted = new Promise<'interrupted'>((resolve) => {
    interrupts.source.token.onCancelled(() => resolve('interrupted'));
  });
  stderr.write(`The viewer stays at ${viewer.url}\nPress Ctrl-C to end it.\n`);
  const why = await Promise.race([interrupted, viewer.ended]);
  if (why !== 'interrupted') stderr.write('The viewer ended by itself.\n');
  viewer.dispose();
  await viewer.ended;
  interrupts.dispose();
}

export interface BrowserViewer extends Disposable {
  /** The address, with the token in its fragment. */
  readonly url: string;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
}

interface ServeOptions {
  readonly others?: readonly string[];
  /** 0: any free one. */
  readonly port?: number | undefined;
}

/** Serves a trace to browsers on this machine until disposed. Rejects with a CodedError. */
export async function serveViewer(
  spawn: SpawnTraceServer,
  trace: string,
  { others = [], port = 0 }: ServeOptions = {},
): Promise<BrowserViewer> {
  const compared = others.flatMap((other) => ['--other', other]);
  const child = await spawn(['--http', '--trace', trace, ...compared, '--port', String(port)]);
  let said = '';
  child.stderr.on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const splitter = new LineSplitter();
  const greeting = await new Promise<HttpGreeting>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      for (const line of splitter.push(text)) resolve(JSON.parse(line) as HttpGreeting);
    });
    void ended.then(() => reject(clientErrors.noViewer(said.trim())));
  });
  if ('error' in greeting) throw new CodedError(greeting.error);
  return { url: greeting.url, ended, dispose: () => endServer(child) };
}
