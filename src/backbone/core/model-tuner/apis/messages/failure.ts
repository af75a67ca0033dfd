import type { ModelFailure } from '../../model.ts';

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The body of an error as Anthropic has it. */
export function messagesFailure({ status, error }: ModelFailure): unknown {
  const type = types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message: error.message }, request_id: null };
}
