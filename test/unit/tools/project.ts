/** A project as small as the tools allow, in a folder of its own: their files, and stand-ins for what they run. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

export class Project {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<Project> {
    const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'agentjet-tools-')));
    const project = new Project(folder);
    for (const entry of ['test/tools', '.ci/run', 'test/package.json']) {
      await cp(path.join(root, entry), project.path(entry), { recursive: true });
    }
    await mkdir(project.path('bin'));
    return project;
  }

  path(entry: string): string {
    return path.join(this.folder, entry);
  }

  async write(entry: string, text: string): Promise<void> {
    await mkdir(path.dirname(this.path(entry)), { recursive: true });
    await writeFile(this.path(entry), text);
  }

  /** A program: the body of a shell script. */
  async program(entry: string, script: string): Promise<void> {
    await this.write(entry, `#!/bin/sh\n${script}\n`);
    await chmod(this.path(entry), 0o755);
  }

  /** The Node.js that an installation brings. */
  async installNode(): Promise<void> {
    await mkdir(this.path('node_modules/node/bin'), { recursive: true });
    await symlink(process.execPath, this.path('node_modules/node/bin/node'));
  }

  /** Runs a program with this project's `bin` first on PATH. Output is both streams. */
  run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const searchPath = `${this.path('bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
    return new Promise((resolve) => {
      const options = { cwd: this.folder, env: { ...process.env, PATH: searchPath, ...env } };
      execFile(command, [...args], options, (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
        resolve({ code, output: stdout + stderr });
      });
    });
  }

  node(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    return this.run(process.execPath, [this.path(script), ...args], env);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
