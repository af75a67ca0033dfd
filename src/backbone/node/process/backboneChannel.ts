/** The client's side of a run: starts the backbone process and exchanges messages with it. */

import process from 'node:process';
import path from 'node:path';
import { Socket } from 'node:net';
import type { CodedError } from '../../../base/core/errors.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import type { RunExit, RunOutput, RunProcess, RunLauncher, RunSpec } from '../client/runLauncher.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import {
  encodeLine,
  type RunClientMessage,
  type ModelAnswer,
  type RunEvent,
  decode,
  runEvent,
} from '../../core/protocol/run.ts';
import { systemClock } from '../../../base/node/clock.ts';
import { InspectorMessageFilter } from '../../../base/node/process/inspectorMessages.ts';
import { deferred } from '../../../base/node/process/deferred.ts';
import { childEnvironment } from '../../../base/node/process/environment.ts';
import { processErrors } from '../../../base/node/process/errors.ts';
import { eventsDescriptor, messagesDescriptor } from './runClient.ts';
import { spawnTree, type ProcessExit, type ProcessTree } from '../../../base/node/process/processTree.ts';
import { chooseRuntime, describeRuntime } from '../../../base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../../base/node/runtime/probe.ts';

export interface BackboneLaunch extends Omit<RunSpec, 'runtimeExecutable'> {
  /** The Node.js executable, and the variables that it needs. */
  readonly runtime: { readonly executable: string; readonly env: Readonly<Record<string, string>> };
  readonly script: string;
  readonly clock?: Clock;
}

/** Silences Node.js warnings about features that the loader uses. */
export const quietArguments = [
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
] as const;

/** Limits V8's young generation (megabytes), which grows until it is most of the process. The user's options win. */
const memoryArguments = ['--max-semi-space-size=4'] as const;

/** The number of stderr lines in the error of a process that died, and of characters that they are taken from. */
const linesKept = 10;
const charactersKept = 20_000;
/** Milliseconds that streams can stay open after the process: a program that it started may hold them. */
const drainTime = 1000;

/** Starts the backbone process and sends it the request. Rejects with `run/cannot-start`. */
export async function startBackbone(launch: BackboneLaunch): Promise<BackboneChannel> {
  const { executable } = launch.runtime;
  const tree = await spawnTree({
    command: executable,
    args: [
      ...quietArguments,
      ...memoryArguments,
      ...inspectorArguments(launch),
      ...launch.runtimeArgs,
      launch.script,
    ],
    cwd: launch.request.cwd,
    env: childEnvironment(process.env, [launch.env, launch.runtime.env], process.platform),
    stdio: channelStdio(),
  }).catch((error: unknown) => {
    throw processErrors.cannotStart(executable, error);
  });
  return new BackboneChannel(tree, launch);
}

function inspectorArguments({ inspect, runtimeArgs }: BackboneLaunch): readonly string[] {
  if (!inspect) return [];
  // Other users of the machine could ask the inspector itself for the secret in its address.
  const own = '--inspect-publish-uid=stderr';
  // The user's arguments can load code before ours, which can have breakpoints as well.
  return [own, runtimeArgs.length > 0 ? '--inspect-brk=127.0.0.1:0' : '--inspect=127.0.0.1:0'];
}

function channelStdio(): ('ignore' | 'pipe')[] {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe'];
  stdio[messagesDescriptor] = 'pipe';
  stdio[eventsDescriptor] = 'pipe';
  return stdio;
}

export class BackboneChannel implements RunProcess {
  readonly #tree: ProcessTree;
  readonly #messages: Socket;
  readonly #events = new Emitter<RunEvent>();
  readonly #output = new Emitter<RunOutput>();
  readonly #url = deferred<URL>();
  #lastErrors = '';
  #runEnded = false;

  readonly onEvent = this.#events.event;
  readonly onOutput = this.#output.event;
  readonly inspectorUrl = this.#url.promise;
  readonly exited: Promise<RunExit>;

  /** Use {@link startBackbone}. */
  constructor(tree: ProcessTree, launch: Pick<BackboneLaunch, 'request' | 'inspect' | 'clock'>) {
    this.#tree = tree;
    this.#messages = streamOf(tree, messagesDescriptor);
    this.#readEvents(streamOf(tree, eventsDescriptor));
    this.#readOutput(streamOf(tree, 1));
    this.#readErrors(streamOf(tree, 2), launch.inspect);
    this.exited = this.#watchEnd(launch.clock ?? systemClock);
    this.#url.promise.catch(() => undefined); // the caller who waits for it gets the error, if there is one
    this.#messages.on('error', () => undefined); // the process is gone: `exited` reports it
    this.#send({ type: 'start', request: launch.request, inspected: launch.inspect });
  }

  get pid(): number {
    return this.#tree.pid;
  }

  answer({ id, text }: ModelAnswer): void {
    this.#send({ type: 'model-answers', id, text });
  }

  debuggerAttached(): void {
    this.#send({ type: 'attached' });
  }

  hold(held: boolean): void {
    this.#send({ type: 'held', held });
  }

  cancel(): void {
    this.#send({ type: 'cancel' });
  }

  /** Asks the process to end. After `grace` milliseconds (default 2000) kills it and everything it started. */
  terminate(grace?: number): Promise<void> {
    return this.#tree.terminate(grace);
  }

  killNow(): void {
    this.#tree.killTree();
  }

  #send(message: RunClientMessage): void {
    if (this.#messages.writable) this.#messages.write(encodeLine(message));
  }

  #readEvents(stream: Socket): void {
    const splitter = new LineSplitter();
    onText(stream, (text) => {
      for (const line of splitter.push(text)) this.#takeEvent(line);
    });
  }

  #takeEvent(line: string): void {
    const event = decode(runEvent, line) ?? unknownLine(line);
    if (event.type === 'run-ended') this.#runEnded = true;
    this.#events.fire(event);
  }

  #readOutput(stream: Socket): void {
    onText(stream, (text) => this.#output.fire({ stream: 'stdout', text }));
  }

  #readErrors(stream: Socket, inspect: boolean): void {
    const pass = (text: string): void => {
      if (text === '') return;
      this.#lastErrors = (this.#lastErrors + text).slice(-charactersKept);
      this.#output.fire({ stream: 'stderr', text });
    };
    if (!inspect) {
      onText(stream, pass);
      return;
    }
    const chatter = new InspectorMessageFilter((url) => this.#url.resolve(url));
    onText(stream, (text) => pass(chatter.push(text)));
    stream.once('end', () => pass(chatter.end()));
  }

  async #watchEnd(clock: Clock): Promise<RunExit> {
    const closed = new Promise<void>((resolve) => {
      this.#tree.child.once('close', () => resolve());
    });
    const exit = await this.#tree.exited;
    await drained(closed, clock);
    for (const stream of this.#tree.child.stdio) stream?.destroy();
    this.#url.reject(processErrors.noInspector());
    return { ...exit, error: this.#errorOf(exit) };
  }

  #errorOf(exit: ProcessExit): CodedError | undefined {
    return this.#runEnded ? undefined : processErrors.died(exit, lastLines(this.#lastErrors));
  }
}

async function drained(closed: Promise<void>, clock: Clock): Promise<void> {
  const timeout = deferred<undefined>();
  const timer = clock.after(drainTime, () => timeout.resolve(undefined));
  await Promise.race([closed, timeout.promise]);
  timer.dispose();
}

function streamOf(tree: ProcessTree, descriptor: number): Socket {
  const stream = tree.child.stdio[descriptor];
  if (stream instanceof Socket) return stream;
  throw new Error(`Descriptor ${descriptor} of the backbone process is not a pipe.`);
}

function onText(stream: Socket, take: (text: string) => void): void {
  stream.setEncoding('utf8');
  stream.on('data', take);
  stream.on('error', () => undefined); // a pipe that broke with the process: `exited` reports it
}

function unknownLine(line: string): RunEvent {
  return {
    type: 'log',
    level: 'warn',
    message: `The backbone process sent an invalid message: ${line.slice(0, 200)}`,
  };
}

/** Returns the last lines of a text, without empty ones. */
function lastLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').slice(-linesKept);
}

interface RunLauncherParts {
  /** The absolute folder of AgentJet's bundles. */
  readonly distFolder: string;
  /** The executable of the editor or of this process. It runs workflows if PATH has no suitable Node.js. */
  readonly ownExecutable: string;
  readonly logger?: Logger;
}

export function createRunLauncher({ distFolder, ownExecutable, logger }: RunLauncherParts): RunLauncher {
  const script = path.join(distFolder, 'backbone.mjs');
  const probe = createProbe();
  return {
    launch: async ({ runtimeExecutable, ...spec }) => {
      const runtime = await chooseRuntime({
        setting: runtimeExecutable,
        path: process.env['PATH'] ?? '',
        editorExecPath: ownExecutable,
        platform: process.platform,
        probe,
      });
      logger?.log('info', describeRuntime(runtime));
      return startBackbone({ ...spec, script, runtime });
    },
  };
}
