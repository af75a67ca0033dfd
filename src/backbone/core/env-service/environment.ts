import {
  CancellationSource,
  neverCancelled,
  type CancellationToken,
} from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { GymEnv, InitMessage, Task } from '../../../sdk/core/index.ts';
import { Random } from '../../../base/core/random.ts';
import type { TaskListing } from '../task-reader/taskReader.ts';
import type { BeginSpan } from '../context-tracker/spans.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { EnvClient, type RetryLimits, type EnvTransport, show } from './client.ts';
import { gymEnvOf, noGymEnv, pythonValue } from './gymEnv.ts';

/** The environment of an episode, from before `execute` until after the judge. */
export interface EpisodeEnvironment {
  readonly gymEnv: GymEnv;
  /** Creates the instance, if the task needs one. Resolves to the task with the query of the instance. */
  enter(task: Task): Promise<Task>;
  /**
   * Cancels every request of the episode, then releases the instance if it may exist. Rejects with
   * `env-service/not-released`. After cancellation it takes a few seconds at most.
   */
  leave(cancellation: CancellationToken): Promise<void>;
}

export interface EpisodeOfEnvironment {
  readonly episode: number;
  /** The uuid of the episode, which is also the id of the instance. */
  readonly uuid: string;
  readonly beginSpan?: BeginSpan | undefined;
  onStep(): void;
}

export type OpenEnvironment = (episode: EpisodeOfEnvironment) => EpisodeEnvironment;

export interface EnvironmentPorts {
  readonly transport: EnvTransport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly seed: number;
}

/** The values of `ajet.task_reader.type` whose episodes have an instance. `tellsQuery`: the instance provides the query. */
const serviceReaders: Readonly<Record<string, { readonly tellsQuery: boolean }>> = {
  env_service: { tellsQuery: true },
  deep_finance: { tellsQuery: false },
};

const section = 'ajet.task_reader.env_service';

/** Lists the tasks of the service until it is canceled. */
export function taskListingOf(
  config: Config,
  ports: EnvironmentPorts,
  cancellation: CancellationToken,
): TaskListing {
  return {
    listTasks: async (envType, split) =>
      envClientOf(config, ports, 'list').listTasks(envType, split, cancellation),
  };
}

/** Creates a client for the service of the config. Throws `config/…` and `env-service/bad-url`. */
function envClientOf(
  config: Config,
  ports: EnvironmentPorts,
  purpose: string,
  beginSpan?: BeginSpan,
): EnvClient {
  const random = new Random(`env-service ${ports.seed} ${purpose}`);
  return new EnvClient({
    ...ports,
    baseUrl: config.string(`${section}.env_url`),
    location: config.locate(`${section}.env_url`),
    random: () => random.next(),
    beginSpan,
  });
}

/** Throws `config/…` and `env-service/bad-url`. */
export function environmentsOf(config: Config, ports: EnvironmentPorts): OpenEnvironment {
  const type = config.string('ajet.task_reader.type');
  const service = Object.hasOwn(serviceReaders, type) ? serviceReaders[type] : undefined;
  if (service === undefined) return () => withoutService;
  const envType = config.string(`${section}.env_type`);
  envClientOf(config, ports, 'check');
  return (episode) => {
    const client = envClientOf(config, ports, String(episode.episode), episode.beginSpan);
    return new ServiceInstance(client, { ...episode, ...service, envType }, ports.logger);
  };
}

export const withoutService: EpisodeEnvironment = {
  gymEnv: noGymEnv,
  enter: (task) => Promise.resolve(task),
  leave: () => Promise.resolve(),
};

interface InstanceOptions extends EpisodeOfEnvironment {
  readonly envType: string;
  readonly tellsQuery: boolean;
}

/** The limits for a release after cancellation, or of an instance that most likely does not exist. */
const hurried: RetryLimits = { tries: 1, seconds: 5 };

type State = 'none' | 'asked-for' | 'made';

class ServiceInstance implements EpisodeEnvironment {
  readonly gymEnv: GymEnv;
  readonly #client: EnvClient;
  readonly #options: InstanceOptions;
  readonly #logger: Logger;
  readonly #over = new CancellationSource();
  #state: State = 'none';

  constructor(client: EnvClient, options: InstanceOptions, logger: Logger) {
    this.#client = client;
    this.#options = options;
    this.#logger = logger;
    this.gymEnv = gymEnvOf(client, options.uuid, this.#over.token, () => options.onStep());
  }

  async enter(task: Task): Promise<Task> {
    const { envType, uuid, tellsQuery } = this.#options;
    this.#state = 'asked-for';
    const { state } = await this.#client.create(envType, task.task_id, uuid, this.#over.token);
    this.#state = 'made';
    return tellsQuery ? { ...task, ...queryOf(state, this.#client) } : task;
  }

  async leave(cancellation: CancellationToken): Promise<void> {
    this.#over.cancel();
    if (this.#state === 'none') return;
    if (this.#state === 'asked-for') {
      // The episode has already failed, since the instance was not created.
      await this.#client.release(this.#options.uuid, neverCancelled, hurried).catch(() => undefined);
      return;
    }
    try {
      if (await this.#release(cancellation)) return;
      const instance = this.#options.uuid;
      const message = `The environment service did not confirm that it released the instance ${instance}.`;
      this.#logger.log('warn', message);
    } catch (error) {
      throw error instanceof CodedError
        ? this.#client.failures.notReleased(this.#options.uuid, error)
        : error;
    }
  }

  async #release(cancellation: CancellationToken): Promise<boolean> {
    const { uuid } = this.#options;
    try {
      if (!cancellation.isCancelled) return await this.#client.release(uuid, cancellation);
    } catch (error) {
      if (!cancellation.isCancelled) throw error;
    }
    return this.#client.release(uuid, neverCancelled, hurried);
  }
}

/** Returns the query of a state, as upstream: the last message is the query, and all messages start the conversation. */
function queryOf(state: unknown, { failures }: EnvClient): Pick<Task, 'main_query' | 'init_messages'> {
  const messages: readonly unknown[] = Array.isArray(state) ? state : [state];
  const last = messages.at(-1);
  if (isRecord(messages[0]) && isRecord(last) && 'content' in last) {
    return { main_query: pythonValue(last['content']), init_messages: messages as readonly InitMessage[] };
  }
  const wrong = `a \`state\` that is neither a message nor a list of messages: ${show(state)}`;
  throw failures.badReply({ endpoint: 'create', tries: 1 }, wrong);
}
