import { sizeText } from '../../../base/core/format.ts';
import type { ConfigProblem } from '../../../configs/core/finding.ts';
import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import { error, info, variableHint, warning } from './findings.ts';
import type { GpuReading } from './nvidiaSmi.ts';
import { programOf, type ProgramName } from './plan.ts';
import { pythonFindings, type PythonFacts } from './preflightPython.ts';
import { tinkerFindings, type TinkerFacts } from './preflightTinker.ts';
import { dataOf, partsOf, type Training, type JobUse, type TrainingStage } from './training.ts';
import { runErrors } from '../runs/failures.ts';
import type { KeyUser } from './dataSources.ts';

const keyName = 'DASHSCOPE_API_KEY';

const users: Readonly<Record<KeyUser, string>> = {
  rubrics_auto_grader: 'no rubrics are generated and no episode is judged',
  llm_evaluate: 'the filter cannot be created and no task is read',
  deduplication: 'the filter cannot be created and no task is read',
};

function variableFindings(
  { launcher }: RunOrder,
  { monitor, reader, dialect, keyUsers }: Training,
  variables: ReadonlySet<string>,
): Finding[] {
  const isRay = launcher === 'ray';
  const missing = (make: typeof error, name: string, key: string, otherwise: string): readonly Finding[] => {
    if (variables.has(name)) return [];
    const message = `\`${key}\` needs the variable ${name}. Without it, ${otherwise}.`;
    const hint = variableHint(name, isRay);
    // The nodes of a cluster may set it.
    return [(isRay ? warning : make)('variable-missing', message, { hint, key })];
  };
  const noMonitor =
    dialect === 'trinity' ? 'the monitor cannot be created' : 'the launcher stops with exit status 1';
  const asks = 'wandb asks for it, except after `wandb login` on the host or with WANDB_MODE=offline';
  const readerKeys = reader.value === 'data_generation' ? [keyName, `${keyName}_BACKUP`] : [];
  return [
    ...(monitor.value === 'swanlab' ? missing(error, 'SWANLAB_API_KEY', monitor.key, noMonitor) : []),
    ...(monitor.value === 'wandb' ? missing(warning, 'WANDB_API_KEY', monitor.key, asks) : []),
    ...readerKeys.flatMap((name) => missing(error, name, reader.key, 'no query is generated')),
    ...keyUsers.flatMap(({ key, value }) => missing(error, keyName, key, users[value])),
  ];
}

/** Facts about the machine for one order. Unknown facts are null. */
export interface PreflightFacts {
  readonly gpus: readonly GpuReading[] | null;
  /** True if `nvidia-smi` reported the GPUs, false if the owner of the host configured them. */
  readonly gpusAreReal: boolean;
  /** The launchers that the owner lists, and whether the executable of each exists. */
  readonly launchers: Readonly<Partial<Record<ProgramName, { readonly found: boolean }>>>;
  readonly python: PythonFacts | null;
  /** Free bytes on the disk of the job's folder. */
  readonly diskFree: number | null;
  /** The reason why a run cannot use the job's folder, as the end of a sentence; null if it can. */
  readonly jobFolderProblem: string | null;
  readonly folderUser: FolderUser | null;
  /** The stage that earlier training in the job's folder reached, from 0; null if there is none. */
  readonly stageBefore: number | null;
  readonly ray: RayFacts | null;
  /** Paths of the config outside the uploaded folder, and whether each exists. */
  readonly paths: ReadonlyMap<string, boolean>;
  /** Null: the config does not use a Tinker server. */
  readonly tinker: TinkerFacts | null;
  /** Names of the run's variables: those of the order, and those of the host if the run is local. */
  readonly variables: ReadonlySet<string>;
}

/** The size of a checkpoint of a small model with its optimizer. With less, the first checkpoint fills the disk. */
const leastDisk = 20e9;
/** The free bytes below which no run can work. */
const noDisk = 1e9;
/** The share of each GPU's memory that upstream's launcher requires to be free. */
const leastFree = 0.95;

/** Returns what would keep a run from starting or completing. Errors come first. */
export function preflight(order: RunOrder, training: Training, facts: PreflightFacts): Finding[] {
  const found = [
    ...configFindings(training.problems),
    ...launcherFindings(order, training, facts),
    ...(facts.python === null ? [] : pythonFindings(order, training, facts.python)),
    ...gpuFindings(order, training, facts),
    ...rayFindings(order, training, facts.ray),
    ...jobFolderFindings(training, facts),
    ...folderUserFindings(order, training, facts.folderUser),
    ...stageFindings(training, facts.stageBefore),
    ...(order.launcher === 'ray' ? rayPlaceFindings(training, facts) : placeFindings(training, facts)),
    ...variableFindings(order, training, facts.variables),
    ...tinkerFindings(order, training, facts),
  ];
  const rank = { error: 0, warning: 1, info: 2 };
  return found.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

/** Returns the errors of the config. An unset variable is only a warning, because the run may set it. */
function configFindings(problems: readonly ConfigProblem[]): Finding[] {
  return problems
    .filter(({ code, severity }) => severity === 'error' && !code.startsWith('config/environment-blocked'))
    .map(({ code, message, hint }) => ({
      id: code,
      severity: code === 'config/environment-missing' ? 'warning' : 'error',
      message,
      hint,
    }));
}

function launcherFindings(order: RunOrder, training: Training, { launchers }: PreflightFacts): Finding[] {
  if (order.launcher === 'ray') return [];
  const name = programOf(order.launcher, training);
  const launcher = launchers[name];
  if (launcher?.found === true) return [];
  const message =
    launcher === undefined
      ? `This host does not start \`${name}\`: its owner has not allowed it.`
      : `\`${name}\` is not installed on this host.`;
  const hint = `Install it, or ask the owner of the host to set its executable with \`--launcher ${name}=PATH\`.`;
  return [error('launcher-missing', message, { hint })];
}

function gpuFindings(order: RunOrder, training: Training, facts: PreflightFacts): Finding[] {
  if (order.launcher === 'ray') return [];
  const {
    gpusPerNode: { key, value: wanted },
    nodes,
  } = training;
  const found: Finding[] = [];
  const count = facts.gpus?.length ?? Infinity;
  const asked = Math.max(order.gpus, wanted ?? 0);
  if (asked > count) {
    const hint =
      count === 0
        ? 'Train on a host with GPUs. If this host has GPUs, start it with `agentjet host --gpus N`.'
        : `Set \`${key}\` to at most ${count}.`;
    found.push(
      error('gpus-too-few', `The run needs ${asked} GPUs, but this host has ${count}.`, { hint, key }),
    );
  } else if (wanted !== null && wanted > order.gpus) {
    const message = `The config trains on ${wanted} GPUs, but the run gets ${order.gpus}.`;
    const hint = `Request ${wanted} GPUs, or change \`${key}\`.`;
    found.push(error('gpus-not-given', message, { hint, key }));
  }
  if (wanted === null && order.gpus === 0) {
    const message = 'The run gets no GPU, but the config detects their number automatically.';
    const hint =
      'Request GPUs (on a command line with `--gpus N`), unless the inference engine runs elsewhere.';
    found.push(warning('gpus-none', message, { hint, key }));
  }
  const machines = nodes.value ?? 1;
  const total = wanted === null ? null : wanted * machines;
  for (const { mode, engineGpus: engines } of partsOf(training)) {
    if (mode !== 'both' || total === null || engines.value === null || engines.value < total) continue;
    const message = `The inference engines use ${engines.value} of ${total} GPUs, so no GPU is left for the trainer.`;
    found.push(error('gpus-no-trainer', message, { hint: `Lower \`${engines.key}\`.`, key: engines.key }));
  }
  if (machines > 1) {
    const message = `The config trains on ${machines} machines, but this launcher starts it on one.`;
    const hint = 'Choose the launcher `ray`, or start Ray on all machines first.';
    found.push(warning('nodes', message, { hint, key: nodes.key }));
  }
  // Stages that share a section repeat its findings.
  const distinct = new Map(found.map((one) => [`${one.id} ${one.key ?? ''} ${one.message}`, one]));
  return [...distinct.values(), ...memoryFindings(asked, training, facts)];
}

function memoryFindings(
  wanted: number,
  { gpusPerNode: { key } }: Training,
  { gpus, gpusAreReal }: PreflightFacts,
): Finding[] {
  if (!gpusAreReal || wanted === 0) return [];
  if (gpus === null) {
    const message = 'The GPU driver does not respond. The run waits until it does.';
    return [warning('gpus-silent', message, { hint: 'Run `nvidia-smi` on the host.', key })];
  }
  const taken = gpus.filter(
    ({ memory, used }) => memory !== null && used !== null && 1 - used / memory < leastFree,
  );
  if (gpus.length - taken.length >= Math.min(wanted, gpus.length)) return [];
  const shown = taken.map(({ index, used, memory }) => `${index} (${used ?? 0} of ${memory ?? 0} MiB)`);
  const message = `Other programs use memory on GPU ${shown.join(', ')}. The run waits until enough GPUs are free.`;
  const hint = 'To see the programs, run `nvidia-smi` on the host.';
  return [warning('gpu-memory', message, { hint, key })];
}

function jobFolderFindings({ job: { root } }: Training, { jobFolderProblem }: PreflightFacts): Finding[] {
  if (jobFolderProblem === null) return [];
  const message = `Checkpoints are not allowed below ${root.value}: ${jobFolderProblem}.`;
  const hint = `Set \`${root.key}\` to a folder inside the code that is sent, or to a folder on the host that is only for checkpoints.`;
  return [error('job-folder', message, { hint, key: root.key })];
}

function diskFindings({ job, tinker }: Training, { diskFree }: PreflightFacts): Finding[] {
  if (diskFree === null || diskFree >= leastDisk) return [];
  const { key } = job.root;
  // The checkpoints of a Tinker server stay there.
  if (tinker !== null && diskFree >= noDisk) return [];
  const size = tinker === null ? ' A checkpoint of a 7B model with its optimizer takes about 90 GB.' : '';
  const message = `The disk for checkpoints has ${sizeText(diskFree)} free.${size}`;
  const hint = `Free space, or set \`${key}\` to a folder on another disk.`;
  return [(diskFree < noDisk ? error : warning)('disk', message, { hint, key })];
}

/** Returns true for a path: as upstream, more than two `/` make one. Anything else may be a name on a hub. */
export function isModelPath(model: string): boolean {
  return model.split('/').length - 1 > 2 || /^(?:\/|\.\.?\/|~)/.test(model);
}

function placeFindings(training: Training, facts: PreflightFacts): Finding[] {
  return [...diskFindings(training, facts), ...pathFindings(training, facts)];
}

/** Turns findings about disks and paths into hints: the nodes of a cluster may have other ones. */
function rayPlaceFindings(training: Training, facts: PreflightFacts): Finding[] {
  const { root } = training.job;
  const unchecked = placeFindings(training, facts).map(({ id, message, key }): Finding => {
    const text = `${message.replace(/\.$/, '')}. The run uses the nodes of the cluster instead.`;
    const hint = 'Check that every node of the cluster has it at the same path.';
    return { id, severity: 'info', message: text, ...(id !== 'disk' && { hint }), ...(key && { key }) };
  });
  if (root.value.startsWith('/')) return unchecked;
  const message = `Checkpoints are written to ${root.value} in Ray's working folder on a node. This host cannot list or download them, and no run can be resumed from them.`;
  const hint = `Set \`${root.key}\` to the absolute path of a folder that the cluster and this host share.`;
  return [
    ...unchecked.filter(({ id }) => id !== 'disk'),
    warning('checkpoints-apart', message, { hint, key: root.key }),
  ];
}

function pathFindings(training: Training, { paths }: PreflightFacts): Finding[] {
  const { value, key } = training.model;
  const found: Finding[] = [];
  if (value !== null && isModelPath(value) && paths.get(value) === false) {
    const message = `The model folder ${value} does not exist on this host.`;
    const hint = `Set \`${key}\` to the folder of the model on the host, or to its name in a hub.`;
    found.push(error('model-missing', message, { hint, key }));
  }
  for (const { value: path, key: at } of dataOf(training)) {
    if (paths.get(path) !== false) continue;
    const message = `The data set ${path} does not exist on this host.`;
    const hint = `Correct \`${at}\`, or copy the data to this path.`;
    found.push(error('data-missing', message, { hint, key: at }));
  }
  return found;
}

export interface OtherRuns {
  /** Returns the run that uses the folder of the order. `folder` is absolute; null if it is not known. */
  readonly userOf: (order: Pick<RunOrder, 'from'>, folder: string | null) => string | undefined;
  readonly rayHolder: () => string | undefined;
}

export interface FolderUser {
  readonly run: string;
  readonly use: JobUse;
}

/** Reports another run in the same folder. The host checks this again when the run starts. */
export function folderUserFindings(
  { from }: RunOrder,
  { job }: Training,
  user: FolderUser | null,
): Finding[] {
  if (user === null || user.use === 'renamed') return [];
  const { message, hint } = runErrors.folderInUse(user.run);
  const details = { hint, ...(from === undefined && { key: job.name.key }) };
  if (user.use === 'alone') return [error('folder-in-use', message, details)];
  const halves = `The run ${user.run} is running in the same folder. This is correct only for the two halves of one training.`;
  return [warning('folder-in-use', halves, details)];
}

function stageFindings(training: Training, before: number | null): Finding[] {
  const { stages } = training;
  return [
    ...stages.flatMap((stage, at) => ownFindings(stage, stages.slice(0, at))),
    ...skipped(training, before),
  ];
}

function ownFindings(
  { name, trainer, weights }: TrainingStage,
  earlier: readonly TrainingStage[],
): Finding[] {
  const found: Finding[] = [];
  if (earlier.some((one) => one.name.value === name.value)) {
    const message = `Two stages have the name ${JSON.stringify(name.value)}. The later one would continue from the checkpoints of the earlier one.`;
    found.push(error('stage-twice', message, { hint: 'Give each stage a different name.', key: name.key }));
  }
  if (trainer.value !== 'verl') {
    const message = `Trinity-RFT passes weights to the next stage only from the trainer \`verl\`. The trainer of ${name.value} is ${trainer.value}.`;
    const hint = 'Use `verl`, or train the stages as separate runs.';
    found.push(error('stage-trainer', message, { hint, key: trainer.key }));
  }
  if (weights.value !== 'last') {
    const message = `Trinity-RFT sets \`save_hf_checkpoint\` to \`last\`: only the last checkpoint of a stage has Hugging Face weights.`;
    found.push(info('stage-weights', message, { key: weights.key }));
  }
  return found;
}

/** Reports the stages that upstream skips because earlier training in the folder completed them. */
function skipped({ stages, continues, job }: Training, before: number | null): Finding[] {
  const ended = stages.slice(0, before ?? 0).map(({ name }) => name.value);
  const next = stages[before ?? 0]?.name.value;
  if (ended.length === 0 || next === undefined) return [];
  const message = `The job's folder already exists, and its training reached the stage ${next}. Skipped stages: ${ended.join(', ')}.`;
  const hint = `Change \`${job.name.key}\` to train all stages.`;
  if (continues.value) return [warning('stages-skipped', message, { hint, key: job.name.key })];
  const restarted = `${message} Since \`${continues.key}\` is off, they get new folders without checkpoints, and ${next} starts with the model of the config.`;
  return [error('stages-skipped', restarted, { hint, key: continues.key })];
}

/** The Ray of this machine, or of the cluster of an order. */
export interface RayFacts {
  readonly running: boolean;
  /** The reason why it does not answer. With a hint, this is a whole sentence from the cluster. */
  readonly why: string;
  readonly hint?: string | undefined;
  /** The run that started the Ray that answers. It ends with that run. */
  readonly run: string | null;
  /** The run of this host with its own Ray, even if that does not answer yet. */
  readonly holder: string | null;
}

export function rayFindings(order: RunOrder, training: Training, ray: RayFacts | null): Finding[] {
  if (ray === null) return [];
  const starts = order.launcher !== 'ray' && order.flags.includes('--with-ray');
  const owner = order.launcher === 'ray' ? null : (ray.holder ?? ray.run);
  if (owner !== null) return besideRun(owner, ray, order, training);
  if (starts && ray.running) {
    const message =
      'Ray is already running on this host. The ports of a second one from `--with-ray` would conflict.';
    return [warning('ray-twice', message, { hint: 'Remove `--with-ray`, or stop Ray with `ray stop`.' })];
  }
  if (starts || ray.running || (training.backbone === 'verl' && order.launcher !== 'ray')) return [];
  if (ray.hint !== undefined) return [error('ray-missing', ray.why, { hint: ray.hint })];
  const hint =
    order.launcher === 'ajet'
      ? 'Add `--with-ray`, or start it with `ray start --head`.'
      : 'Start it with `ray start --head`.';
  return [error('ray-missing', `Ray does not respond: ${ray.why}.`, { hint })];
}

function besideRun(owner: string, { holder }: RayFacts, order: RunOrder, training: Training): Finding[] {
  const starts = order.flags.includes('--with-ray');
  if (!starts && training.backbone === 'trinity') {
    const message = `The Ray on this host belongs to run ${owner} and ends with it.`;
    const hint =
      order.launcher === 'ajet'
        ? `Add \`--with-ray\`. The run then starts a separate Ray once ${owner} has ended.`
        : `Once ${owner} has ended, start Ray with \`ray start --head\` and train again.`;
    return [error('ray-missing', message, { hint })];
  }
  if (holder !== null) {
    return [info('ray-waits', `This run waits for run ${holder}, which has a separate Ray.`)];
  }
  if (!starts) return [];
  const message = `The Ray of run ${owner} is still running. The ports of a second one from \`--with-ray\` would conflict.`;
  return [warning('ray-twice', message, { hint: `Wait until ${owner} has ended.` })];
}
