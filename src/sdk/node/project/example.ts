import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { makeProject, filesOfTwin } from './copy.ts';
import { expectFirstWindow } from './firstWindow.ts';
import type { Language, ProjectSource } from './source.ts';

export interface Example {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly languages: readonly Language[];
}

/** Lists the examples, sorted by name. */
export async function listExamples(source: ProjectSource): Promise<Example[]> {
  const inPython = await foldersIn(source.examples('python'));
  const names = await foldersIn(source.examples('typescript'));
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      description: await descriptionOf(source.example(name).typescript),
      languages: inPython.includes(name) ? (['python', 'typescript'] as const) : (['typescript'] as const),
    })),
  );
}

/** Copies an example to a new absolute folder. Rejects like {@link makeProject}. */
export async function copyExample(
  source: ProjectSource,
  name: string,
  language: Language,
  folder: string,
): Promise<void> {
  await makeProject(folder, await filesOfTwin(source.example(name), language), source.types);
  await expectFirstWindow(folder, 'example');
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function descriptionOf(example: string): Promise<string> {
  const text = await readFile(path.join(example, 'package.json'), 'utf8');
  const { description } = JSON.parse(text) as { readonly description?: string };
  return description ?? '';
}
