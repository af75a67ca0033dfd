/**
 * Stands in for `ajet` and `trinity`: does what `script.json` in its working folder says, and writes what they write. Each
 * action of the script is one of {@link Action}.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { parse } from 'yaml';

export type Action =
  /** Prints `PREFIX NUMBER` and a padding, each line in a write of its own where `each` is set. */
  | {
      readonly do: 'lines';
      readonly count: number;
      readonly prefix: string;
      readonly padding?: number;
      readonly pause?: number;
    }
  | { readonly do: 'print'; readonly text: string }
  /** A line as Trinity logs it, printed or into a file of the job's log folder. */
  | { readonly do: 'log'; readonly text: string; readonly level?: string; readonly file?: string }
  | {
      readonly do: 'metrics';
      readonly step: number;
      readonly values: Readonly<Record<string, number>>;
      readonly file?: string;
    }
  /** With `weights` in Hugging Face's form as well, as the last one of a stage has them. */
  | { readonly do: 'checkpoint'; readonly step: number; readonly weights?: boolean }
  /**
   * What comes up to the next of these is the stage `names[at]`, in a folder of its own, and is left out where `stage_meta.json`
   * says that training has got beyond it.
   */
  | { readonly do: 'stage'; readonly at: number; readonly names: readonly string[] }
  /** A line into the log of what runs beside training, as AgentJet's launcher names it. */
  | { readonly do: 'companion'; readonly tag: string; readonly text: string }
  /** A child that ignores INT and TERM, in a session of its own where `away` is set; its number goes to a file. */
  | { readonly do: 'fork'; readonly file: string; readonly away?: boolean }
  /**
   * A child as an environment service is: with no variables, in a session of its own; its number goes to a file. Where
   * `heir` is set, it waits for `file` + `.go`, then starts another one in its session, whose number goes there, and ends.
   */
  | { readonly do: 'service'; readonly file: string; readonly heir?: string }
  | { readonly do: 'ignore'; readonly signals: readonly NodeJS.Signals[] }
  | { readonly do: 'await'; readonly file: string }
  | { readonly do: 'touch'; readonly file: string }
  | { readonly do: 'env'; readonly name: string }
  /** A program in the working folder, with this program's output; the launcher ends as it does where it fails. */
  | { readonly do: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly do: 'hang' }
  | { readonly do: 'exit'; readonly code: number };

export interface LauncherScript {
  /** The job's folder, from the working folder; where it is left out, it is where the config that is started has it. */
  readonly job?: string;
  readonly actions: readonly Action[];
}

const stubborn =
  "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {}); setInterval(() => {}, 1000);" +
  "require('node:fs').writeFileSync(process.argv[1], String(process.pid))";

const parent = `
  const [file, heir, program] = process.argv.slice(1);
  const fs = require('node:fs');
  fs.writeFileSync(file, String(process.pid));
  const timer = setInterval(() => {
    if (fs.existsSync(heir)) process.exit();
    if (timer.isHeirStarted || !fs.existsSync(file + '.go')) return;
    timer.isHeirStarted = true;
    require('node:child_process').spawn(process.execPath, ['-e', program, heir], { stdio: 'ignore', env: {} }).unref();
  }, 10);`;

function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

function logged(text: string, level = 'INFO', file = 'explorer.py:120'): string {
  return `${level} 03-14 09:26:53 [${file}] ${text}\n`;
}

function write(job: string, text: string, file: string | undefined): void {
  if (file === undefined) {
    print(text);
    return;
  }
  mkdirSync(path.join(job, 'log'), { recursive: true });
  appendFileSync(path.join(job, 'log', file), text);
}

/** A message of several lines, as Trinity's driver logs it: each has the prefix, and before the next one stands CR LF. */
function announced(text: string): void {
  const rule = '='.repeat(59);
  print(
    [rule, `> ${text}`, rule]
      .map((line) => logged(line, 'INFO', 'launcher.py:401'))
      .join('\r')
      .trim() + '\n',
  );
}

function checkpoint(job: string, step: number, weights = false): void {
  const folder = path.join(job, `global_step_${step}`, 'actor', 'huggingface');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '../model_world_size_1_rank_0.pt'), Buffer.alloc(1_000, step));
  writeFileSync(path.join(folder, '../optim_world_size_1_rank_0.pt'), Buffer.alloc(2_000, step));
  writeFileSync(path.join(folder, 'config.json'), '{}');
  if (weights) writeFileSync(path.join(folder, 'model.safetensors'), Buffer.alloc(500, step));
  writeFileSync(path.join(job, 'latest_checkpointed_iteration.txt'), String(step));
}

async function lines(action: Extract<Action, { do: 'lines' }>): Promise<void> {
  const padding = '.'.repeat(action.padding ?? 0);
  for (let from = 1; from <= action.count; from += 500) {
    const numbers = Array.from({ length: Math.min(500, action.count - from + 1) }, (_, at) => from + at);
    print(numbers.map((number) => `${action.prefix} ${number} ${padding}\n`).join(''));
    if (action.pause !== undefined) await after(action.pause);
  }
}

/** Until a file is there. */
async function awaited(file: string): Promise<void> {
  while (!existsSync(file)) await after(10);
}

async function act(job: string, action: Action): Promise<void> {
  switch (action.do) {
    case 'lines':
      return lines(action);
    case 'print': {
      print(action.text);
      return;
    }
    case 'log': {
      write(job, logged(action.text, action.level), action.file);
      return;
    }
    case 'metrics': {
      const dict = Object.entries(action.values).map(([name, value]) => `'${name}': ${value}`);
      const text = logged(`Step ${action.step}: {${dict.join(', ')}}`, 'INFO', 'monitor.py:88');
      write(job, text, action.file);
      return;
    }
    case 'checkpoint': {
      checkpoint(job, action.step, action.weights);
      return;
    }
    case 'stage':
      return; // see runScript
    case 'companion': {
      const folder = 'saved_experiments/companion_logs/companion';
      mkdirSync(folder, { recursive: true });
      appendFileSync(path.join(folder, `${action.tag}.0123abcd.machine.log`), `${action.text}\n`);
      return;
    }
    case 'fork':
      spawn(process.execPath, ['-e', stubborn, action.file], {
        stdio: 'ignore',
        detached: action.away === true,
      });
      return awaited(action.file);
    case 'service': {
      const { file, heir } = action;
      const program = heir === undefined ? [stubborn, file] : [parent, file, heir, stubborn];
      spawn(process.execPath, ['-e', ...program], { stdio: 'ignore', detached: true, env: {} });
      return awaited(file);
    }
    case 'ignore':
      for (const name of action.signals) process.on(name, () => print(`ignored ${name}\n`));
      return;
    case 'await':
      return awaited(action.file);
    case 'touch': {
      writeFileSync(action.file, '');
      return;
    }
    case 'env': {
      print(`${action.name}=${process.env[action.name] ?? ''}\n`);
      return;
    }
    case 'program': {
      const { status } = spawnSync(action.command, action.args, { stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) process.exit(status ?? 1);
      return;
    }
    case 'hang':
      return after(2 ** 30);
    case 'exit':
      process.exit(action.code);
  }
}

interface JobConfig {
  readonly checkpoint_root_dir: string;
  readonly project: string;
  readonly name: string;
  readonly continue_from_checkpoint?: boolean;
}

/** Of Trinity's format. */
function startedConfig(): JobConfig {
  const file = process.argv[process.argv.indexOf('--config') + 1] ?? '';
  return parse(readFileSync(file, 'utf8')) as JobConfig;
}

/** The folder of a stage, made; another one where it is there and training may not go on in it. */
function stageFolder(job: string, name: string): string {
  const folder = path.join(job, name);
  const isFull = existsSync(folder) && readdirSync(folder).length > 0;
  if (!isFull || startedConfig().continue_from_checkpoint !== false) return made(folder);
  const before = `${startedConfig().name}/${name}`;
  const time = '20260314092653';
  print(
    logged(
      `Experiment [${before}] already exists, renamed as ${before}_${time}.`,
      'WARNING',
      'config_validator.py:116',
    ),
  );
  return made(`${folder}_${time}`);
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function jobOf({ checkpoint_root_dir: root, project, name }: JobConfig): string {
  return path.join(root, project, name);
}

async function runScript({ job: given, actions }: LauncherScript): Promise<void> {
  const job = given ?? jobOf(startedConfig());
  const meta = path.join(job, 'stage_meta.json');
  const { latest_stage: latest } = existsSync(meta)
    ? (JSON.parse(readFileSync(meta, 'utf8')) as { latest_stage: number })
    : { latest_stage: 0 };
  let stage: { readonly folder: string; readonly number: string; readonly isSkipped: boolean } | undefined;
  const end = (): void => {
    if (stage?.isSkipped === false) announced(`Stage ${stage.number} finished.`);
  };
  for (const action of actions) {
    if (action.do !== 'stage') {
      if (stage?.isSkipped !== true) await act(stage?.folder ?? job, action);
      continue;
    }
    end();
    const { at, names } = action;
    const number = `${at + 1}/${names.length}`;
    const isSkipped = at < latest;
    announced(`${isSkipped ? 'Skipping completed' : 'Starting'} stage ${number}...`);
    if (!isSkipped)
      writeFileSync(path.join(made(job), 'stage_meta.json'), JSON.stringify({ latest_stage: at }));
    stage = { folder: stageFolder(job, names[at] ?? ''), number, isSkipped };
  }
  end();
}

if (process.argv[1] === import.meta.filename) {
  await runScript(JSON.parse(readFileSync('script.json', 'utf8')) as LauncherScript);
  process.exit(0);
}
