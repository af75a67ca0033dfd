import type { IncomingHttpHeaders } from 'node:http';
import type { ModelError, ModelFailure } from '../../core/model-tuner/model.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { excerpt, formatFieldErrors, formatModels, writeUrl } from '../../../base/core/httpTexts.ts';
import { explainTransport } from '../../../base/node/httpErrors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { parseJson } from '../../../base/core/parseJson.ts';

export interface Endpoint {
  /** An `http:` or `https:` URL, usually with the ending `/v1`. `/chat/completions` is appended. */
  readonly baseUrl: string;
  /** The model that replaces the one in requests. */
  readonly model: string;
  /** Sent as a bearer token. No message contains it. */
  readonly apiKey?: string | undefined;
}

const urlPlaces = '--base-url (launch.json: endpoint.baseUrl)';
const keyPlaces =
  'the environment variable that --api-key-env (launch.json: endpoint.apiKeyEnv) names, or the key saved with ' +
  '"AgentJet: Set API Key"';

export function badEndpointUrl(baseUrl: string): CodedError {
  return new CodedError({
    code: 'model/bad-endpoint-url',
    message: `${JSON.stringify(writeUrl(baseUrl))} is not an http or https URL.`,
    hint: `Correct ${urlPlaces}, e.g. http://127.0.0.1:8000/v1.`,
  });
}

/** Returns the URL of a route. The base URL can have a query, which some clouds need. Throws `model/bad-endpoint-url`. */
export function endpointUrl(baseUrl: string, route: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) throw badEndpointUrl(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${route}`;
  return url;
}

export function endpointHeaders(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
}

/** The failures of an endpoint: in OpenAI's format for the client, and as a report for the user. */
export class EndpointFailures {
  readonly #endpoint: Endpoint;
  readonly #url: string;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#url = writeUrl(endpoint.baseUrl);
  }

  /** There was no response. */
  unreachable(error: unknown): ModelFailure {
    return this.#failure('unreachable', {
      status: 502,
      code: 'endpoint_unreachable',
      message: `The model server at ${this.#url} cannot be reached: ${explainTransport(error)}.`,
      hint: `Start the server, or correct ${urlPlaces}.`,
    });
  }

  /** The connection ended before the response was complete. */
  cutOff(error: unknown): ModelFailure {
    const reason = error === undefined ? '' : ` (${explainTransport(error)})`;
    return this.#failure('cut-off', {
      status: 502,
      code: 'endpoint_cut_off',
      message: `The model server at ${this.#url} closed the connection before the end of its response${reason}.`,
      hint: "See the server's log for the reason, then run again.",
    });
  }

  /** The status was good, but the body was invalid. */
  noCompletion(body: string): ModelFailure {
    return this.#failure('bad-answer', {
      status: 502,
      code: 'endpoint_bad_answer',
      message: `The response of the model server at ${this.#url} is not a chat completion: ${excerpt(body)}`,
      hint: `Check that ${urlPlaces} is the base URL of an OpenAI-compatible server. Most end in /v1.`,
    });
  }

  /**
   * Keeps the server's status, its `retry-after` and its own error.
   *
   * @param models the models that the server lists, if they are known
   */
  refused(
    status: number,
    headers: IncomingHttpHeaders,
    body: string,
    models: readonly string[] = [],
  ): ModelFailure {
    if (status < 400) return this.#redirected(status, headers);
    const error = readError(status, this.#redact(body));
    const retryAfter = headers['retry-after'];
    return {
      status,
      error,
      ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
      report: this.#report(status, error, retryAfter, models),
    };
  }

  #redirected(status: number, headers: IncomingHttpHeaders): ModelFailure {
    const target = headers.location === undefined ? 'elsewhere' : `to ${writeUrl(headers.location)}`;
    return this.#failure('redirected', {
      status: 502,
      code: 'endpoint_redirected',
      message: `The model server at ${this.#url} redirects ${target} (${status}).`,
      hint: `Set ${urlPlaces} to the server's final address.`,
    });
  }

  #report(
    status: number,
    error: ModelError,
    retryAfter: string | undefined,
    models: readonly string[],
  ): CodedError {
    const { model, apiKey } = this.#endpoint;
    const said = `(${status}): ${error.message}`;
    const server = `The model server at ${this.#url}`;
    switch (status) {
      case 401:
      case 403:
        return apiKey === undefined || apiKey === ''
          ? coded('unauthorized', `${server} requires an API key ${said}`, `Set one: ${keyPlaces}.`)
          : coded('unauthorized', `${server} rejected the API key ${said}`, `Check ${keyPlaces}.`);
      case 404:
        return coded(
          'not-found',
          `${server} does not have the model "${model}" or this path ${said}`,
          this.#notFoundHint(models),
        );
      case 429: {
        const wait = retryAfter === undefined ? 'Wait' : `Wait (retry-after: ${retryAfter})`;
        return coded(
          'rate-limited',
          `${server} reached its rate limit ${said}`,
          `${wait}, or lower --parallel (launch.json: parallel).`,
        );
      }
      default:
        return status >= 500
          ? coded('server-error', `${server} failed ${said}`, "See the server's log for the reason.")
          : coded('refused', `${server} rejected the request ${said}`, 'Change the request of the workflow.');
    }
  }

  #notFoundHint(models: readonly string[]): string {
    const place = '--model-name (launch.json: endpoint.model)';
    if (models.length > 0) return `Set ${place} to one of its models: ${formatModels(models)}.`;
    const name = `Check ${place}`;
    if (this.#url.endsWith('/v1')) return `${name}. GET ${this.#url}/models lists the models.`;
    return `${name} and ${urlPlaces}. The URL may have to end in /v1.`;
  }

  #failure(
    kind: string,
    { status, code, message, hint }: { status: number; code: string; message: string; hint: string },
  ): ModelFailure {
    const safe = this.#redact(message);
    return {
      status,
      error: { message: `${safe} ${hint}`, type: 'server_error', param: null, code },
      report: coded(kind, safe, hint),
    };
  }

  #redact(text: string): string {
    const { apiKey } = this.#endpoint;
    return apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '***');
  }
}

function coded(kind: string, message: string, hint: string): CodedError {
  return new CodedError({ code: `model/${kind}`, message, hint });
}

/** Completes the server's `error` to OpenAI's format. Other formats and plain text become its message. */
function readError(status: number, body: string): ModelError {
  const fallback: ModelError = {
    message: excerpt(body),
    type: status >= 500 ? 'server_error' : 'invalid_request_error',
    param: null,
    code: null,
  };
  const value = parseJson(body); // undefined for plain text, or a page
  const given: unknown = Array.isArray(value) ? value[0] : value; // Gemini sends a list of one
  if (!isRecord(given)) return fallback;
  const { error, message, detail } = given;
  if (isRecord(error)) {
    return { ...fallback, ...error, ...(typeof error['message'] !== 'string' && { message: excerpt(body) }) };
  }
  const nested = isRecord(message) ? message['detail'] : undefined; // Mistral wraps FastAPI's list
  const said = [error, message, detail, formatFieldErrors(detail), formatFieldErrors(nested)].find(
    (text) => typeof text === 'string',
  );
  return said === undefined ? fallback : { ...fallback, message: said };
}
