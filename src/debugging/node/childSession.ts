import path from 'node:path';

/**
 * VS Code forces the type of a session started by the reverse request `startDebugging` to its parent's. The type
 * that is meant travels in this field as well, and the configuration provider puts it back; other editors take
 * `type` as it is and never look here.
 */
export const childTypeField = '__agentjetChildType';

/** The debug type of the JavaScript debugger, built into VS Code and available to other editors. */
const javaScriptDebugger = 'pwa-node';

/** The debug type of ours that reaches debugpy, which needs no other extension. */
export const pythonDebugType = 'agentjet-python';

/** The field of such a configuration that says where debugpy listens on 127.0.0.1; its own fields would have it dial out. */
export const debugpyPortField = '__agentjetDebugpyPort';

/** The request of a client that tells whether a Python session, a child of ours, is stopped: `{held}`. */
export const heldRequest = 'agentjet.held';

/** The value of `outputCapture` with which the JavaScript debugger leaves the process's output to its parent. */
const capturedByParent = 'std';

export interface ChildConfiguration extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly request: 'attach';
  readonly name: string;
}

export interface ChildOptions {
  readonly port: number;
  /** Absolute path of the run's config. */
  readonly config: string;
  readonly cwd: string;
  /** The folder of our own bundles. */
  readonly ownFolder: string;
  /** The attribute `jsDebug`: wins, save where the process is and how it is reached. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * How the JavaScript debugger attaches to the run's process.
 *
 * - Most workflows run with their types stripped in place and need no source map. Those that Node cannot strip get
 *   an inline map when they are loaded; no file on disk foretells it, so the debugger has to pause before such a
 *   script runs to bind its breakpoints in time (`pauseForSourceMap`). Scripts without a map cost nothing.
 * - `outputCapture: 'std'` keeps the debugger from reporting `console` calls, logpoints included: all of them reach
 *   the process's standard streams too, which the parent session shows. So nothing is lost (a plain
 *   `process.stdout.write` the debugger does not see) and nothing appears twice.
 * - No process that the workflow starts is attached to: that costs start-up time, and those are seldom meant.
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
    ...options.overrides,
    type: javaScriptDebugger,
    [childTypeField]: javaScriptDebugger,
    request: 'attach',
    name: `${path.basename(config)}: workflow`,
    address: '127.0.0.1',
    port: options.port,
  };
}

export interface PythonChildOptions {
  readonly port: number;
  readonly config: string;
  /** The attribute `pythonDebug`: wins, save where the process is. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * How debugpy's session begins; it listens in the process already. Processes that the workflow starts are not attached to,
 * and what the process prints the parent shows.
 */
export function pythonConfiguration({ port, config, overrides }: PythonChildOptions): ChildConfiguration {
  return {
    justMyCode: true,
    ...overrides,
    subProcess: false,
    redirectOutput: false,
    type: pythonDebugType,
    [childTypeField]: pythonDebugType,
    [debugpyPortField]: port,
    request: 'attach',
    name: `${path.basename(config)}: Python`,
  };
}

/**
 * Whether the parent has to show the process's standard streams while a child is attached: unless the user's
 * `jsDebug` has the child report `console` calls, with objects to unfold and links to the line that made the call.
 */
export function parentShowsStreams(overrides: Readonly<Record<string, unknown>>): boolean {
  return (overrides['outputCapture'] ?? capturedByParent) === capturedByParent;
}

/** The type that a configuration made by {@link childConfiguration} asks for, and that configuration without the field. */
export function restoreChildType<T extends { type: string }>(configuration: T): T | undefined {
  const { [childTypeField]: type, ...rest } = configuration as T & Readonly<Record<string, unknown>>;
  return typeof type === 'string' ? ({ ...rest, type } as unknown as T) : undefined;
}

function within(folder: string): string {
  return `${folder.replaceAll('\\', '/').replace(/\/$/, '')}/**`;
}
