/** Every example: that it runs as its README says, with the report it shows, and that its author's editor finds no fault. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { normalised, runCli } from './harness/cli.ts';
import { emptyProject, type Project } from './harness/project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'media/examples');
const examples = (await readdir(folder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Manifest {
  readonly description: string;
  /** `args`: what a run needs beside the config. `serve`: a program that a run needs, started before. */
  readonly agentjet?: { readonly args?: readonly string[]; readonly serve?: string };
}

async function copyOf(example: string): Promise<Project> {
  const project = await emptyProject();
  const isSource = (file: string): boolean =>
    !/\.agentjet|saved_experiments/.test(path.relative(folder, file));
  await cp(path.join(folder, example), project.folder, { recursive: true, filter: isSource });
  await mkdir(project.path('.agentjet/types'), { recursive: true });
  await cp(path.join(inject('dist'), 'types/agentjet.d.ts'), project.path('.agentjet/types/agentjet.d.ts'));
  return project;
}

async function manifestOf(project: Project): Promise<Manifest> {
  return JSON.parse(await project.read('package.json')) as Manifest;
}

/** Until it says that it listens. It ends with the test. */
async function serve(project: Project, program: string): Promise<void> {
  const child = spawn(process.execPath, [program], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) if (line.startsWith('listening on ')) return;
  throw new Error(`${program} ended without listening.`);
}

async function typeErrors(project: Project): Promise<string> {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: project.folder });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output;
}

describe.each(examples)('the example %s', (example) => {
  it('runs to the report that it shows', async () => {
    const project = await copyOf(example);
    const { agentjet = {} } = await manifestOf(project);
    if (agentjet.serve !== undefined) await serve(project, agentjet.serve);
    const { stdout, stderr, code } = await runCli(project, [
      '--conf',
      `${example}.yaml`,
      ...(agentjet.args ?? []),
    ]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await expect(normalised(stdout, project)).toMatchFileSnapshot(path.join(folder, example, 'expected.txt'));
  });

  it('has nothing that its author’s editor would mark', async () => {
    const project = await copyOf(example);
    expect(await typeErrors(project)).toBe('');
    const { stdout } = await runCli(project, ['check', `${example}.yaml`]);
    expect(stdout).toMatch(/^0 errors, 0 warnings/m);
  });

  it('says what it is, and how it is run', async () => {
    const project = await copyOf(example);
    const { description } = await manifestOf(project);
    expect(description).toMatch(/^[A-Z].{20,90}\.$/);
    expect(await readFile(project.path('README.md'), 'utf8')).toMatch(/F5/);
  });
});
