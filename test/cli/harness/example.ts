import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import { copyExample } from '../../../src/sdk/node/project/example.ts';
import { ProjectSource, type Language } from '../../../src/sdk/node/project/source.ts';
import { emptyProject, Project } from './project.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** What ships, beside the built command. */
export function installedSource(): ProjectSource {
  return new ProjectSource(path.dirname(inject('dist')));
}

/** As Open Example makes it. */
export async function copyOf(example: string, language: Language): Promise<Project> {
  const project = new Project((await emptyProject()).path(example));
  await copyExample(installedSource(), example, language, project.folder);
  return project;
}

interface Manifest {
  readonly agentjet?: { readonly args?: readonly string[]; readonly serve?: string };
}

/** What a run of the example needs: arguments beside the config, and a program to be started before. */
export async function needsOf(
  project: Project,
): Promise<{ readonly args: readonly string[]; readonly program: string | undefined }> {
  if (!existsSync(project.path('package.json'))) return { args: [], program: undefined };
  const { agentjet = {} } = JSON.parse(await project.read('package.json')) as Manifest;
  return { args: agentjet.args ?? [], program: agentjet.serve };
}

/** Until it says that it listens. It ends with the test. */
export async function serve(project: Project, executable: string, program: string): Promise<void> {
  const child = spawn(executable, [program], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) if (line.startsWith('listening on ')) return;
  throw new Error(`${program} ended without listening.`);
}

/** What the editor of its author would mark. */
export async function typeErrors(project: Project): Promise<string> {
  const tsc = path.join(root, 'node_modules/typescript7/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: project.folder });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output;
}
