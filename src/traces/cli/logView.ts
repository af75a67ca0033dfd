import process from 'node:process';
import { formatReport, toReport } from '../../base/core/errors.ts';
import { serveViewer, type BrowserViewer } from '../node/client/browserViewer.ts';
import { traceServerSpawner } from '../node/client/serverProcess.ts';
import { openBrowser } from '../../base/node/terminal/browser.ts';
import { cancelledByInterrupt, type Interrupts } from '../../base/node/terminal/interrupts.ts';

export interface LogViewOptions {
  readonly distFolder: string;
  /** `--runtime`. */
  readonly runtime: string | undefined;
  /** `--port`; undefined: any free one. */
  readonly port?: number | undefined;
}

/** The viewer in a browser, from the command line. All that it says goes to stderr. */
export class LogView {
  readonly #options: LogViewOptions;
  #opening: Promise<BrowserViewer | undefined> | undefined;

  constructor(options: LogViewOptions) {
    this.#options = options;
  }

  /** Opens the viewer when a run has started. Ignores all other events of the run. */
  take(event: { readonly type: string; readonly trace?: unknown }): void {
    if (event.type !== 'run-started' || this.#opening !== undefined) return;
    if (typeof event.trace === 'string') this.#opening = this.open(event.trace).catch(tellWhyNot);
    else say('This run has no trace, so there is nothing for a viewer to show.');
  }

  /**
   * Serves a trace and tells where. Rejects with a CodedError.
   *
   * @param others that it may be compared with
   */
  async open(trace: string, others: readonly string[] = []): Promise<BrowserViewer> {
    const { distFolder, runtime, port } = this.#options;
    const spawn = traceServerSpawner({
      distFolder,
      ownExecutable: process.execPath,
      runtimeExecutable: () => runtime,
    });
    const viewer = await serveViewer(spawn, trace, { others, port });
    say(`viewer: ${viewer.url}`);
    openBrowser(viewer.url, process.env, process.platform);
    return viewer;
  }

  /** Keeps a viewer that was opened for a run until Ctrl-C; at once when there is none. */
  async stay(): Promise<void> {
    const viewer = await this.#opening;
    if (viewer !== undefined) await untilInterrupted(viewer, cancelledByInterrupt());
  }

  /** Ends a viewer that was opened for a run. */
  async close(): Promise<void> {
    (await this.#opening)?.dispose();
  }
}

/** Resolves at Ctrl-C, or when the viewer's server has ended by itself. */
export async function untilInterrupted(viewer: BrowserViewer, interrupts: Interrupts): Promise<void> {
  const interrupted = new Promise<'interrupted'>((resolve) => {
    interrupts.source.token.onCancelled(() => resolve('interrupted'));
  });
  say(`The viewer stays at ${viewer.url}\nPress Ctrl-C to end it.`);
  const why = await Promise.race([interrupted, viewer.ended]);
  if (why !== 'interrupted') say('The viewer ended by itself.');
  viewer.dispose();
  await viewer.ended;
  interrupts.dispose();
}

function tellWhyNot(error: unknown): undefined {
  say(`agentjet: ${formatReport(toReport(error, 'trace/no-viewer'))}`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
