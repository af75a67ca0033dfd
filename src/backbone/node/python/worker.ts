/** The Python process of a run, from here: started when it is first needed, asked, and ended with the run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { afterRunningTime } from '../../core/task-runner/runningTime.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import {
  decodeFromWorker,
  type FromWorker,
  type ToWorker,
  type WorkerAsk,
  type WorkerBegin,
  type WorkerFailure,
  type WorkerMethod,
} from '../../core/protocol/worker.ts';
import { deferred, type Deferred } from '../../../base/node/process/deferred.ts';
import { localFiles } from '../../../base/node/files.ts';
import { directLoopback } from './directLoopback.ts';
import { pythonErrors, type InterpreterInfo } from './errors.ts';
import { environmentOf } from './interpreter.ts';
import { killLeftovers, runVariable } from './leftovers.ts';
import { PythonError } from './pythonError.ts';

export interface WorkerLaunch {
  readonly executable: string;
  /** The folder that `agentjet_worker` lies in. */
  readonly folder: string;
  readonly cwd: string;
  readonly begin: Pick<WorkerBegin, 'path' | 'package' | 'plugins' | 'debug' | 'debugpy'>;
  /** By which it has to be ready. */
  readonly clock: Clock;
  /** Answers what the user's code asks; a throw is told to it. */
  answer(method: WorkerAsk, params: Readonly<Record<string, unknown>>): unknown;
  onUncaught(error: PythonError): void;
  /** A debugger is waited for at this port. */
  onDebugger(port: number): void;
}

export interface CallHandle {
  readonly result: Promise<unknown>;
  /** It still settles. */
  cancel(): void;
}

/**
 * Seconds until it is ready: before that it imports the standard library and debugpy, and whatever the interpreter itself
 * imports at its start.
 */
const startLimit = 60;
/** Milliseconds to print its stack in, once it was told to. */
const stackTime = 2000;

/** Rejects with `python/not-found`, `python/did-not-start`, `python/hangs`, or what the worker could not begin with. */
export async function startWorker(launch: WorkerLaunch): Promise<PythonWorker> {
  const { executable, clock } = launch;
  const told = { executable, environment: await environmentOf(executable, localFiles) };
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
    const worker = new PythonWorker(child, await connected(server, child, told, token), launch);
    await worker.ready;
    return worker;
  } catch (error) {
    throw start.hangs ? pythonErrors.hangs(told, startLimit) : error;
  } finally {
    limit.dispose();
    server.close();
  }
}

function spawnWorker({ executable, cwd, folder }: WorkerLaunch, begin: WorkerBegin): ChildProcess {
  // With the fault handler, native code that crashes, and an interpreter that hangs, leave Python's stack on stderr.
  const options = ['-X', 'frozen_modules=off', '-X', 'faulthandler'];
  const child = spawn(executable, [...options, '-m', 'agentjet_worker'], {
    cwd,
    stdio: ['pipe', 'inherit', 'inherit'],
    // `-m` finds the package by it; the worker takes it off again.
    env: {
      ...process.env,
      ...directLoopback(process.env),
      ...runVariable(),
      PYTHONPATH: pythonPath(folder),
      PYTHONUNBUFFERED: '1',
    },
  });
  child.once('exit', killLeftovers);
  child.stdin.on('error', () => undefined); // it has gone: its end tells
  child.stdin.end(`${JSON.stringify(begin)}\n`);
  return child;
}

/** Its fault handler takes the signal for a crash. */
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

interface Connection {
  readonly socket: Socket;
  readonly splitter: LineSplitter;
  /** Lines that came with the token. */
  readonly lines: readonly string[];
}

/** The connection that knows the token; others are cut. */
async function connected(
  server: Server,
  child: ChildProcess,
  told: InterpreterInfo,
  token: string,
): Promise<Connection> {
  const found = deferred<Connection>();
  child.once('error', (error) => found.reject(pythonErrors.notFound(told, error)));
  child.once('exit', (code, signal) => found.reject(pythonErrors.didNotStart(told, howEnded(code, signal))));
  server.on('connection', (socket) => {
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('error', () => undefined); // its end tells
    const splitter = new LineSplitter();
    const listen = (text: string): void => {
      const [first, ...lines] = splitter.push(text);
      if (first === undefined) return;
      socket.off('data', listen);
      const hello = decodeFromWorker(first);
      if (hello?.type === 'hello' && hello.token === token) found.resolve({ socket, splitter, lines });
      else socket.destroy();
    };
    socket.on('data', listen);
  });
  return found.promise;
}

function howEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it exited with ${String(code)}` : `it was ended by ${signal}`;
}

export class PythonWorker {
  readonly ready: Promise<unknown>;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #launch: WorkerLaunch;
  readonly #ready = deferred<undefined>();
  readonly #ended = deferred<undefined>();
  readonly #calls = new Map<number, Deferred<unknown>>();
  #nextId = 1;
  #death: Error | undefined;

  /** Use {@link startWorker}. */
  constructor(child: ChildProcess, connection: Connection, launch: WorkerLaunch) {
    this.#child = child;
    this.#socket = connection.socket;
    this.#launch = launch;
    this.ready = this.#ready.promise;
    this.ended = this.#ended.promise;
    const { splitter } = connection;
    for (const line of connection.lines) this.#take(line);
    this.#socket.on('data', (text: string) => {
      for (const line of splitter.push(text)) this.#take(line);
    });
    const exited = (code: number | null, signal: NodeJS.Signals | null): void =>
      this.#gone(pythonErrors.died(howEnded(code, signal)));
    if (child.exitCode !== null || child.signalCode !== null) exited(child.exitCode, child.signalCode);
    child.once('exit', exited);
  }

  get hasEnded(): boolean {
    return this.#death !== undefined;
  }

  call(method: WorkerMethod, params: Readonly<Record<string, unknown>>): CallHandle {
    const id = this.#nextId++;
    const answer = deferred<unknown>();
    if (this.#death === undefined) {
      this.#calls.set(id, answer);
      this.#send({ type: 'call', id, method, params });
    } else {
      answer.reject(this.#death);
    }
    return {
      result: answer.promise,
      cancel: () => {
        if (this.#calls.has(id)) this.#send({ type: 'cancel', id });
      },
    };
  }

  #send(message: ToWorker): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    const message = decodeFromWorker(line);
    // Nobody but the worker writes here, so what is not understood is a fault of ours; the call must not hang for it.
    if (message === undefined) throw new Error(`The worker sent ${line.slice(0, 200)}`);
    this.#handle(message);
  }

  #handle(message: FromWorker): void {
    switch (message.type) {
      case 'hello':
        break; // said once, before
      case 'ready':
        if (message.debugPort !== null) this.#launch.onDebugger(message.debugPort);
        this.#ready.resolve(undefined);
        break;
      case 'refused':
        this.#gone(thrown(message.failure));
        break;
      case 'result':
        this.#settled(message.id)?.resolve(message.value);
        break;
      case 'failed':
        this.#settled(message.id)?.reject(thrown(message.failure));
        break;
      case 'uncaught':
        this.#launch.onUncaught(new PythonError(message.failure));
        break;
      case 'ask':
        void this.#answer(message.id, message.method, message.params);
        break;
    }
  }

  #settled(id: number): Deferred<unknown> | undefined {
    const answer = this.#calls.get(id);
    this.#calls.delete(id);
    return answer;
  }

  async #answer(id: number, method: WorkerAsk, params: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      const value: unknown = await this.#launch.answer(method, params);
      this.#send({ type: 'answer', id, value: value ?? null });
    } catch (error) {
      this.#send({ type: 'answer', id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #gone(death: Error): void {
    if (this.#death !== undefined) return;
    this.#death = death;
    this.#ready.reject(death);
    this.ready.catch(() => undefined); // whoever waited for it hears; after the start nobody does
    for (const answer of this.#calls.values()) answer.reject(death);
    this.#calls.clear();
    this.#socket.destroy();
    this.#ended.resolve(undefined);
  }

  /** Ends the process at once; what it started dies with the run. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function thrown(failure: WorkerFailure): Error {
  return new PythonError(failure).coded() ?? new PythonError(failure);
}
