import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { inject, onTestFinished } from 'vitest';
import type { TokenizerInfo } from '../../../src/tracking/core/records/tracedRun.ts';
import type { Project } from './project.ts';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** On top of this process's; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The Node that runs the command. Default: the one that runs the tests. */
  readonly node?: string;
  /** What is piped in. Default: nothing; null: nothing, but it stays open. */
  readonly input?: string | null;
}

/** The command, while it runs. It is killed at the end of the test if it still does. */
export class RunningCli {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exited: Promise<Outcome>;
  #stdout = '';
  #stderr = '';

  constructor(project: Project, args: readonly string[], options: CliOptions) {
    const { env, node = process.execPath, input = '' } = options;
    const command = path.join(inject('dist'), 'cli.mjs');
    this.child = spawn(node, [command, ...args], {
      cwd: project.folder,
      env: { ...process.env, OPENAI_API_KEY: undefined, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin.on('error', () => undefined); // it may end before it has read everything
    if (input !== null) this.child.stdin.end(input);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.exited = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) =>
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }),
      );
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('The command did not start.');
    return this.child.pid;
  }

  /** Until what it wrote so far matches; rejects when it ends without. */
  async wrote(pattern: RegExp): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve) => {
      const look = (): void => {
        const match = pattern.exec(this.#stdout) ?? pattern.exec(this.#stderr);
        if (match !== null) resolve(match);
      };
      this.child.stdout.on('data', look);
      this.child.stderr.on('data', look);
      look();
    });
    const ended = this.exited.then(({ stdout, stderr }) => {
      throw new Error(`It ended and never wrote ${String(pattern)}:\n${stdout}\n${stderr}`);
    });
    return Promise.race([found, ended]);
  }
}

export function startCli(project: Project, args: readonly string[], options: CliOptions = {}): RunningCli {
  return new RunningCli(project, args, options);
}

export function runCli(project: Project, args: readonly string[], options?: CliOptions): Promise<Outcome> {
  return startCli(project, args, options).exited;
}

export interface JsonEpisode {
  readonly taskId: string;
  readonly repeat: number;
  readonly reward: number | null;
  readonly isSuccess: boolean;
  readonly llmCalls: number;
  readonly metrics?: Readonly<Record<string, number>>;
  readonly timelines: number | null;
  readonly tokens: number | null;
  readonly trainableTokens: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly findings: readonly JsonFinding[];
}

export interface JsonFinding {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface JsonGroup {
  readonly taskId: string;
  readonly episodes: number;
  readonly failed: number;
  readonly advantages: readonly (number | null)[];
  readonly findings: readonly JsonFinding[];
}

export interface JsonResults {
  readonly episodes: readonly JsonEpisode[];
  readonly groups: readonly JsonGroup[];
  readonly report: {
    readonly trains: number;
    readonly doesNotTrain: number;
    readonly findings: readonly (JsonFinding & { readonly episodes: readonly number[] })[];
    readonly tokenizer: TokenizerInfo | null;
  };
  /** Absolute. */
  readonly trace: string | null;
  readonly error?: { readonly code: string };
}

/** A run with --json: stdout must be one JSON document. */
export async function runJson(
  project: Project,
  args: readonly string[],
  options?: CliOptions,
): Promise<Outcome & JsonResults> {
  const outcome = await runCli(project, [...args, '--json'], options);
  return { ...outcome, ...(JSON.parse(outcome.stdout) as JsonResults) };
}

/** What a user reads, without what differs from run to run: folders, times, ports, process numbers. */
export function normalised(text: string, project: Project): string {
  // A column of times is wider where one has ten seconds.
  return text
    .replaceAll(project.folder, '<folder>')
    .replaceAll(process.execPath, '<node>')
    .replaceAll(/\b\d+\.\d\d s\b/g, '<time>')
    .replaceAll(/ {2,}time\n(.* ) -+$/gm, '    time\n$1 ------')
    .replaceAll(/ {2,}<time>$/gm, '  <time>')
    .replaceAll(/_\d{8}_\d{4}\b/g, '_<when>')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>');
}

/**
 * What a run that goes wrong tells: exit code and stderr, normalised. Throws where a message is not told exactly
 * once, or a frame of the command's own code is shown.
 */
export async function failure(
  project: Project,
  args: readonly string[] = ['--conf', 'small.yaml', '--tasks', '1'],
  options?: CliOptions,
): Promise<string> {
  const { code, stderr } = await runCli(project, args, options);
  const ownFrames = /^.*dist\/.*\.mjs.*$/m.exec(stderr);
  if (ownFrames !== null) throw new Error(`A frame of our own is shown: ${ownFrames[0]}\n${stderr}`);
  const told = stderr.match(/\[[a-z-]+\/[a-z-]+\]$/gm) ?? [];
  if (new Set(told).size !== told.length || told.length === 0) {
    throw new Error(`Told ${told.length} times: ${told.join(' ')}\n${stderr}`);
  }
  return `exit ${String(code)}\n${normalised(stderr, project).trimEnd()}`;
}
