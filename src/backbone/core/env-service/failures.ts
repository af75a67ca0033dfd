import { CodedError, type Location } from '../../../base/core/errors.ts';

/** The service that an error message names. */
export interface ServiceAddress {
  /** Without parts that may be secret. */
  readonly url: string;
  /** The location of the URL in the config. */
  readonly location: Location | undefined;
}

/** The endpoint of a failed request, and the number of tries. */
export interface ServiceRequest {
  readonly endpoint: string;
  readonly tries: number;
}

const urlKey = '`ajet.task_reader.env_service.env_url`';
const seeLog = "Look for the reason in the service's log.";

/** One factory for each way in which an environment service fails. */
export class EnvServiceFailures {
  readonly #place: ServiceAddress;

  constructor(place: ServiceAddress) {
    this.#place = place;
  }

  unreachable(asked: ServiceRequest, cause: unknown): CodedError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return this.#failure('unreachable', asked, `gave no answer to ${asked.endpoint}: ${reason}`, {
      hint: `Start the service, or correct ${urlKey}.`,
      cause,
    });
  }

  timedOut(asked: ServiceRequest, seconds: number): CodedError {
    return this.#failure('timed-out', asked, `did not answer ${asked.endpoint} within ${seconds} s`, {
      hint: `${seeLog} AgentJet waits no longer, either.`,
    });
  }

  refused(asked: ServiceRequest, status: number, body: string): CodedError {
    const said = body.trim() === '' ? 'without a word' : `saying ${excerpt(body)}`;
    return this.#failure('refused', asked, `answered ${asked.endpoint} with status ${status}, ${said}`, {
      hint: status === 404 ? `Check that ${urlKey} is the base URL of an environment service.` : seeLog,
    });
  }

  badReply(asked: ServiceRequest, wrong: string): CodedError {
    return this.#failure('bad-reply', asked, `answered ${asked.endpoint} with ${wrong}`, {
      hint: 'Mend the service; AgentJet cannot use that answer, either.',
    });
  }

  notReleased(instance: string, cause: CodedError): CodedError {
    return new CodedError(
      {
        code: 'env-service/not-released',
        message: `The instance ${instance} may still live in the environment service: ${cause.message}`,
        location: this.#place.location,
        hint: `${cause.hint ?? seeLog} In AgentJet this fails the episode.`,
      },
      { cause },
    );
  }

  #failure(
    code: string,
    { tries }: ServiceRequest,
    what: string,
    { hint, cause }: { hint: string; cause?: unknown },
  ): CodedError {
    const often = tries > 1 ? `, ${tries} times in a row` : '';
    return new CodedError(
      {
        code: `env-service/${code}`,
        message: `The environment service at ${this.#place.url} ${what}${often}.`,
        location: this.#place.location,
        hint,
      },
      { cause },
    );
  }
}

export function badServiceUrl(url: string, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'env-service/bad-url',
    message: `${JSON.stringify(url)} is no http or https URL of an environment service.`,
    location,
    hint: `Correct ${urlKey}, e.g. http://127.0.0.1:8080.`,
  });
}

export function episodeOver(): CodedError {
  return new CodedError({
    code: 'env-service/episode-over',
    message: 'The episode has ended, and its environment with it.',
    hint: 'Await every gymEnv.step before execute returns.',
  });
}

export function noEnvironment(method: string): CodedError {
  return new CodedError({
    code: 'env-service/no-environment',
    message: `gymEnv.${method} was called, but the task belongs to no environment service.`,
    hint: 'Set `ajet.task_reader.type` to env_service, or leave gymEnv alone; AgentJet fails here, too.',
  });
}

export function noReset(): CodedError {
  return new CodedError({
    code: 'env-service/no-reset',
    message: 'gymEnv.reset is not supported: every episode has an environment of its own, made anew.',
    hint: 'Leave the call out; AgentJet raises here, too.',
  });
}

const longestExcerpt = 200;

/** Returns a value as shortened JSON. */
export function show(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value));
}

export function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line);
}
