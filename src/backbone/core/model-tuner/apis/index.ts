import { jsonReply, type HttpReply, type Api, serverSentEvent, type ApiAnswer } from './api.ts';
import type { ModelFailure, ChatCompletion } from '../model.ts';
import { checkChatRequest } from '../requestSchema.ts';
import { requestedDetails, onlyRequestedDetails, type TokenDetails } from '../sampling.ts';
import { catchRequestError, fieldsAt } from './reading.ts';
import { MessagesAnswer, messagesFailure } from './messages/answer.ts';
import { readMessagesRequest } from './messages/readRequest.ts';
import { ResponsesAnswer } from './responses/answer.ts';
import { readResponsesRequest } from './responses/readRequest.ts';
import { failures } from '../failures.ts';

export type ApiName = 'chat' | 'responses' | 'messages';
export type Route = ApiName | 'models' | 'health';

const routes: Readonly<Record<string, { readonly method: string; readonly route: Route }>> = {
  '/chat/completions': { method: 'POST', route: 'chat' },
  '/responses': { method: 'POST', route: 'responses' },
  '/messages': { method: 'POST', route: 'messages' },
  // Anthropic's clients append `/v1/messages` to the base URL.
  '/v1/messages': { method: 'POST', route: 'messages' },
  '/models': { method: 'GET', route: 'models' },
  '/health': { method: 'GET', route: 'health' },
};

/** Accepts paths with and without `/v1`, since clients differ in the base URL that they expect. */
export function findRoute(method: string, path: string): { route: Route } | { failure: ModelFailure } {
  const [plain = ''] = path.split('?');
  const name = nameOf(plain);
  const found = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (found === undefined) return { failure: failures.unknownRoute(method, plain) };
  if (found.method !== method) return { failure: failures.wrongMethod(method, plain, found.method) };
  return { route: found.route };
}

/** Returns the API of the client, from the path. The path may be unknown. */
export function apiAt(path: string): ApiName {
  const name = nameOf(path);
  if (/^(\/v1)?\/messages\b/.test(name)) return 'messages';
  return name.startsWith('/responses') ? 'responses' : 'chat';
}

function nameOf(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}

const responsesApi: Api = {
  read: (body, memory) =>
    catchRequestError(() => {
      const { request, conversation, notes } = readResponsesRequest(body, memory);
      const checked = checkChatRequest(request);
      if ('failure' in checked) return checked;
      const asked = fieldsAt(body, 'body');
      const isKept = asked['store'] !== false;
      return {
        request: checked.request,
        notes,
        answer: (head) =>
          new ResponsesAnswer(head, asked, (id, message) => {
            if (isKept) memory.keepConversation(id, [...conversation, message]);
          }),
      };
    }),
  failureBody: ({ error }) => ({ error }),
};

const messagesApi: Api = {
  read: (body, memory) =>
    catchRequestError(() => {
      const { request, notes } = readMessagesRequest(body, memory);
      const checked = checkChatRequest(request);
      if ('failure' in checked) return checked;
      return { request: checked.request, notes, answer: (head) => new MessagesAnswer(head, memory) };
    }),
  failureBody: messagesFailure,
};

/** OpenAI's chat completions: the API of the models, so nothing is converted. */
const chatApi: Api = {
  read: (body) => {
    const read = checkChatRequest(body);
    if ('failure' in read) return read;
    const asked = requestedDetails(read.request);
    return { request: read.request, notes: [], answer: () => chatAnswer(asked) };
  },
  failureBody: ({ error }) => ({ error }),
};

/** @param asked the details that the client requested; the model may be asked for more */
function chatAnswer(asked: TokenDetails): ApiAnswer {
  return {
    whole: (completion: ChatCompletion) => onlyRequestedDetails(completion, asked),
    chunk: (chunk) => `data: ${JSON.stringify(onlyRequestedDetails(chunk, asked))}\n\n`,
    end: () => 'data: [DONE]\n\n',
    failed: ({ error }) => serverSentEvent('error', { error }),
  };
}

export const apis: Readonly<Record<ApiName, Api>> = {
  chat: chatApi,
  responses: responsesApi,
  messages: messagesApi,
};

/** Returns a failure in the format of the API that the path belongs to; OpenAI's for other paths. */
export function failureReply(failure: ModelFailure, path: string): HttpReply {
  return jsonReply(failure.status, apis[apiAt(path)].failureBody(failure), failure.headers);
}
