/**
 * The corner shop as an environment service, of which `server.mjs` is the HTTP side. Every request has the same five keys;
 * every instance is a visit of its own, from `create` until `release`.
 */
import { Visit, type Errand, type Shelves } from './shop.ts';

/** The five keys. */
interface Request {
  readonly env_type: string;
  readonly task_id: string | null;
  readonly instance_id: string | null;
  /** For `step` the action, `{role, content}`. The judge's `{sparse: false}` arrives here as well, not in `params`. */
  readonly messages: Fields;
  readonly params: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

export interface Stock {
  readonly shelves: Shelves;
  /** By split. */
  readonly tasks: Readonly<Record<string, readonly Errand[]>>;
}

export interface Answer {
  /** HTTP's. */
  readonly status: number;
  readonly value: object;
}

const envType = 'corner_shop';

export class ShopService {
  readonly #stock: Stock;
  readonly #tell: (line: string) => void;
  /** By the instance's id, which is the episode's. */
  readonly #visits = new Map<string, Visit>();

  readonly #endpoints: Readonly<Record<string, (request: Request) => object>> = {
    get_env_profile: (request) => ({ data: this.#taskIds(request) }),
    create: (request) => ({ data: this.#create(request) }),
    step: (request) => ({ data: this.#step(request) }),
    evaluate: (request) => ({ data: this.#visit(request).score() }),
    release: (request) => ({ success: this.#release(request) }),
    get_info: () => ({ data: { shelves: Object.keys(this.#stock.shelves) } }),
  };

  constructor(stock: Stock, tell: (line: string) => void) {
    this.#stock = stock;
    this.#tell = tell;
  }

  answer(endpoint: string, body: string): Answer {
    try {
      const run = Object.hasOwn(this.#endpoints, endpoint) ? this.#endpoints[endpoint] : undefined;
      if (run === undefined) throw new Refusal(404, `There is no endpoint ${endpoint}.`);
      return { status: 200, value: run(readRequest(body)) };
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 400;
      return { status, value: { detail: error instanceof Error ? error.message : String(error) } };
    }
  }

  #taskIds({ env_type: type, params: { split } }: Request): readonly string[] {
    const { tasks } = this.#stock;
    const isKnown = type === envType && typeof split === 'string' && Object.hasOwn(tasks, split);
    return isKnown ? (tasks[split] ?? []).map(({ id }) => id) : [];
  }

  /** Its `state` becomes the task's `init_messages`, the last one its `main_query`. */
  #create({ task_id: task, instance_id: id }: Request): object {
    const { shelves, tasks } = this.#stock;
    const errand = Object.values(tasks)
      .flat()
      .find((one) => one.id === task);
    if (errand === undefined || id === null) throw new Refusal(404, `There is no task ${String(task)}.`);
    const visit = new Visit(shelves, errand);
    this.#visits.set(id, visit);
    this.#tell(`made ${id}; open: ${this.#visits.size}`);
    const state = [
      { role: 'system', content: visit.rules },
      { role: 'user', content: visit.errand },
    ];
    return { state, reward: 0, is_terminated: false, info: { instance_id: id } };
  }

  /** Of `state` the first element counts: a message is the observation's text, and then `reward` is not looked at. */
  #step(request: Request): object {
    const visit = this.#visit(request);
    const { content } = request.messages;
    const state = [{ role: 'user', content: visit.act(typeof content === 'string' ? content : '') }];
    return { state, reward: 0, is_terminated: visit.isPaid, info: {} };
  }

  #release({ instance_id: id }: Request): boolean {
    if (id === null || !this.#visits.delete(id)) return false;
    this.#tell(`released ${id}; open: ${this.#visits.size}`);
    return true;
  }

  #visit({ instance_id: id }: Request): Visit {
    const visit = id === null ? undefined : this.#visits.get(id);
    if (visit === undefined) throw new Refusal(404, `There is no instance ${String(id)}.`);
    return visit;
  }
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function readRequest(body: string): Request {
  const value: unknown = JSON.parse(body);
  if (!isFields(value)) throw new Refusal(400, 'The body must be a JSON object.');
  const text = (key: string): string | null => {
    const given = value[key] ?? null;
    if (given !== null && typeof given !== 'string') throw new Refusal(400, `${key} must be a text.`);
    return given;
  };
  const fields = (key: string): Fields => (isFields(value[key]) ? value[key] : {});
  return {
    env_type: text('env_type') ?? 'default',
    task_id: text('task_id'),
    instance_id: text('instance_id'),
    messages: fields('messages'),
    params: fields('params'),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
