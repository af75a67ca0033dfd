import { inspectorSocket } from '../../../../tools/inspectorSocket.ts';

export interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly sourceMapURL: string;
  readonly endLine: number;
}

export interface Place {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

export interface Paused {
  readonly callFrames: readonly { readonly location: Place }[];
  readonly hitBreakpoints: readonly string[];
}

export interface InspectorEvents {
  readonly 'Debugger.scriptParsed': Script;
  readonly 'Debugger.paused': Paused;
  readonly 'Runtime.executionContextDestroyed': unknown;
}

/** As much of the inspector protocol as a test of breakpoints needs. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #listeners = new Map<string, (parameters: unknown) => void>();
  #count = 0;

  static async connect(url: URL): Promise<Inspector> {
    return new Inspector(await inspectorSocket(url));
  }

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id === undefined) this.#listeners.get(message.method ?? '')?.(message.params);
      else this.#answers.get(message.id)?.(message.result ?? message.error);
    });
  }

  on<Name extends keyof InspectorEvents>(
    event: Name,
    listener: (parameters: InspectorEvents[Name]) => void,
  ): void {
    this.#listeners.set(event, (parameters) => listener(parameters as InspectorEvents[Name]));
  }

  send(method: string, params: object = {}): Promise<unknown> {
    const id = (this.#count += 1);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  close(): void {
    this.#socket.close();
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
