import type { LauncherName, RunOrder, RunStage } from '../protocol/runs.ts';
import {
  badConfigPath,
  badJobName,
  badVariable,
  noLauncher,
  refusedFlag,
  wrongBackbone,
} from './failures.ts';
import { ajetFlags, isInside, launcherArguments, trinityFlags, type FlagTable } from './flags.ts';
import { shellCommand } from './shellWords.ts';
import type { JobUse, Training } from './training.ts';

/** What a host starts for an order. Nothing of it passes through a shell. */
export interface LaunchPlan {
  /** The executable that the host's owner configured, never anything of the order's. */
  readonly command: string;
  /** One argument each, whatever is in it. */
  readonly args: readonly string[];
  /**
   * Laid over the host's own environment: the order's variables, then what the host decides, CUDA_VISIBLE_DEVICES among it.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Steps until training ends; null where the config does not say. */
  readonly totalSteps: number | null;
  /** In their order; absent: the training is one. */
  readonly stages?: readonly RunStage[];
  /** Absolute: where checkpoints and logs will be; null where that shows only later. */
  readonly jobFolder?: string | null;
  readonly jobUse?: JobUse;
  /** What it is started with, as the host keeps it: see `remote/runs/effectiveConfig`. */
  readonly effectiveConfig?: string;
  /** Secrets that its config has. */
  readonly secrets?: readonly string[];
}

/** What starts a launcher: an executable, and what stands before the launcher's own arguments. */
export interface LauncherCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Upstream's programs. */
export type ProgramName = 'ajet' | 'trinity';

/** The list of what a host starts; a program that is not on it is not started, whatever an order says. */
export type Launchers = Readonly<Partial<Record<ProgramName, LauncherCommand>>>;

export interface LaunchSite {
  readonly launchers: Launchers;
  /** Indices of the GPUs that the run has. */
  readonly devices: readonly number[];
  /** Names that are set in the host's own environment. */
  readonly hostVariables: ReadonlySet<string>;
}

interface Program {
  readonly flags: FlagTable;
  readonly backbones: readonly RunOrder['backbone'][];
  readonly endings: readonly string[];
  /** Its own arguments before those that the order adds. */
  readonly args: (config: string, order: RunOrder) => readonly string[];
}

const programs: Readonly<Record<ProgramName, Program>> = {
  ajet: {
    flags: ajetFlags,
    backbones: ['trinity', 'verl'],
    endings: ['.yaml'],
    // Upstream's check wants every GPU of the machine free, other runs' as well; the host has given this run its own.
    args: (config, { backbone }) => ['--conf', config, '--backbone', backbone, '--skip-check-avail-gpu'],
  },
  trinity: {
    flags: trinityFlags,
    backbones: ['trinity'],
    endings: ['.yaml', '.yml'],
    args: (config) => ['run', '--config', config],
  },
};

/** The program that trains: on Ray it is the config's format that tells. */
export function programOf(launcher: LauncherName, training: Pick<Training, 'dialect'>): ProgramName {
  if (launcher !== 'ray') return launcher;
  return training.dialect === 'trinity' ? 'trinity' : 'ajet';
}

/** Throws what is wrong with an order, before anything of it is started: flags, paths, names, variables. */
export function planLaunch(
  order: RunOrder,
  training: Training,
  site: LaunchSite,
): LaunchPlan & { readonly program: ProgramName } {
  const program = programOf(order.launcher, training);
  const launcher = site.launchers[program];
  if (launcher === undefined) throw noLauncher(program, 'it is not on the list of its owner');
  return {
    program,
    command: launcher.command,
    args: [...launcher.args, ...argumentsOf(program, order, training, site.hostVariables)],
    env: { ...quiet, ...checkedVariables(order.env), ...devicesOf(site) },
    totalSteps: training.totalSteps,
  };
}

/** Numbered as `nvidia-smi` does, from which they are known: CUDA itself begins with the fastest. */
function devicesOf({ devices }: LaunchSite): Readonly<Record<string, string>> {
  return { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: devices.join(',') };
}

/** Has the launcher start a Ray of its own. */
const withRay = '--with-ray';

/** What a Ray cluster is asked to run. */
export interface RayJobPlan {
  /** One shell command: Ray's API knows nothing else. Every word of it is quoted. */
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly totalSteps: number | null;
}

/** The same for a cluster, whose nodes have the programs under their own names, and which hands out GPUs itself. */
export function planRayJob(order: RunOrder, training: Training): RayJobPlan {
  const program = programOf(order.launcher, training);
  const args = argumentsOf(program, order, training, new Set());
  if (args.includes(withRay)) {
    const why = 'the job is handed to a cluster whose Ray runs already';
    throw refusedFlag(withRay, program, why, 'Leave it out, or choose the launcher `ajet`.');
  }
  return {
    entrypoint: shellCommand([program, ...args]),
    env: { ...quiet, ...checkedVariables(order.env) },
    totalSteps: training.totalSteps,
  };
}

/** Lines as they are printed, and all of them. */
const quiet = { PYTHONUNBUFFERED: '1', RAY_DEDUP_LOGS: '0' };

function argumentsOf(
  name: ProgramName,
  order: RunOrder,
  training: Training,
  hostVariables: ReadonlySet<string>,
): readonly string[] {
  const { flags, backbones, endings, args } = programs[name];
  if (!backbones.includes(order.backbone)) throw wrongBackbone(name, order.backbone);
  checkNames(training);
  const own = args(configArgument(order.config, endings), order);
  const added = launcherArguments(order.flags, name, flags, hostVariables);
  return [...own, ...added.filter((arg) => !own.includes(arg))];
}

/** `./` keeps a name from being an option, and upstream's launcher wants a folder in the path. */
function configArgument(config: string, endings: readonly string[]): string {
  if (!isInside(config)) throw badConfigPath(config, 'it is not inside the folder that is sent');
  if (!endings.some((ending) => config.endsWith(ending))) {
    throw badConfigPath(config, `its name does not end in \`${endings.join('` or `')}\``);
  }
  return config.startsWith('./') ? config : `./${config}`;
}

function checkNames({ job, stages }: Training): void {
  for (const { key, value } of [job.project, job.group, job.name, ...stages.map(({ name }) => name)]) {
    if (value !== null && value !== '' && !isInside(value)) throw badJobName(key, value);
  }
}

/** What would make another program of the launcher, take GPUs that were not given, or name a service's shell command. */
const keptVariables: readonly (readonly [name: RegExp, why: string])[] = [
  [
    /^(?:(?:CUDA|NVIDIA|HIP|ROCR|ASCEND_RT)_VISIBLE_DEVICES|CUDA_DEVICE_ORDER)$/,
    'the host gives out the GPUs',
  ],
  [/^(?:PATH|PYTHONHOME|BASH_ENV|ENV|LD_.*|DYLD_.*)$/, 'it decides which programs are started'],
  [/^[A-Z]+_SCRIPT$/, 'it is a shell command of a service'],
  [/^AGENTJET_/, 'by it the host knows its own processes'],
];

function checkedVariables(env: RunOrder['env']): RunOrder['env'] {
  for (const [name, value] of Object.entries(env)) {
    const kept = keptVariables.find(([pattern]) => pattern.test(name));
    if (kept !== undefined) throw badVariable(name, kept[1]);
    if (value.includes('\0')) throw badVariable(name, 'its value holds a NUL');
  }
  return env;
}
