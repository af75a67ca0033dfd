import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { makeProject, filesOfTwin } from './copy.ts';
import { expectFirstWindow } from './firstWindow.ts';
import { projectErrors } from './errors.ts';
import type { Language, ProjectSource } from './source.ts';

/** The project name in the templates, in both spellings. It is replaced by the name that the user enters. */
const placeholders = /new_project|NewProject/g;

/** The template of `.gitignore`. Packages of npm cannot contain a file of that name. */
const gitignore = 'gitignore';

const longest = 60;

/** Names that Windows reserves for devices. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns why a name is not valid for folders, files and classes. Undefined: it is valid. */
export function problemOfName(name: string): string | undefined {
  if (name === '') return 'Enter a name.';
  if (name.length > longest) return `The name is longer than ${longest} characters.`;
  if (!/^[A-Za-z]/.test(name)) return 'The name must begin with a letter.';
  const odd = /[^A-Za-z0-9_-]/u.exec(name)?.[0];
  if (odd !== undefined) return `The name may contain letters, digits, _ and -, but not "${odd}".`;
  if (devices.test(name)) return 'Windows reserves this name for a device.';
  return undefined;
}

/**
 * Creates a runnable project: a config, a workflow, a judge, tasks and a README. Rejects with `project/bad-name`,
 * `project/already-there` or `project/cannot-write`, and then leaves no files.
 */
export async function createProject(
  source: ProjectSource,
  { name, language, parent }: { readonly name: string; readonly language: Language; readonly parent: string },
): Promise<{ readonly folder: string; readonly config: string }> {
  const problem = problemOfName(name);
  if (problem !== undefined) throw projectErrors.badName(name, problem);
  const folder = path.join(parent, name);
  const pieces = (await filesOfTwin(source.template, language)).map(async ({ from, to }) => ({
    to: to === gitignore ? `.${gitignore}` : named(to, name),
    content: named(await readFile(from, 'utf8'), name),
  }));
  await makeProject(folder, await Promise.all(pieces), source.types);
  await expectFirstWindow(folder, 'project');
  return { folder, config: path.join(folder, `${name}.yaml`) };
}

function named(text: string, name: string): string {
  return text.replaceAll(placeholders, (found) => (found === 'new_project' ? name : pascalCase(name)));
}

/** Converts `my_agent` and `my-agent` to `MyAgent`. */
function pascalCase(name: string): string {
  return name
    .split(/[_-]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
