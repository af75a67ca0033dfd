import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';

export interface ServiceAddress {
  /** Without parts that may be secret. */
  readonly url: string;
  readonly location: Location | undefined;
}

export interface ServiceRequest {
  readonly endpoint: string;
  readonly tries: number;
}

const urlKey = '`ajet.task_reader.env_service.env_url`';
const seeLog = "See the service's log for the reason.";

/** Returns one factory for each way in which an environment service fails. */
export function envServiceFailures({ url, location }: ServiceAddress) {
  const failure = (
    code: string,
    { endpoint, tries }: ServiceRequest,
    [verb, what]: readonly [verb: string, what: string],
    hint: string,
    cause?: unknown,
  ): CodedError => {
    const often = tries > 1 ? ` (${tries} attempts)` : '';
    const message = `The environment service at ${url} ${verb} to ${endpoint}${what}${often}.`;
    return new CodedError({ code: `env-service/${code}`, message, location, hint, cause });
  };
  return {
    unreachable: (asked: ServiceRequest, cause: unknown) => {
      const hint = `Start the service, or correct ${urlKey}.`;
      return failure('unreachable', asked, ['did not respond', `: ${messageOf(cause)}`], hint, cause);
    },
    timedOut: (asked: ServiceRequest, seconds: number) => {
      const hint = `${seeLog} AgentJet has the same timeout.`;
      return failure('timed-out', asked, ['did not respond', ` within ${seconds} s`], hint);
    },
    refused: (asked: ServiceRequest, status: number, body: string) => {
      const said = body.trim() === '' ? 'without a message' : `and ${excerpt(body)}`;
      const hint =
        status === 404 ? `Check that ${urlKey} is the base URL of an environment service.` : seeLog;
      return failure('refused', asked, ['responded', ` with status ${status} ${said}`], hint);
    },
    badReply: (asked: ServiceRequest, wrong: string) => {
      const hint = 'Fix the service. AgentJet cannot use that response either.';
      return failure('bad-reply', asked, ['responded', ` with ${wrong}`], hint);
    },
    notReleased: (instance: string, cause: CodedError) =>
      new CodedError({
        code: 'env-service/not-released',
        message: `The instance ${instance} may still exist in the environment service: ${cause.message}`,
        location,
        hint: `${cause.hint ?? seeLog} In AgentJet this fails the episode.`,
        cause,
      }),
  };
}

export function badServiceUrl(url: string, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'env-service/bad-url',
    message: `The URL of the environment service is not an http or https URL: ${JSON.stringify(url)}.`,
    location,
    hint: `Correct ${urlKey}, e.g. http://127.0.0.1:8080.`,
  });
}

export function episodeOver(): CodedError {
  return new CodedError({
    code: 'env-service/episode-over',
    message: 'The episode and its environment have ended.',
    hint: 'Await every call of gymEnv.step before execute returns.',
  });
}

export function noEnvironment(method: string): CodedError {
  return new CodedError({
    code: 'env-service/no-environment',
    message: `gymEnv.${method} is not available: the task does not belong to an environment service.`,
    hint: 'Set `ajet.task_reader.type` to env_service, or remove the call. AgentJet fails here too.',
  });
}

export function noReset(): CodedError {
  return new CodedError({
    code: 'env-service/no-reset',
    message: 'gymEnv.reset is not supported: every episode has its own new environment.',
    hint: 'Remove the call. AgentJet raises an error here too.',
  });
}

const longestExcerpt = 200;

export function show(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value));
}

export function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line);
}
