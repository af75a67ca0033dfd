/**
 * The debug adapter of type `agentjet`: one session per run. It owns the process of the run and shows the episodes.
 * The JavaScript debugger handles breakpoints, stepping and variables in a child session.
 *
 * The ways to start a session:
 *
 * - F5 without launch.json, with an AgentJet YAML in the active editor: the configuration provider fills in that file.
 * - F5 without launch.json, with a workflow in the active editor: the provider fills in the config that names it. It asks
 *   the user if there are several.
 * - launch.json: the settings supply the attributes that are not set.
 * - Code lens, editor title and palette (`agentjet.debug`, `agentjet.run`): the commands create a configuration and start
 *   it.
 * - Without debugging (`noDebug`): no inspector, no child session; this session shows the process's output.
 * - Restart, from here or from the child: `disconnect` with `restart`, then a new adapter with the same configuration.
 *   The request `restart` is not supported, because it would leave the old child and its process running.
 * - Code in Python: the run reports the port of debugpy, and a child session of type `agentjet-python` attaches to it. If
 *   the config names only Python code, no JavaScript debugger starts.
 * - Inline in the extension host of VS Code: `startChild` starts the child through the API of the editor, which ends it
 *   with its parent.
 * - As a separate process (`debugServer`, stdio), for other editors and for debugging the adapter: the reverse request
 *   `startDebugging` starts the child. For a client without that request, the output names the address to attach to.
 */

import { ProtocolServer } from '@vscode/debugadapter/lib/protocol.js';
import { Event, Response } from '@vscode/debugadapter/lib/messages.js';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { toReport } from '../../base/core/errors.ts';
import type { DebuggerAddress, ModelAnswer, RunEvent } from '../../backbone/core/protocol/run.ts';
import type { Clock } from '../../base/core/ports.ts';
import {
  answerRequest,
  childConfiguration,
  debugpyPortField,
  debugpyTokenField,
  heldRequest,
  parentShowsStreams,
  pythonConfiguration,
  type ChildConfiguration,
} from './childSession.ts';
import { customEvents, traceEnded } from './customEvents.ts';
import { debugErrors, toDapMessage } from './errors.ts';
import { RunProgress } from '../../backbone/node/client/runReport.ts';
import { InspectorRelay } from './inspectorRelay.ts';
import { resolveLaunch, settingsOf, type ResolvedLaunch } from './launchConfiguration.ts';
import type { RunContext } from '../../backbone/node/options/resolveRun.ts';
import { RunControl } from './runControl.ts';
import type { RunExit, RunLauncher, RunProcess, RunOutput } from '../../backbone/node/client/runLauncher.ts';
import { RunReporter, streamOutput, type DapEvent } from './runReporter.ts';
import type { Disposable } from '../../base/core/disposable.ts';

export interface AdapterPorts extends RunContext {
  readonly launcher: RunLauncher;
  readonly clock: Clock;
  /** The folder of the AgentJet bundles, which stepping skips. */
  readonly ownFolder: string;
  /** The launch attribute `accessToken` must have this value. Undefined: only the owner can reach the adapter. */
  readonly accessToken?: string | undefined;
  /** Starts a child session without the protocol. Resolves to whether it started. */
  readonly startChild?: (configuration: ChildConfiguration) => Promise<boolean>;
}

type Arguments = Readonly<Record<string, unknown>>;
/** Returns the body of the response. An exception becomes an error response. */
type Handler = (args: Arguments) => unknown;

/** Milliseconds after which the start of an episode is reported. Most episodes have ended by then. */
const noticeMilliseconds = 3000;

const refused = 'the editor refused to start it';

/** Requests that a client makes without user action. Their errors must not open a popup. */
const quietRequests: ReadonlySet<string> = new Set(['evaluate', 'stackTrace', 'scopes', 'variables']);

const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsTerminateRequest: true,
  supportsCancelRequest: true,
  supportsANSIStyling: true,
};

export class AgentJetSession extends ProtocolServer {
  readonly #ports: AdapterPorts;
  readonly #control: RunControl;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #output: OutputBatch;
  readonly #gathered = new RunProgress();
  #client: Partial<DebugProtocol.InitializeRequestArguments> = {};
  #reporter = new RunReporter({ verbose: false, progress: false, styled: false }, this.#gathered);
  readonly #notices = new Map<number, Disposable>();
  #childAnswer: ((response: DebugProtocol.Response) => void) | undefined;
  #lastChild: Promise<unknown> = Promise.resolve();
  /** The connection of the JavaScript debugger. */
  #relay: InspectorRelay | undefined;
  #launchFailed = false;
  /** The LLM call that waits for the answer of a person. */
  #asked: number | undefined;
  #silent = false;

  constructor(ports: AdapterPorts) {
    super();
    this.#ports = ports;
    this.#control = new RunControl(ports.launcher, ports.clock);
    this.#output = new OutputBatch(ports.clock, ({ stream, text }) =>
      this.#sendNow([streamOutput(stream, text)]),
    );
    this.#handlers = new Map(Object.entries(this.#makeHandlers()));
    // The stream broke or closed: the client is gone, so the run ends.
    this.on('close', () => this.dispose());
    this.on('error', () => this.dispose());
  }

  override dispose(): void {
    this.#silent = true;
    this.#output.dispose();
    for (const notice of this.#notices.values()) notice.dispose();
    void this.#control.kill();
  }

  override sendEvent(event: DebugProtocol.Event): void {
    if (!this.#silent) super.sendEvent(event);
  }

  override handleMessage(message: DebugProtocol.ProtocolMessage): void {
    if (message.type === 'response') this.#childAnswer?.(message as DebugProtocol.Response);
    else super.handleMessage(message);
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    void this.#answer(request);
  }

  /** Every request gets exactly one response, whatever its handler does. */
  async #answer(request: DebugProtocol.Request): Promise<void> {
    const response: DebugProtocol.Response = new Response(request);
    try {
      const handler = this.#handlers.get(request.command);
      if (!handler) throw debugErrors.unsupportedRequest(request.command);
      const body: unknown = await handler((request.arguments ?? {}) as Arguments);
      if (body !== undefined) response.body = body;
    } catch (error) {
      const message = toDapMessage(error, {
        showUser: !quietRequests.has(request.command),
        settings: settingsOf((request.arguments ?? {}) as Arguments),
      });
      response.success = false;
      response.message = message.variables?.['_text'] ?? message.format;
      response.body = { error: message };
    }
    this.sendResponse(response);
    if (request.command === 'initialize') this.sendEvent(new Event('initialized'));
  }

  #makeHandlers(): Readonly<Record<string, Handler>> {
    const neverStopped = (command: string): [string, Handler] => [
      command,
      () => {
        throw debugErrors.neverStopped(command);
      },
    ];
    return {
      initialize: (args) => {
        this.#client = args;
        return capabilities;
      },
      launch: (args) => this.#launch(args),
      configurationDone: () => undefined,
      setBreakpoints: (args) => unverified(args),
      setExceptionBreakpoints: () => undefined,
      threads: () => ({ threads: this.#reporter.threads() }),
      cancel: (args) => this.#cancelProgress(args),
      terminate: () => this.#terminate(),
      disconnect: () => this.#disconnect(),
      evaluate: (args) => this.#evaluate(args),
      [answerRequest]: (args) => this.#control.answer(answerOf(args)),
      [heldRequest]: ({ held }) => this.#control.hold(held === true),
      pause: () => {
        throw debugErrors.cannotPause();
      },
      ...Object.fromEntries(
        ['continue', 'next', 'stepIn', 'stepOut', 'stackTrace', 'scopes', 'variables'].map(neverStopped),
      ),
    };
  }

  async #launch({ accessToken, ...args }: Arguments): Promise<void> {
    if (this.#ports.accessToken !== undefined && accessToken !== this.#ports.accessToken)
      throw debugErrors.wrongAccessToken();
    this.#control.claim();
    const launch = await resolveLaunch(args, this.#ports);
    this.#send(launch.notes.map((note) => streamOutput('stderr', `${note}\n`)));
    this.#reporter = new RunReporter(
      {
        verbose: launch.verbose,
        // The extension shows runs in the status bar.
        progress: this.#client.supportsProgressReporting === true && this.#ports.startChild === undefined,
        styled: this.#client.supportsANSIStyling === true,
        settings: settingsOf(args),
      },
      this.#gathered,
    );
    const run = await this.#control.start(launch.spec);
    this.#follow(run, launch);
    if (launch.spec.inspect) await this.#debug(run, launch);
  }

  #follow(run: RunProcess, launch: ResolvedLaunch): void {
    run.onEvent((event) => {
      this.#gathered.take(event);
      this.#send([...this.#reporter.report(event), ...customEvents(event, this.#gathered)]);
      this.#noticeEpisode(event);
      if (event.type === 'model-asks') this.#asked = event.id;
      if (event.type === 'model-asks-no-more') this.#asked = undefined;
      if (event.type === 'debugger') void this.#debugPython(event.address, launch);
    });
    if (!launch.spec.inspect || parentShowsStreams(launch.jsDebug)) {
      run.onOutput((output) => this.#output.push(output));
    }
    void run.exited.then((exit) => this.#runEnded(exit));
  }

  /** Reports an episode that does not end soon, for example because it is stopped at a breakpoint. */
  #noticeEpisode(event: RunEvent): void {
    if (event.type === 'episode-started') {
      const notice = (): void => this.#send(this.#reporter.stillRunning(event));
      this.#notices.set(event.episode, this.#ports.clock.after(noticeMilliseconds, notice));
    }
    if (event.type === 'episode-ended') this.#notices.get(event.result.episode)?.dispose();
  }

  #runEnded(exit: RunExit): void {
    const stopped = this.#control.isStopping;
    // A stopped run may exit without a final event.
    this.#send(this.#reporter.processEnded(stopped ? undefined : exit.error));
    this.#send(traceEnded(this.#gathered, { stopped }));
    this.#send([
      {
        event: 'exited',
        body: { exitCode: this.#reporter.exitCode({ stopped: stopped && !this.#launchFailed }) },
      },
      { event: 'terminated', body: undefined },
    ]);
  }

  /** Attaches the JavaScript debugger to the run, which waits for it before it loads the user's code. */
  async #debug(run: RunProcess, launch: ResolvedLaunch): Promise<void> {
    const { config, cwd } = launch.spec.request;
    const ended = run.exited.then((exit) => {
      if (this.#control.isStopping) throw debugErrors.stopped();
      // A short run may be over before the editor has said that the child has started.
      if (exit.error) throw exit.error;
    });
    try {
      const url = await Promise.race([run.inspectorUrl.catch(() => ended), ended]);
      if (url === undefined) return;
      const relay = await InspectorRelay.listen(url, () => run.debuggerAttached());
      this.#relay = relay;
      void run.exited.then(() => relay.dispose());
      const { ownFolder } = this.#ports;
      const { address } = relay;
      const child = childConfiguration({ address, config, cwd, ownFolder, overrides: launch.jsDebug });
      await Promise.race([this.#startChild(child), ended]);
    } catch (error) {
      this.#launchFailed = true;
      void this.#control.kill(); // it would wait for its debugger for ever
      throw error;
    }
  }

  /** Starts the debugpy session that the Python code of the user waits for. */
  async #debugPython(address: DebuggerAddress, { spec, pythonDebug }: ResolvedLaunch): Promise<void> {
    const { config } = spec.request;
    const { ownFolder } = this.#ports;
    const child = pythonConfiguration({ ...address, config, ownFolder, overrides: pythonDebug });
    try {
      await this.#startChild(child);
    } catch (error) {
      if (this.#control.isStopping) return;
      this.#launchFailed = true;
      this.#send(this.#reporter.report(problemOf(error)));
      void this.#control.kill(); // it would wait for its debugger for ever
    }
  }

  async #startChild(child: ChildConfiguration): Promise<void> {
    if (this.#ports.startChild) {
      const started = await this.#ports.startChild(child).catch((error: unknown) => {
        throw debugErrors.childNotStarted(toReport(error, 'debug/internal').message);
      });
      if (!started) throw debugErrors.childNotStarted(refused);
    } else if (this.#client.supportsStartDebuggingRequest === true) {
      const response = await this.#requestChild(child);
      if (!response.success) throw debugErrors.childNotStarted(response.message ?? refused);
    } else {
      this.#send([streamOutput('stdout', attachYourself(child))]);
    }
  }

  /** Sends `startDebugging`. It is the only request of this adapter, one at a time, so each response belongs to it. */
  #requestChild(configuration: ChildConfiguration): Promise<DebugProtocol.Response> {
    const args: DebugProtocol.StartDebuggingRequestArguments = { request: 'attach', configuration };
    const request = (resolve: (response: DebugProtocol.Response) => void): void => {
      this.#childAnswer = resolve;
      // The call omits the required callback, because the callback adds a time-out and a client may ask its user first.
      Reflect.apply(this.sendRequest.bind(this), undefined, ['startDebugging', args]);
    };
    const response = this.#lastChild.then(() => new Promise(request));
    this.#lastChild = response;
    return response;
  }

  /** Takes console input as the answer to the LLM call that waits for a person. */
  #evaluate(args: Arguments): DebugProtocol.EvaluateResponse['body'] {
    const { expression, context } = args as Partial<DebugProtocol.EvaluateArguments>;
    const asked = this.#asked;
    if (asked === undefined || context !== 'repl' || expression === undefined) {
      throw debugErrors.cannotEvaluate();
    }
    this.#control.answer({ id: asked, text: expression });
    return { result: 'Sent as the answer of the model.', variablesReference: 0 };
  }

  #cancelProgress(args: Arguments): void {
    const { progressId } = args as DebugProtocol.CancelArguments;
    if (this.#reporter.isProgress(progressId)) this.#stop();
  }

  #terminate(): void {
    if (!this.#stop()) this.#send([{ event: 'terminated', body: undefined }]);
  }

  /** Returns false if nothing runs. */
  #stop(): boolean {
    const isFirst = !this.#control.isStopping;
    const willEnd = this.#control.stop();
    if (!isFirst || !this.#control.trains) return willEnd;
    this.#send(this.#reporter.stopping());
    // Without its debugger, a process at a breakpoint continues, and can save a checkpoint.
    this.#relay?.dispose();
    return willEnd;
  }

  async #disconnect(): Promise<void> {
    this.#silent = true; // the client has said good-bye
    await this.#control.kill();
  }

  #send(events: readonly DapEvent[]): void {
    this.#output.flush();
    this.#sendNow(events);
  }

  #sendNow(events: readonly DapEvent[]): void {
    for (const { event, body } of events) this.sendEvent(new Event(event, body));
  }
}

function answerOf({ id, text }: Arguments): ModelAnswer {
  if (typeof id === 'number' && typeof text === 'string') return { id, text };
  throw debugErrors.badAnswer();
}

function problemOf(error: unknown): RunEvent {
  return { type: 'problem', severity: 'error', report: toReport(error, 'debug/internal') };
}

/** The child session binds breakpoints; VS Code merges its answer with this one. */
function unverified(args: Arguments): DebugProtocol.SetBreakpointsResponse['body'] {
  const { breakpoints = [] } = args as Partial<DebugProtocol.SetBreakpointsArguments>;
  return {
    breakpoints: breakpoints.map(({ line }) => ({
      verified: false,
      line,
      message: 'The debugger of its language binds the breakpoint when the workflow is loaded.',
    })),
  };
}

function attachYourself(child: ChildConfiguration): string {
  const port = child[debugpyPortField];
  const [which, address] =
    port === undefined
      ? ['a JavaScript debugger', String(child['websocketAddress'])]
      : ['a client of debugpy', `127.0.0.1:${Number(port)} with ${debugpyToken(child)}`];
  return `The run waits for ${which}. This client cannot start one, so attach it to ${address}.\n`;
}

function debugpyToken({ [debugpyTokenField]: token }: ChildConfiguration): string {
  return `the attribute "${debugpyTokenField}": "${String(token)}"`;
}

/** Long enough to gather what a loop prints, too short to notice. */
const gatherMilliseconds = 20;
/** Characters of one event. */
const mostCharacters = 65_536;

/**
 * Combines the output of a process into fewer, larger events, because an editor cannot show tens of thousands of small ones
 * in time. It keeps the order, also between the streams.
 */
export class OutputBatch implements Disposable {
  readonly #clock: Clock;
  readonly #send: (output: RunOutput) => void;
  #stream: RunOutput['stream'] = 'stdout';
  #parts: string[] = [];
  #length = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, send: (output: RunOutput) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  push({ stream, text }: RunOutput): void {
    if (stream !== this.#stream) this.flush();
    this.#stream = stream;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= mostCharacters) this.flush();
    else this.#timer ??= this.#clock.after(gatherMilliseconds, () => this.flush());
  }

  /** Sends the buffered output. Call it before any other event, to keep the order. */
  flush(): void {
    const text = this.#parts.join('');
    this.dispose();
    if (text !== '') this.#send({ stream: this.#stream, text });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#parts = [];
    this.#length = 0;
  }
}
