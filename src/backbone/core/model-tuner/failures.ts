import { messageOf } from '../../../base/core/errors.ts';
import type { ModelFailure } from './model.ts';

/** Everything the gateway itself refuses; each message says what to do. */
export const failures = {
  unknownRoute: (method: string, path: string): ModelFailure =>
    refusal(404, 'unknown_url', `${method} ${path} is not an endpoint of this server. It has ${routeList}.`),

  wrongMethod: (method: string, path: string, allowed: string): ModelFailure => ({
    ...refusal(405, 'method_not_allowed', `${path} does not accept ${method}. Send ${allowed}.`),
    headers: { allow: allowed },
  }),

  foreignHost: (): ModelFailure =>
    refusal(
      403,
      'foreign_host',
      'The Host header does not name this machine. Connect to 127.0.0.1 or localhost.',
    ),

  foreignOrigin: (): ModelFailure =>
    refusal(403, 'foreign_origin', 'Web pages cannot use this server. Call it from the workflow.'),

  foreignUser: (): ModelFailure =>
    refusal(
      403,
      'foreign_user',
      'The client runs as another user of this machine. Run it, or its container, as the user of this run.',
    ),

  missingKey: (): ModelFailure =>
    unauthorized(
      'missing_api_key',
      `The request has no API key in "Authorization: Bearer …" or "x-api-key". ${useKey}.`,
    ),

  garbledKey: (): ModelFailure =>
    unauthorized('invalid_api_key', `The API key is not from AgentJet. ${useKey}.`),

  unknownEpisode: (): ModelFailure =>
    unauthorized('unknown_episode', `The API key does not belong to an episode of this run. ${useKey}.`),

  closedEpisode: (): ModelFailure =>
    unauthorized(
      'closed_episode',
      'The episode of this API key has ended. Await every call before execute returns.',
    ),

  notJson: (reason: string): ModelFailure =>
    refusal(400, 'invalid_json', `The request body is not JSON (${reason}). Send one JSON object.`),

  invalid: (message: string, param: string): ModelFailure => ({
    status: 400,
    error: { message, type: 'invalid_request_error', param, code: 'invalid_request' },
  }),

  unsupported: (message: string, param: string): ModelFailure => ({
    status: 400,
    error: { message, type: 'invalid_request_error', param, code: 'unsupported_value' },
  }),

  /** The refusal has the code of vLLM. */
  tooLong: (prompt: number, reply: number, limit: number): ModelFailure => ({
    status: 400,
    error: {
      message: `The prompt has ${prompt} tokens, and with ${reply} for the reply it exceeds the ${limit} tokens of the model.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }),

  tooLarge: (limit: number): ModelFailure =>
    refusal(
      413,
      'request_too_large',
      `The request body is larger than ${limit} bytes. Send fewer or shorter messages.`,
    ),

  cancelled: (): ModelFailure => ({
    status: 499,
    error: {
      message: 'The request was canceled before the response.',
      type: 'cancelled',
      param: null,
      code: 'cancelled',
    },
  }),

  mixedCalls: (): ModelFailure =>
    serverError(
      502,
      'mixed_tool_calls',
      'The model streamed two tool calls in alternation, which this API cannot express. Send the request without stream.',
    ),

  modelThrew: (error: unknown): ModelFailure =>
    serverError(500, 'model_failed', `The model failed: ${messageOf(error)}`),
};

const routeList =
  'POST /v1/chat/completions, POST /v1/responses, POST /v1/messages, GET /v1/models and GET /health';
const useKey = 'Use the key that tuner.asOaiBaseUrlApiKey() returns in a running episode';

function serverError(status: number, code: string, message: string): ModelFailure {
  return { status, error: { message, type: 'server_error', param: null, code } };
}

function refusal(status: number, code: string, message: string): ModelFailure {
  return { status, error: { message, type: 'invalid_request_error', param: null, code } };
}

function unauthorized(code: string, message: string): ModelFailure {
  return { status: 401, error: { message, type: 'authentication_error', param: null, code } };
}
