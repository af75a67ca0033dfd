import { jsonReply, type HttpReply } from '../http.ts';
import type { ModelFailure } from '../model.ts';
import { apiAt, type ApiName } from '../routes.ts';
import type { Api } from './api.ts';
import { chatApi } from './chat.ts';
import { messagesApi } from './messages/messagesApi.ts';
import { responsesApi } from './responses/responsesApi.ts';

export const apis: Readonly<Record<ApiName, Api>> = {
  chat: chatApi,
  responses: responsesApi,
  messages: messagesApi,
};

/** Returns a failure in the format of the API that the path belongs to; OpenAI's for other paths. */
export function failureReply(failure: ModelFailure, path: string): HttpReply {
  return jsonReply(failure.status, apis[apiAt(path)].failureBody(failure), failure.headers);
}
