import { messageOf } from '../../../base/core/errors.ts';
/** The Python process of a run, which is started on first use and ends with the run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type AddressInfo } from 'node:net';
import process from 'node:process';
import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { afterRunningTime } from '../../core/task-runner/runningTime.ts';
import type { Clock } from '../../../base/core/ports.ts';
import {
  workerFailure,
  workerNotifications,
  workerRequests,
  type WorkerRequest,
  type WorkerBegin,
  type WorkerFailure,
  type WorkerMethod,
} from '../../core/protocol/worker.ts';
import type { DebuggerAddress } from '../../core/protocol/run.ts';
import { deferred } from '../../../base/node/process/deferred.ts';
import { isFromOtherUser } from '../../../base/node/peerUser.ts';
import { printedElsewhere } from '../printedOutput.ts';
import { localFiles } from '../../../base/node/files.ts';
import { pythonErrors, type InterpreterInfo, PythonError } from './errors.ts';
import { environmentOf } from './interpreter.ts';
import { killSurvivors, processesWith } from '../../../base/node/process/kill.ts';

export interface WorkerLaunch {
  readonly executable: string;
  readonly folder: string;
  readonly cwd: string;
  readonly begin: Pick<WorkerBegin, 'path' | 'package' | 'plugins' | 'debug' | 'debugpy'>;
  readonly clock: Clock;
  /** Answers a request of the user's code, which receives thrown errors. */
  answer(method: WorkerRequest, params: Readonly<Record<string, unknown>>): unknown;
  onUncaught(error: PythonError): void;
  /** Called if packages of a requirements.txt are missing. */
  onMissing(file: string, packages: readonly string[]): void;
  /** Called when the process waits for a debugger. */
  onDebugger(address: DebuggerAddress): void;
}

export interface CallHandle {
  readonly result: Promise<unknown>;
  /** Cancels the call. The result still settles. */
  cancel(): void;
}

/** Seconds until it must be ready. Before that it imports the standard library and debugpy. */
const startLimit = 60;
/** Milliseconds to print its stack after the signal. */
const stackTime = 2000;

/** Rejects with `python/not-found`, `python/did-not-start`, `python/hangs`, or the error of its start. */
export async function startWorker(launch: WorkerLaunch): Promise<PythonWorker> {
  const { executable, clock } = launch;
  const interpreter = { executable, environment: await environmentOf(executable, localFiles) };
  const token = randomBytes(24).toString('hex');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = spawnWorker(launch, { ...launch.begin, port: (server.address() as AddressInfo).port, token });
  const start = { hangs: false };
  const limit = afterRunningTime(clock, startLimit, () => {
    start.hangs = true;
    endWithStack(child, clock);
  });
  try {
    const worker = new PythonWorker(child, await connected(server, child, interpreter, token), launch);
    await worker.ready;
    return worker;
  } catch (error) {
    throw start.hangs ? pythonErrors.hangs(interpreter, startLimit) : error;
  } finally {
    limit.dispose();
    server.close();
  }
}

/** A variable in the environment of a run's Python, which its child processes inherit. */
const runVariable = 'AGENTJET_RUN';
const runValue = randomBytes(8).toString('hex');

let isStarted = false;

/** Kills processes that this run's Python code started, even if their parent has ended. */
export function killLeftovers(): void {
  // The search reads the environment of every process.
  if (isStarted) killSurvivors(processesWith(`${runVariable}=${runValue}`));
}

function spawnWorker({ executable, cwd, folder }: WorkerLaunch, begin: WorkerBegin): ChildProcess {
  // With the fault handler, native code that crashes, and an interpreter that hangs, leave Python's stack on stderr.
  isStarted = true;
  const options = ['-X', 'frozen_modules=off', '-X', 'faulthandler'];
  const child = spawn(executable, [...options, '-m', 'agentjet_worker'], {
    cwd,
    stdio: ['pipe', 'inherit', 'inherit'],
    // `-m` finds the package with it. The worker removes it again.
    env: {
      ...process.env,
      ...directLoopback(process.env),
      [runVariable]: runValue,
      PYTHONPATH: pythonPath(folder),
      PYTHONUNBUFFERED: '1',
    },
  });
  child.once('exit', killLeftovers);
  child.stdin.on('error', () => undefined); // its exit is reported
  child.stdin.end(`${JSON.stringify(begin)}\n`);
  return child;
}

/** Ends the process with a signal that its fault handler treats as a crash. */
function endWithStack(child: ChildProcess, clock: Clock): void {
  child.kill('SIGABRT');
  const killing = clock.after(stackTime, () => child.kill('SIGKILL'));
  child.once('exit', () => killing.dispose());
}

function pythonPath(folder: string): string {
  const own = process.env['PYTHONPATH'];
  const separator = process.platform === 'win32' ? ';' : ':';
  return own === undefined || own === '' ? folder : `${folder}${separator}${own}`;
}

/** Waits for the connection with the token. Others are closed. */
async function connected(
  server: Server,
  child: ChildProcess,
  interpreter: InterpreterInfo,
  token: string,
): Promise<MessageConnection> {
  const found = deferred<MessageConnection>();
  child.once('error', (error) => found.reject(pythonErrors.notFound(interpreter, error)));
  child.once('exit', (code, signal) =>
    found.reject(pythonErrors.didNotStart(interpreter, howEnded(code, signal))),
  );
  server.on('connection', (socket) => {
    if (isFromOtherUser(socket)) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const rpc = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
    rpc.onError(() => socket.destroy());
    rpc.onClose(() => socket.destroy());
    rpc.onNotification('hello', (params: unknown) => {
      const hello = workerNotifications.hello.safeParse(params);
      if (hello.success && hello.data.token === token) found.resolve(rpc);
      else socket.destroy();
    });
    rpc.listen();
  });
  return found.promise;
}

function howEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it exited with ${String(code)}` : `it was ended by ${signal}`;
}

/** The code of error responses, from the range that JSON-RPC leaves to applications. */
const failedCode = -32000;

export class PythonWorker {
  readonly ready: Promise<unknown>;
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #rpc: MessageConnection;
  readonly #ready = deferred<undefined>();
  readonly #ended = deferred<undefined>();
  #death: Error | undefined;

  /** Use {@link startWorker}. */
  constructor(child: ChildProcess, rpc: MessageConnection, launch: WorkerLaunch) {
    this.#child = child;
    this.#rpc = rpc;
    this.ready = this.#ready.promise;
    this.ended = this.#ended.promise;
    rpc.onNotification('ready', (params: unknown) => {
      const ready = workerNotifications.ready.parse(params);
      if (ready.missing !== null) launch.onMissing(ready.missing.file, ready.missing.packages);
      if (ready.debugger !== null) launch.onDebugger(ready.debugger);
      this.#ready.resolve(undefined);
    });
    rpc.onNotification('refused', (params: unknown) =>
      this.#gone(thrown(workerNotifications.refused.parse(params).failure)),
    );
    rpc.onNotification('printed', (params: unknown) => {
      const { episodeUuid, ...output } = workerNotifications.printed.parse(params);
      printedElsewhere(episodeUuid, output);
    });
    rpc.onNotification('uncaught', (params: unknown) =>
      launch.onUncaught(new PythonError(workerNotifications.uncaught.parse(params).failure)),
    );
    for (const method of workerRequests) {
      rpc.onRequest(method, async (params: Readonly<Record<string, unknown>>) => {
        try {
          return (await launch.answer(method, params)) ?? null;
        } catch (error) {
          return new ResponseError(failedCode, messageOf(error));
        }
      });
    }
    const exited = (code: number | null, signal: NodeJS.Signals | null): void =>
      this.#gone(pythonErrors.died(howEnded(code, signal)));
    if (child.exitCode !== null || child.signalCode !== null) exited(child.exitCode, child.signalCode);
    child.once('exit', exited);
  }

  get hasEnded(): boolean {
    return this.#death !== undefined;
  }

  call(method: WorkerMethod, params: Readonly<Record<string, unknown>>): CallHandle {
    const cancellation = new CancellationTokenSource();
    const result =
      this.#death === undefined
        ? this.#rpc.sendRequest(method, params, cancellation.token)
        : Promise.reject(this.#death);
    return {
      result: result.catch((error: unknown) => {
        throw this.#death ?? reported(error);
      }),
      cancel: () => cancellation.cancel(),
    };
  }

  #gone(death: Error): void {
    if (this.#death !== undefined) return;
    this.#death = death;
    this.#ready.reject(death);
    this.ready.catch(() => undefined); // the waiting caller gets the error, if there is one
    this.#rpc.dispose();
    this.#rpc.end();
    this.#ended.resolve(undefined);
  }

  /** Kills the process. Its child processes end with the run. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function reported(error: unknown): unknown {
  const failure = error instanceof ResponseError ? workerFailure.safeParse(error.data) : undefined;
  return failure?.success === true ? thrown(failure.data) : error;
}

function thrown(failure: WorkerFailure): Error {
  return new PythonError(failure).coded() ?? new PythonError(failure);
}

/** Lets Python's HTTP clients bypass a proxy for the gateway. Without one, the variables would hide the system's. */
export function directLoopback(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name] !== '');
  const own = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if (names.length === 0 || own.trim() === '*') return {};
  const direct = [...(own === '' ? [] : [own]), '127.0.0.1', 'localhost'].join(',');
  return { no_proxy: direct, NO_PROXY: direct };
}
