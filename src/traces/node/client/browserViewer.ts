import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import type { HttpGreeting } from '../errors.ts';
import { clientErrors } from './errors.ts';
import type { SpawnTraceServer } from './serverProcess.ts';

export interface BrowserViewer extends Disposable {
  /** With the token in its fragment. */
  readonly url: string;
  /** When the server has ended, however. */
  readonly ended: Promise<void>;
}

interface ServeOptions {
  /** Traces that it may be compared with. */
  readonly others?: readonly string[];
  /** 0: any free one. */
  readonly port?: number | undefined;
}

/** Serves a trace to this machine's browsers until disposed. Rejects with a CodedError. */
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
  return { url: greeting.url, ended, dispose: () => void child.stdin.end() };
}
