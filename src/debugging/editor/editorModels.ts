import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { messageOf } from '../../base/core/errors.ts';
import { debugType } from '../../base/core/ids.ts';
import { parseJson } from '../../base/core/parseJson.ts';
import { answerRequest } from '../node/childSession.ts';
import { customEventNames, type ModelRequestBody } from '../node/customEvents.ts';

/** Sends the LLM calls of runs to the language models that other extensions provide. */
export function registerEditorModels(): Disposable {
  const store = new DisposableStore();
  const running = new Map<string, vscode.CancellationTokenSource>();
  const cancel = (key: string): void => {
    running.get(key)?.cancel();
    running.delete(key);
  };
  const respond = async (session: vscode.DebugSession, body: ModelRequestBody): Promise<void> => {
    const key = `${session.id} ${body.id}`;
    const source = new vscode.CancellationTokenSource();
    running.set(key, source);
    const reply = await ask(body, source.token).catch((error: unknown) => ({ error: messageOf(error) }));
    running.delete(key);
    source.dispose();
    // The run may have ended already.
    const answer = { id: body.id, text: JSON.stringify(reply) };
    session.customRequest(answerRequest, answer).then(undefined, () => undefined);
  };
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType) return;
      if (event === customEventNames.modelRequest) void respond(session, body as ModelRequestBody);
      if (event === customEventNames.modelRequestCancelled) {
        cancel(`${session.id} ${(body as Pick<ModelRequestBody, 'id'>).id}`);
      }
    }),
  );
  store.add(
    vscode.debug.onDidTerminateDebugSession(({ id }) => {
      for (const key of running.keys()) if (key.startsWith(`${id} `)) cancel(key);
    }),
  );
  return store;
}

/** Resolves to a message in OpenAI's format. */
async function ask(
  { model, messages, tools }: ModelRequestBody,
  token: vscode.CancellationToken,
): Promise<unknown> {
  const [chosen] = await vscode.lm.selectChatModels({ id: model });
  if (chosen === undefined) throw new Error(vscode.l10n.t('The editor has no language model {0}.', model));
  const options = {
    justification: vscode.l10n.t('An agent that you run with AgentJet calls this model.'),
    tools: (tools as readonly Tool[]).map((tool) => tool.function),
  };
  const asked = (messages as readonly Message[]).map(toEditorMessage);
  const response = await chosen.sendRequest(asked, options, token);
  let content = '';
  const calls: unknown[] = [];
  for await (const part of response.stream) {
    if (part instanceof vscode.LanguageModelTextPart) content += part.value;
    if (part instanceof vscode.LanguageModelToolCallPart) {
      const { callId, name, input } = part;
      calls.push({ id: callId, type: 'function', function: { name, arguments: JSON.stringify(input) } });
    }
  }
  return { content, ...(calls.length > 0 && { tool_calls: calls }) };
}

interface Tool {
  readonly function: vscode.LanguageModelChatTool;
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The editor's models have no role for system messages, which are sent as messages of the user. */
function toEditorMessage(message: Message): vscode.LanguageModelChatMessage {
  const text = textOf(message);
  if (message.role === 'tool') {
    const parts = [new vscode.LanguageModelTextPart(text)];
    const result = new vscode.LanguageModelToolResultPart(message.tool_call_id ?? '', parts);
    return vscode.LanguageModelChatMessage.User([result]);
  }
  if (message.role !== 'assistant') return vscode.LanguageModelChatMessage.User(text);
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: input } }) =>
      new vscode.LanguageModelToolCallPart(id, name, parseJson(input) ?? {}),
  );
  const said = text === '' ? [] : [new vscode.LanguageModelTextPart(text)];
  return vscode.LanguageModelChatMessage.Assistant([...said, ...calls]);
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ type, text }) => {
      if (text !== undefined) return text;
      throw new Error(vscode.l10n.t('Content of type {0} cannot be sent to it.', type));
    })
    .join('');
}
