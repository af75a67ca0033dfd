import path from 'node:path';

/** The languages of examples and new projects. */
export const languages = ['python', 'typescript'] as const;
export type Language = (typeof languages)[number];

/** The absolute folder of a project in each language. The Python folder has only the files that differ. */
export type Twin = Readonly<Record<Language, string>>;

/** The locations of examples and templates, in an installed extension or a clone. */
export class ProjectSource {
  readonly #root: string;

  /** @param root the folder of the extension */
  constructor(root: string) {
    this.#root = root;
  }

  example(name: string): Twin {
    return this.#twin('examples', name);
  }

  examples(language: Language): string {
    return this.example('')[language];
  }

  get template(): Twin {
    return this.#twin('template', '');
  }

  get types(): string {
    return path.join(this.#root, 'dist/types/agentjet.d.ts');
  }

  #twin(kind: string, name: string): Twin {
    const folder = (of: string): string => path.join(this.#root, 'media', of, name);
    return { typescript: folder(kind), python: folder(`${kind}-python`) };
  }
}
