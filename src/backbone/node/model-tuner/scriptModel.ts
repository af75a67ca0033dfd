import type { CallIdentity, ChatModel, ChatRequest, ModelReply } from '../../core/model-tuner/model.ts';
import { failures } from '../../core/model-tuner/failures.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';
import type { Clock, FileReader } from '../../../base/core/ports.ts';
import { scriptErrors, scriptFailure, readScriptReply } from './modelScriptReply.ts';

export interface ScriptContext extends CallIdentity {
  /** Differs for every run, episode and call, and is reproducible. */
  readonly seed: number;
}

/** The default export of a script, or its `respond`. Gives a text, message fields, a completion, or a promise of one. */
export type ScriptFunction = (request: ChatRequest, context: ScriptContext) => unknown;

export interface ScriptModelOptions {
  /** Absolute. A `.json` file holds an array of answers: the first call of each episode gets the first, and so on. */
  readonly file: string;
  /** Imports a module and returns its namespace. */
  readonly load: (file: string) => Promise<unknown>;
  readonly files: Pick<FileReader, 'exists' | 'readText'>;
  readonly userFrame: (error: unknown) => Location | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Throws `model/script-not-found`, `model/script-not-loaded`, `model/script-no-function`, `model/script-bad-json`. */
export async function loadScriptModel(options: ScriptModelOptions): Promise<ChatModel> {
  const { file } = options;
  if (!(await options.files.exists(file))) throw scriptErrors.notFound(file);
  const respond = file.endsWith('.json') ? await loadReplies(options) : await loadFunction(options);
  return {
    description: `script ${file}`,
    respond: (request, cancellation, call) =>
      unlessCancelled(ask(respond, request, call, options), cancellation),
  };
}

async function loadReplies({ file, files }: ScriptModelOptions): Promise<ScriptFunction> {
  const text = (await files.readText(file)) ?? '';
  let replies: unknown;
  try {
    replies = JSON.parse(text);
  } catch (error) {
    throw scriptErrors.badJson(file, messageOf(error));
  }
  if (!Array.isArray(replies)) throw scriptErrors.badJson(file, 'the file must contain an array');
  return (_, { call }) => {
    if (call >= replies.length) throw scriptErrors.noMoreReplies(file, replies.length);
    return replies[call] as unknown;
  };
}

async function loadFunction({ file, load, userFrame }: ScriptModelOptions): Promise<ScriptFunction> {
  let module: unknown;
  try {
    module = await load(file);
  } catch (error) {
    throw error instanceof CodedError ? error : scriptErrors.notLoaded(file, error, userFrame(error));
  }
  // The exports of a CommonJS file are its default export.
  const respond = findFunction(module) ?? findFunction(exportOf(module, 'default'));
  if (respond === undefined) throw scriptErrors.noFunction(file);
  return respond;
}

function findFunction(module: unknown): ScriptFunction | undefined {
  const found = [exportOf(module, 'default'), exportOf(module, 'respond')].find(
    (value) => typeof value === 'function',
  );
  return found as ScriptFunction | undefined;
}

function exportOf(module: unknown, name: string): unknown {
  return typeof module === 'object' && module !== null
    ? (module as Record<string, unknown>)[name]
    : undefined;
}

async function ask(
  respond: ScriptFunction,
  request: ChatRequest,
  call: CallIdentity,
  { file, userFrame, clock }: ScriptModelOptions,
): Promise<ModelReply> {
  try {
    // A copy, so that changes by the script do not affect the recording or another call.
    const value = await respond(structuredClone(request), { ...call, seed: request.seed ?? 0 });
    const completion = readScriptReply(value, request, call, clock.now());
    return { kind: 'completion', completion };
  } catch (error) {
    return { kind: 'error', ...scriptFailure(file, error, userFrame(error)) };
  }
}

/** Stops waiting for a script on cancellation. A script cannot be interrupted. */
function unlessCancelled(reply: Promise<ModelReply>, cancellation: CancellationToken): Promise<ModelReply> {
  return new Promise((resolve, reject) => {
    const listening = cancellation.onCancelled(() => resolve({ kind: 'error', ...failures.cancelled() }));
    void reply.then(resolve, reject).finally(() => listening.dispose());
  });
}
