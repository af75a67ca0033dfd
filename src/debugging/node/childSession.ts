import path from 'node:path';
import { isRecord } from '../../base/core/isRecord.ts';
import type { DebuggerAddress } from '../../backbone/core/protocol/run.ts';

/**
 * VS Code replaces the type of a session started by `startDebugging` with the type of its parent. This field holds the
 * intended type, and the configuration provider restores it. Other editors use `type` and ignore this field.
 */
export const childTypeField = '__agentjetChildType';

/** The debug type of the JavaScript debugger, built into VS Code and available to other editors. */
export const javaScriptDebugger = 'pwa-node';

/** The AgentJet debug type that connects to debugpy without another extension. */
export const pythonDebugType = 'agentjet-python';

/** The field with the port of debugpy on 127.0.0.1. The fields of debugpy itself would make it connect out. */
export const debugpyPortField = '__agentjetDebugpyPort';

/** The field with the token that debugpy requires. The editor sends it when it attaches. */
export const debugpyTokenField = '__agentjetDebugpyToken';

/** The request by which a client reports whether a Python child session is stopped: `{held}`. */
export const heldRequest = 'agentjet.held';

/** The request by which a client answers an LLM call in place of the model: `{id, text}`. */
export const answerRequest = 'agentjet.modelAnswers';

/** The value of `outputCapture` with which the parent session shows the output of the process. */
const capturedByParent = 'std';

export interface ChildConfiguration extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly request: 'attach';
  readonly name: string;
}

export interface ChildOptions {
  /** The WebSocket address of the inspector. */
  readonly address: string;
  readonly config: string;
  readonly cwd: string;
  readonly ownFolder: string;
  /** The attribute `jsDebug` or `pythonDebug`. It overrides all fields except those for the connection. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * Returns the configuration with which the JavaScript debugger attaches to the process of the run.
 *
 * - Node strips the types of most workflows in place, without a source map. Other workflows get an inline map when they
 *   are loaded. `pauseForSourceMap` pauses before such a script, so that its breakpoints bind in time.
 * - `outputCapture: 'std'` keeps the debugger from reporting `console` calls and logpoints. They also reach the standard
 *   streams, which the parent session shows, so no output is lost or shown twice.
 * - The debugger does not attach to child processes: it costs start-up time and is rarely needed.
 */
export function childConfiguration(options: ChildOptions): ChildConfiguration {
  const { config, cwd } = options;
  return {
    continueOnAttach: true,
    cwd,
    outputCapture: capturedByParent,
    autoAttachChildProcesses: false,
    attachExistingChildren: false,
    sourceMaps: true,
    pauseForSourceMap: true,
    resolveSourceMapLocations: [
      ...new Set([within(cwd), within(path.dirname(config))]),
      '!**/node_modules/**',
    ],
    skipFiles: ['<node_internals>/**', within(options.ownFolder)],
    customDescriptionGenerator: describeValue,
    ...options.overrides,
    type: javaScriptDebugger,
    [childTypeField]: javaScriptDebugger,
    request: 'attach',
    name: `${path.basename(config)}: workflow`,
    websocketAddress: options.address,
  };
}

/**
 * The source of a function that js-debug calls in the process of the run to describe an object. A chat message is shown as
 * `user: What is 1 + 1?`. js-debug does not call the function for arrays.
 */
const describeValue = `function (usual) {
  if (typeof this.role !== 'string' || !('content' in this)) return usual;
  const text = typeof this.content === 'string' ? this.content : String(JSON.stringify(this.content));
  return this.role + ': ' + (text.length > 80 ? text.slice(0, 80) + '…' : text);
}`;

/**
 * Returns the configuration of the debugpy session. debugpy already listens in the process. It does not attach to child
 * processes, and the parent session shows the output.
 */
export function pythonConfiguration({
  port,
  token,
  config,
  ownFolder,
  overrides,
}: Omit<ChildOptions, 'address' | 'cwd'> & DebuggerAddress): ChildConfiguration {
  const rules = Array.isArray(overrides['rules']) ? (overrides['rules'] as unknown[]) : [];
  return {
    justMyCode: true,
    ...overrides,
    rules: [...rules, { path: within(`${ownFolder}/python`), include: false }],
    subProcess: false,
    redirectOutput: false,
    type: pythonDebugType,
    [childTypeField]: pythonDebugType,
    [debugpyPortField]: port,
    [debugpyTokenField]: token,
    request: 'attach',
    name: `${path.basename(config)}: Python`,
  };
}

interface StackFrames {
  readonly stackFrames?: unknown;
  readonly totalFrames?: unknown;
}

/**
 * Removes the frames below the user's code from the end of a stack: those of AgentJet and of Node.js, which called it.
 *
 * @param message a message of the child's debug adapter, which this changes if it is the response to `stackTrace`
 * @param start the index of its first frame in the stack
 */
export function cutStack(message: object, start: number): void {
  const { command, body } = message as { readonly command?: unknown; readonly body?: unknown };
  if (command !== 'stackTrace' || !isRecord(body)) return;
  const { stackFrames, totalFrames } = body as StackFrames;
  if (!Array.isArray(stackFrames)) return;
  const last = (stackFrames as unknown[]).findLastIndex((frame) => isRecord(frame) && !isForeign(frame));
  const isWhole = typeof totalFrames !== 'number' || start + stackFrames.length >= totalFrames;
  if (last < 0 || !isWhole) return;
  Object.assign(body, { stackFrames: stackFrames.slice(0, last + 1), totalFrames: start + last + 1 });
}

function isForeign({ presentationHint, source }: Readonly<Record<string, unknown>>): boolean {
  if (presentationHint === 'label') return true;
  return isRecord(source) && source['presentationHint'] === 'deemphasize';
}

/** The exception filter of both debuggers for errors that user code does not catch. */
const uncaughtFilter = 'uncaught';

/**
 * Names the exception filter of a child session for what it does here, and turns it on. The editor keeps the choice of the
 * user for a filter with this name, separately from the choice for other programs.
 *
 * @param message a message of the child's debug adapter, which this changes if it is the response to `initialize`
 */
export function nameEpisodeErrors(
  message: object,
  texts: { readonly label: string; readonly description: string },
): void {
  const { command, body } = message as { readonly command?: unknown; readonly body?: unknown };
  if (command !== 'initialize' || !isRecord(body) || !Array.isArray(body['exceptionBreakpointFilters']))
    return;
  for (const filter of body['exceptionBreakpointFilters'] as unknown[]) {
    if (isRecord(filter) && filter['filter'] === uncaughtFilter)
      Object.assign(filter, texts, { default: true });
  }
}

/**
 * Returns whether the parent shows the standard streams while a child is attached. It does not if `jsDebug` makes the
 * child report `console` calls, with expandable objects and links to the calling line.
 */
export function parentShowsStreams(overrides: Readonly<Record<string, unknown>>): boolean {
  return (overrides['outputCapture'] ?? capturedByParent) === capturedByParent;
}

/** Restores the intended type of a configuration made by {@link childConfiguration} and removes the field. */
export function restoreChildType<T extends { type: string }>(configuration: T): T | undefined {
  const { [childTypeField]: type, ...rest } = configuration as T & Readonly<Record<string, unknown>>;
  return typeof type === 'string' ? ({ ...rest, type } as unknown as T) : undefined;
}

function within(folder: string): string {
  return `${folder.replaceAll('\\', '/').replace(/\/$/, '')}/**`;
}
