/** A Tinker server on this machine's CPU, with a tiny model. */
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { CancellationSource, type CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { spawnTree, type ProcessExit } from '../../../base/node/process/processTree.ts';
import { openTinker } from '../openTinker.ts';
import { rehearsalEnvironment } from './environment.ts';
import { rehearsalErrors } from './errors.ts';
import type { Rehearsal, RehearsalPorts } from './setUp.ts';

export interface RehearsalServerOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The folder of the database, the checkpoints and the log. Default: a temporary folder, which `stop` removes. */
  readonly data?: string | undefined;
  /** Seconds without a heartbeat after which the server ends a session. Default: 300. */
  readonly sessionTimeout?: number | undefined;
}

export interface RehearsalServer {
  /** `http://127.0.0.1:PORT`. The server accepts any key. */
  readonly url: string;
  /** The name of the model on the server, which is also the folder of its tokenizer and template. */
  readonly model: string;
  readonly log: string;
  /** The process of the API, which is the parent of the engine. */
  readonly pid: number;
  /** Resolves when the server has ended: to undefined after `stop`, otherwise to `rehearsal/server-ended`. */
  readonly ended: Promise<CodedError | undefined>;
  /** Ends all processes of the server. */
  stop(): Promise<void>;
}

/** The number of lines of its log in errors. */
const linesInError = 8;

/** Milliseconds until processes that have not ended are killed. */
const stopGrace = 500;

/**
 * Starts the server and waits until it can train. It ends with this process, however that ends.
 * Rejects with `rehearsal/…` or `tinker/…`.
 */
export async function startRehearsalServer(
  ports: RehearsalPorts,
  { environment, python, model, compiled }: Rehearsal,
  { port = 0, data, sessionTimeout = 300 }: RehearsalServerOptions,
  cancellation: CancellationToken,
): Promise<RehearsalServer> {
  const folder =
    data === undefined ? await mkdtemp(path.join(tmpdir(), 'agentjet-rehearsal-')) : path.resolve(data);
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw rehearsalErrors.noFolder(folder, error);
  });
  const log = path.join(folder, 'server.log');
  const logFile = await open(log, 'a');
  const script = path.join(ports.scripts, 'serve.py');
  const tree = await spawnTree({
    command: python,
    args: ['-E', '-s', '-B', script, folder, model, String(port), String(sessionTimeout)],
    cwd: folder,
    env: rehearsalEnvironment(ports, { JAX_COMPILATION_CACHE_DIR: compiled }),
    stdio: ['ignore', 'pipe', logFile.fd],
  }).finally(() => void logFile.close());
  let isStopped = false;
  const ended = tree.exited.then(async (exit) => {
    const error = isStopped
      ? undefined
      : rehearsalErrors.serverEnded(howEnded(exit), await lastLines(log), environment);
    if (data === undefined) await rm(folder, { recursive: true, force: true });
    return error;
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    await tree.terminate(stopGrace);
    await ended;
  };
  const cancelling = cancellation.onCancelled(() => void stop());
  const starting = new CancellationSource();
  const early = ended.then((error) => {
    starting.cancel();
    throw error ?? rehearsalErrors.cancelled();
  });
  early.catch(() => undefined); // it has started
  try {
    const message = await Promise.race([early, firstMessage(tree.child.stdout)]);
    if ('error' in message)
      throw message.error === 'in-use'
        ? rehearsalErrors.dataInUse(folder)
        : rehearsalErrors.portInUse(port, message.message);
    await Promise.race([early, createModel(message.url, model, starting.token)]);
    return { url: message.url, model, log, pid: tree.pid, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    cancelling.dispose();
  }
}

const serverMessage = z.union([
  z.object({ url: z.string() }),
  z.object({ error: z.literal('in-use') }),
  z.object({ error: z.literal('port'), message: z.string() }),
]);

/** Does not resolve if the server ends before. */
async function firstMessage(stdout: Readable | null): Promise<z.infer<typeof serverMessage>> {
  const lines = stdout === null ? [] : createInterface({ input: stdout });
  for await (const line of lines) return serverMessage.parse(parseJson(line));
  return new Promise(() => undefined);
}

/** Creates a model and unloads it: the API answers before its engine can train. Rejects with `tinker/…`. */
async function createModel(url: string, model: string, cancellation: CancellationToken): Promise<void> {
  const session = await openTinker({ baseUrl: url, cancellation });
  try {
    const lora = { baseModel: model, rank: 1, trainMlp: true, trainAttn: true, trainUnembed: true };
    await session.createModel(lora, cancellation);
  } finally {
    await session.close('success');
  }
}

function howEnded({ code, signal }: ProcessExit): string {
  return signal ?? `exit code ${String(code)}`;
}

async function lastLines(log: string): Promise<readonly string[]> {
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-linesInError);
}
