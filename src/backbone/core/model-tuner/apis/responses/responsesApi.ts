import { checkChatRequest } from '../../requestSchema.ts';
import type { Api } from '../api.ts';
import { fieldsAt, catchRequestError } from '../reading.ts';
import { ResponsesAnswer } from './answer.ts';
import { readResponsesRequest } from './readRequest.ts';

/** OpenAI's Responses API. */
export const responsesApi: Api = {
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
