import type { LauncherName, RunOrder, RunStage } from '../protocol/runs.ts';
import { launchErrors } from './failures.ts';
import { ajetFlags, isInside, launcherArguments, trinityFlags, type FlagTable } from './flags.ts';
import { shellCommand } from './shellWords.ts';
import type { JobUse, Training } from './training.ts';

/** The process that a host starts for an order. No shell is involved. */
export interface LaunchPlan {
  /** The executable that the owner of the host configured. The order cannot change it. */
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the host's environment: those of the order, then those of the host, such as CUDA_VISIBLE_DEVICES. */
  readonly env: Readonly<Record<string, string>>;
  /** The number of training steps; null if the config does not set it. */
  readonly totalSteps: number | null;
  /** The stages in order; absent if the training has none. */
  readonly stages?: readonly RunStage[];
  /** The absolute folder of checkpoints and logs; null if it is not known before the start. */
  readonly jobFolder?: string | null;
  readonly jobUse?: JobUse;
  /** The effective config that the host keeps: see `runs/effectiveConfig`. */
  readonly effectiveConfig?: string;
  readonly secrets?: readonly string[];
}

/** The executable of a launcher, and arguments before the launcher's own. */
export interface LauncherCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export type ProgramName = 'ajet' | 'trinity';
/** The programs that a host may start. No order can start another one. */
export type Launchers = Readonly<Partial<Record<ProgramName, LauncherCommand>>>;

export interface LaunchSite {
  readonly launchers: Launchers;
  /** Indices of the run's GPUs. */
  readonly devices: readonly number[];
  /** Names of variables in the host's environment. */
  readonly hostVariables: ReadonlySet<string>;
  /** The absolute working folder of the run; absent if an order is only checked. */
  readonly folder?: string;
}

interface Program {
  readonly flags: FlagTable;
  readonly backbones: readonly RunOrder['backbone'][];
  readonly endings: readonly string[];
  /** Arguments before those of the order. */
  readonly args: (config: string, order: RunOrder) => readonly string[];
}

const programs: Readonly<Record<ProgramName, Program>> = {
  ajet: {
    flags: ajetFlags,
    backbones: ['trinity', 'verl'],
    endings: ['.yaml'],
    // Upstream's check requires every GPU of the machine to be free. The host has already assigned GPUs to this run.
    args: (config, { backbone }) => ['--conf', config, '--backbone', backbone, '--skip-check-avail-gpu'],
  },
  trinity: {
    flags: trinityFlags,
    backbones: ['trinity'],
    endings: ['.yaml', '.yml'],
    args: (config) => ['run', '--config', config],
  },
};

/** Returns the program that trains. On Ray, the format of the config decides. */
export function programOf(launcher: LauncherName, training: Pick<Training, 'dialect'>): ProgramName {
  if (launcher !== 'ray') return launcher;
  return training.dialect === 'trinity' ? 'trinity' : 'ajet';
}

/** Returns the process for an order. Throws if flags, paths, names or variables of the order are not allowed. */
export function planLaunch(
  order: RunOrder,
  training: Training,
  site: LaunchSite,
): LaunchPlan & { readonly program: ProgramName } {
  const program = programOf(order.launcher, training);
  const launcher = site.launchers[program];
  if (launcher === undefined) throw launchErrors.noLauncher(program, 'its owner has not allowed it');
  return {
    program,
    command: launcher.command,
    args: [
      ...launcher.args,
      ...argumentsOf(program, order, training, site.hostVariables).map((arg) => absolutePlugins(arg, site)),
    ],
    env: { ...quiet, ...checkedVariables(order.env), ...devicesOf(site.devices) },
    totalSteps: training.totalSteps,
  };
}

/** Returns the variables of a program that the host starts for itself, with the GPUs that it gets. */
export function gpuVariables(devices: readonly number[]): Readonly<Record<string, string>> {
  return { ...quiet, ...devicesOf(devices) };
}

/** GPUs are numbered as in `nvidia-smi`. By default CUDA starts with the fastest one. */
function devicesOf(devices: readonly number[]): Readonly<Record<string, string>> {
  return { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: devices.join(',') };
}

const withRay = '--with-ray';
const plugins = '--plugin-dir=';

/** Makes the folder of plug-ins absolute. The processes of a Ray that is already running have another working folder. */
function absolutePlugins(argument: string, { folder }: LaunchSite): string {
  if (folder === undefined || !argument.startsWith(plugins)) return argument;
  const own = argument.slice(plugins.length);
  return own.startsWith('/') ? argument : `${plugins}${folder}/${own}`;
}

/** The variables of the official SDK of Tinker. */
const tinkerVariables = ['TINKER_API_KEY', 'TINKER_BASE_URL', 'TINKER_CREDENTIAL_CMD'];

/**
 * Returns variables that pass those of a run to the processes of a Ray that is already running. Ray starts them with its
 * own environment, and not with that of the driver. Ray writes passed variables to its logs, so those that it has are left out.
 *
 * @param host the environment of the host
 * @param ray the environment of Ray, as `NAME=value`
 */
export function rayVariables(
  { backbone, flags, env }: RunOrder,
  { tinker }: Training,
  host: Readonly<Record<string, string | undefined>>,
  ray: readonly string[],
): Readonly<Record<string, string>> {
  if (backbone !== 'trinity' || flags.includes(withRay)) return {};
  const names = tinker === null ? [] : tinkerVariables;
  const own = names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]));
  const passed = { ...Object.fromEntries(own), ...env };
  const missing = Object.entries(passed).filter(([name, value]) => !ray.includes(`${name}=${value}`));
  if (missing.length === 0) return {};
  return {
    RAY_JOB_CONFIG_JSON_ENV_VAR: JSON.stringify({ runtime_env: { env_vars: Object.fromEntries(missing) } }),
    // Values that Trinity passes itself count.
    RAY_OVERRIDE_JOB_RUNTIME_ENV: '1',
  };
}

/**
 * Plans a job on a cluster, whose nodes have the programs on their PATH. The cluster assigns GPUs. The `entrypoint` is
 * one shell command, which is all that Ray's API accepts. Every word is quoted.
 */
export function planRayJob(
  order: RunOrder,
  training: Training,
): Pick<LaunchPlan, 'env' | 'totalSteps'> & { readonly entrypoint: string } {
  const program = programOf(order.launcher, training);
  const args = argumentsOf(program, order, training, new Set());
  if (args.includes(withRay)) {
    const why = 'the job runs on a cluster, where Ray is already running';
    throw launchErrors.refusedFlag(withRay, program, why, 'Remove it, or choose the launcher `ajet`.');
  }
  return {
    entrypoint: shellCommand([program, ...args]),
    env: { ...quiet, ...checkedVariables(order.env) },
    totalSteps: training.totalSteps,
  };
}

/** Makes Python print lines at once, and Ray print all of them. */
const quiet = { PYTHONUNBUFFERED: '1', RAY_DEDUP_LOGS: '0' };

function argumentsOf(
  name: ProgramName,
  order: RunOrder,
  training: Training,
  hostVariables: ReadonlySet<string>,
): readonly string[] {
  const { flags, backbones, endings, args } = programs[name];
  if (!backbones.includes(order.backbone)) throw launchErrors.wrongBackbone(name, order.backbone);
  checkNames(training);
  const own = args(configArgument(order.config, endings), order);
  const added = launcherArguments(order.flags, name, flags, hostVariables);
  return [...own, ...added.filter((arg) => !own.includes(arg))];
}

/** `./` keeps a name from being parsed as an option. Upstream's launcher requires a folder in the path. */
function configArgument(config: string, endings: readonly string[]): string {
  if (!isInside(config)) throw launchErrors.badConfigPath(config, 'it is not in the folder that is sent');
  if (!endings.some((ending) => config.endsWith(ending))) {
    throw launchErrors.badConfigPath(config, `its name does not end in \`${endings.join('` or `')}\``);
  }
  return config.startsWith('./') ? config : `./${config}`;
}

function checkNames({ job, stages }: Training): void {
  for (const { key, value } of [job.project, job.group, job.name, ...stages.map(({ name }) => name)]) {
    if (value !== null && value !== '' && !isInside(value)) throw launchErrors.badJobName(key, value);
  }
}

/** Variables that an order must not set: they change the program, the GPUs, or the shell command of a service. */
const keptVariables: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(?:(?:CUDA|NVIDIA|HIP|ROCR|ASCEND_RT)_VISIBLE_DEVICES|CUDA_DEVICE_ORDER)$/, 'the host assigns the GPUs'],
  [/^(?:PATH|PYTHONHOME|BASH_ENV|ENV|LD_.*|DYLD_.*)$/, 'it selects the programs to start'],
  [/^[A-Z]+_SCRIPT$/, 'it is a shell command of a service'],
  [/^AGENTJET_/, 'the host identifies its processes by it'],
];

function checkedVariables(env: RunOrder['env']): RunOrder['env'] {
  for (const [name, value] of Object.entries(env)) {
    const kept = keptVariables.find(([pattern]) => pattern.test(name));
    if (kept !== undefined) throw launchErrors.badVariable(name, kept[1]);
    if (value.includes('\0')) throw launchErrors.badVariable(name, 'its value contains a NUL');
  }
  return env;
}
