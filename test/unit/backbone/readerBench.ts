/** A disk in memory, a helper that answers as told, and a reader that is run on them. */
import { createHash } from 'node:crypto';
import type {
  HelperLlm,
  HelperMessage,
  HelperOptions,
} from '../../../src/backbone/core/helper-llm/helperLlm.ts';
import { readTasks } from '../../../src/backbone/core/task-reader/readers.ts';
import type {
  ReaderTools,
  TaskReadResult,
  TaskSelection,
} from '../../../src/backbone/core/task-reader/taskReader.ts';
import { CancellationSource } from '../../../src/base/core/cancellation.ts';
import { composeText, memoryFiles } from '../configs/memoryFiles.ts';
import { unasked } from './taskSource.ts';

export interface Asked {
  readonly messages: readonly HelperMessage[];
  readonly options: HelperOptions | undefined;
}

export type Answer = (question: string, asked: Asked) => string | Promise<string>;

export class ReaderBench {
  readonly disk = new Map<string, string>();
  readonly asked: Asked[] = [];
  readonly logged: string[] = [];
  readonly cancellation = new CancellationSource();
  answer: Answer = () => '';
  isStandIn = false;
  tools: Partial<ReaderTools> = {};
  #uuids = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(files)) this.disk.set(`/project/${name}`, text);
  }

  async read(
    config: string,
    split: 'training' | 'validation' = 'training',
    selection: TaskSelection = { first: 1_000 },
  ): Promise<TaskReadResult> {
    const composed = await composeText(config);
    const source = {
      ...unasked,
      config: composed.config,
      split,
      cancellation: this.cancellation.token,
      log: (_: unknown, message: string) => void this.logged.push(message),
      resolveFile: (file: string) => Promise.resolve(file.startsWith('/') ? file : `/project/${file}`),
      files: this.#files(),
      helper: this.#helper(),
      tools: { ...unasked.tools, ...this.#tools(), ...this.tools },
    };
    return readTasks(source, selection);
  }

  #files() {
    const now = () => memoryFiles(Object.fromEntries(this.disk));
    return {
      readText: (file: string) => now().readText(file),
      exists: (file: string) => now().exists(file),
      list: (folder: string) => now().list(folder),
      folders: (folder: string) => now().folders?.(folder) ?? Promise.resolve([]),
      lines: (file: string) => linesOf(this.disk.get(file) ?? ''),
    };
  }

  #helper(): HelperLlm {
    return {
      description: 'told',
      isStandIn: this.isStandIn,
      ask: async (messages, _, options) => {
        const asked = { messages, options };
        this.asked.push(asked);
        return this.answer(messages.at(-1)?.content ?? '', asked);
      },
    };
  }

  #tools(): Partial<ReaderTools> {
    return {
      digest: (algorithm, content) => createHash(algorithm).update(content).digest('hex'),
      readBytes: (file) => Promise.resolve(new TextEncoder().encode(this.disk.get(file))),
      writeText: (file, text) => Promise.resolve(void this.disk.set(file, text)),
      appendText: (file, text) =>
        Promise.resolve(void this.disk.set(file, (this.disk.get(file) ?? '') + text)),
      newUuid: () => `uuid-${(this.#uuids += 1)}`,
    };
  }
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* await Promise.resolve(text.split('\n'));
}
