import type { ModelFailure } from './model.ts';

/** Everything the gateway itself refuses; each message says what to do. */
export const failures = {
  unknownRoute: (method: string, path: string): ModelFailure =>
    refusal(404, 'unknown_url', `There is no ${method} ${path} here; this server has ${routeList}.`),

  wrongMethod: (method: string, path: string, allowed: string): ModelFailure => ({
    ...refusal(405, 'method_not_allowed', `${path} does not take ${method}; send ${allowed}.`),
    headers: { allow: allowed },
  }),

  foreignHost: (): ModelFailure =>
    refusal(
      403,
      'foreign_host',
      'The Host header does not name this machine; reach this server at 127.0.0.1 or localhost.',
    ),

  foreignOrigin: (): ModelFailure =>
    refusal(403, 'foreign_origin', 'Web pages may not use this server; call it from the workflow instead.'),

  missingKey: (): ModelFailure =>
    unauthorized(
      'missing_api_key',
      `No API key was sent as "Authorization: Bearer …" or "x-api-key"; ${takeKey}.`,
    ),

  garbledKey: (): ModelFailure =>
    unauthorized('invalid_api_key', `The API key is not one of AgentJet's; ${takeKey}.`),

  unknownEpisode: (): ModelFailure =>
    unauthorized('unknown_episode', `The API key belongs to no episode of this run; ${takeKey}.`),

  closedEpisode: (): ModelFailure =>
    unauthorized(
      'closed_episode',
      'The episode of this API key is over; await every call before execute returns.',
    ),

  notJson: (reason: string): ModelFailure =>
    refusal(400, 'invalid_json', `The body is not JSON (${reason}); send one JSON object.`),

  invalid: (message: string, param: string): ModelFailure => ({
    status: 400,
    error: { message, type: 'invalid_request_error', param, code: 'invalid_request' },
  }),

  /** What the request's API can ask for, and chat completions cannot. */
  unsupported: (message: string, param: string): ModelFailure => ({
    status: 400,
    error: { message, type: 'invalid_request_error', param, code: 'unsupported_value' },
  }),

  tooLarge: (limit: number): ModelFailure =>
    refusal(
      413,
      'request_too_large',
      `The body is larger than ${limit} bytes; send fewer or shorter messages.`,
    ),

  cancelled: (): ModelFailure => ({
    status: 499,
    error: {
      message: 'The request was cancelled before it was answered.',
      type: 'cancelled',
      param: null,
      code: 'cancelled',
    },
  }),

  modelThrew: (error: unknown): ModelFailure => ({
    status: 500,
    error: {
      message: `The model failed: ${error instanceof Error ? error.message : String(error)}`,
      type: 'server_error',
      param: null,
      code: 'model_failed',
    },
  }),
};

const routeList =
  'POST /v1/chat/completions, POST /v1/responses, POST /v1/messages, GET /v1/models and GET /health';
const takeKey = 'use the one that tuner.asOaiBaseUrlApiKey() returns in a running episode';

function refusal(status: number, code: string, message: string): ModelFailure {
  return { status, error: { message, type: 'invalid_request_error', param: null, code } };
}

function unauthorized(code: string, message: string): ModelFailure {
  return { status: 401, error: { message, type: 'authentication_error', param: null, code } };
}
