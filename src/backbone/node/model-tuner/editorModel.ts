import { CodedError, messageOf } from '../../../base/core/errors.ts';
import type { Event } from '../../../base/core/event.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { failures } from '../../core/model-tuner/failures.ts';
import type { CallIdentity, ChatModel, ChatRequest, ModelReply } from '../../core/model-tuner/model.ts';
import type { ModelAnswer, RunEvent } from '../../core/protocol/run.ts';
import { readScriptReply } from './modelScriptReply.ts';

export interface EditorModelOptions {
  /** The id that the editor gives to the model. */
  readonly model: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly onAnswer: Event<ModelAnswer>;
  readonly emit: (event: RunEvent) => void;
}

/** A language model of the editor. Only the editor reaches it, so each request goes to the run client. */
export function createEditorModel({ model, clock, onAnswer, emit }: EditorModelOptions): ChatModel {
  const pending = new Map<number, (text: string) => void>();
  let next = 0;
  onAnswer(({ id, text }) => pending.get(id)?.(text));
  return {
    description: `${model} of the editor`,
    respond: (request, cancellation, call) =>
      new Promise((resolve) => {
        const id = next++;
        const end = (reply: ModelReply): void => {
          pending.delete(id);
          resolve(reply);
        };
        pending.set(id, (text) => end(readReply(text, request, call, clock.now())));
        const { messages, tools } = request;
        emit({ type: 'model-request', id, model, messages, tools: tools ?? [] });
        cancellation.onCancelled(() => {
          if (!pending.has(id)) return;
          emit({ type: 'model-request-cancelled', id });
          end({ kind: 'error', ...failures.cancelled() });
        });
      }),
  };
}

/** Reads the JSON of a message, or of an error. */
function readReply(text: string, request: ChatRequest, call: CallIdentity, now: number): ModelReply {
  const value = parseJson(text);
  if (isRecord(value) && typeof value['error'] === 'string') return failed(value['error']);
  try {
    return { kind: 'completion', completion: readScriptReply(value, request, call, now) };
  } catch (error) {
    return failed(messageOf(error));
  }
}

function failed(reason: string): ModelReply {
  const report = new CodedError({
    code: 'model/editor',
    message: `The language model of the editor failed: ${reason}`,
    hint: 'Select another model with "AgentJet: Choose Model".',
  });
  const error = { message: report.message, type: 'server_error', param: null, code: 'editor_model' };
  return { kind: 'error', status: 502, error, report };
}
