/** A tool call of a reply's that no request has answered yet. */
export interface OpenTool {
  readonly call: number;
  readonly agent: string;
  readonly id: string | null;
  readonly name: string;
  /** When the reply was over, as exactly as it is known. */
  readonly from: number;
}

/** The open ones in the order in which they were called; each is found in the same time, however many are open. */
export class OpenTools {
  readonly #open = new Set<OpenTool>();
  /** By agent and by id, the latest last. What was closed goes when it is met. */
  readonly #ofAgent = new Map<string, OpenTool[]>();
  readonly #named = new Map<string, OpenTool[]>();
  readonly #namedOfAgent = new Map<string, Map<string, OpenTool[]>>();

  get size(): number {
    return this.#open.size;
  }

  all(): Iterable<OpenTool> {
    return this.#open;
  }

  add(tool: OpenTool): void {
    const { agent, id } = tool;
    this.#open.add(tool);
    push(this.#ofAgent, agent, tool);
    if (id === null) return;
    push(this.#named, id, tool);
    const own = this.#namedOfAgent.get(agent) ?? new Map<string, OpenTool[]>();
    this.#namedOfAgent.set(agent, own);
    push(own, id, tool);
  }

  close(tool: OpenTool): void {
    this.#open.delete(tool);
  }

  /** The latest of that id, for ids may come again in a later reply: the agent's own, or else of whoever has one. */
  named(id: string, agent: string): OpenTool | undefined {
    return this.#last(this.#namedOfAgent.get(agent)?.get(id)) ?? this.#last(this.#named.get(id));
  }

  /** What the agent's latest reply called that is open. */
  latestOf(agent: string): readonly OpenTool[] {
    const own = this.#ofAgent.get(agent) ?? [];
    const last = this.#last(own);
    if (last === undefined) return [];
    const before = own.findLastIndex(({ call }) => call !== last.call);
    return own.slice(before + 1).filter((tool) => this.#open.has(tool));
  }

  #last(tools: OpenTool[] = []): OpenTool | undefined {
    for (let last = tools.at(-1); last !== undefined; last = tools.at(-1)) {
      if (this.#open.has(last)) return last;
      tools.pop();
    }
    return undefined;
  }
}

function push(lists: Map<string, OpenTool[]>, key: string, tool: OpenTool): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [tool]);
  else list.push(tool);
}
