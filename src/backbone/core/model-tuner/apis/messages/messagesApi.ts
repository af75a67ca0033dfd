import { checkChatRequest } from '../../requestSchema.ts';
import type { Api } from '../api.ts';
import { catchRequestError } from '../reading.ts';
import { MessagesAnswer } from './answer.ts';
import { messagesFailure } from './failure.ts';
import { readMessagesRequest } from './readRequest.ts';

/** Anthropic's Messages API. */
export const messagesApi: Api = {
  read: (body, memory) =>
    catchRequestError(() => {
      const { request, notes } = readMessagesRequest(body, memory);
      const checked = checkChatRequest(request);
      if ('failure' in checked) return checked;
      return { request: checked.request, notes, answer: (head) => new MessagesAnswer(head, memory) };
    }),
  failureBody: messagesFailure,
};
