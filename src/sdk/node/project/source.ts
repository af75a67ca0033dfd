import path from 'node:path';

/** What examples and new projects are written in. */
export const languages = ['python', 'typescript'] as const;
export type Language = (typeof languages)[number];

/** A project that there is in both: the folder of each, absolute. In Python it has only what differs. */
export type Twin = Readonly<Record<Language, string>>;

/** Where the things lie that are copied into folders of users: what ships, and a clone. */
export class ProjectSource {
  readonly #root: string;

  /** @param root of the extension */
  constructor(root: string) {
    this.#root = root;
  }

  /** An example of AgentJet: Open Example. */
  example(name: string): Twin {
    return this.#twin('examples', name);
  }

  /** The folders of all examples in a language. */
  examples(language: Language): string {
    return this.example('')[language];
  }

  /** What a new project is made of. */
  get template(): Twin {
    return this.#twin('template', '');
  }

  /** The SDK's types. */
  get types(): string {
    return path.join(this.#root, 'dist/types/agentjet.d.ts');
  }

  #twin(kind: string, name: string): Twin {
    const folder = (of: string): string => path.join(this.#root, 'media', of, name);
    return { typescript: folder(kind), python: folder(`${kind}-python`) };
  }
}
