import { rememberText } from '../messagesText.ts';
import type { ChatCompletion } from '../model.ts';
import { checkChatRequest } from '../requestSchema.ts';
import { requestedDetails, onlyRequestedDetails, type TokenDetails } from '../tokenDetails.ts';
import { serverSentEvent, type Api, type ApiAnswer } from './api.ts';

/** OpenAI's chat completions: the API of the models, so nothing is converted. */
export const chatApi: Api = {
  read: (body, _memory, text) => {
    const read = checkChatRequest(body);
    if ('failure' in read) return read;
    rememberText(read.request, text);
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
