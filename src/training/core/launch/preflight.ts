import { sizeText } from '../../../base/core/sizeText.ts';
import type { ConfigProblem } from '../../../configs/core/finding.ts';
import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import type { KeyedValue } from './keyed.ts';
import type { GpuReading } from './nvidiaSmi.ts';
import { programOf, type ProgramName } from './plan.ts';
import { variableFindings } from './preflightKeys.ts';
import { pythonFindings, type PythonFacts } from './preflightPython.ts';
import { rayFindings, type RayFacts } from './preflightRay.ts';
import { folderUserFindings, type FolderUser } from './preflightRuns.ts';
import { stageFindings } from './preflightStages.ts';
import { dataOf, partsOf, type Training } from './training.ts';

/** What was found out about the machine for one order. Whatever could not be found out is null. */
export interface PreflightFacts {
  readonly gpus: readonly GpuReading[] | null;
  /** Whether `nvidia-smi` told of them, and not the owner of the host. */
  readonly gpusAreReal: boolean;
  /** The launchers that the owner lists; of each, whether its executable is there. */
  readonly launchers: Readonly<Partial<Record<ProgramName, { readonly found: boolean }>>>;
  /** Of the Python that the launcher runs in. */
  readonly python: PythonFacts | null;
  /** Bytes that are free where the job's folder will be. */
  readonly diskFree: number | null;
  /** Why the job's folder can be no run's, as the end of a sentence; null: it can be. */
  readonly jobFolderProblem: string | null;
  /** Who is at work in the job's folder; null: nobody. */
  readonly folderUser: FolderUser | null;
  /** The stage that training got to in the job's folder before, counted from 0; null: there is none. */
  readonly stageBefore: number | null;
  readonly ray: RayFacts | null;
  /** Paths of the config that are outside of what is sent, and whether they are there. */
  readonly paths: ReadonlyMap<string, boolean>;
  /** Names of variables that the run would have: the order's, and the host's own where it runs here. */
  readonly variables: ReadonlySet<string>;
}

/** A checkpoint of a small model with its optimizer; less than that fills up at the first one. */
const leastDisk = 20e9;
/** No run gets far with less. */
const noDisk = 1e9;
/** Upstream's launcher wants that much of every GPU's memory free. */
const leastFree = 0.95;

/** What would keep a run from starting, or from coming to its end: the worst first. */
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
  ];
  const rank = { error: 0, warning: 1, info: 2 };
  return found.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

/** Unset variables are told of with all that the run will have. */
function configFindings(problems: readonly ConfigProblem[]): Finding[] {
  return problems
    .filter(({ code, severity }) => severity === 'error' && !code.startsWith('config/environment-blocked'))
    .map(({ code, message, hint }) => ({
      id: code,
      severity: code === 'config/environment-missing' ? 'warning' : 'error',
      message,
      ...(hint !== undefined && { hint }),
    }));
}

function launcherFindings(order: RunOrder, training: Training, { launchers }: PreflightFacts): Finding[] {
  if (order.launcher === 'ray') return [];
  const name = programOf(order.launcher, training);
  const launcher = launchers[name];
  if (launcher?.found === true) return [];
  return [
    {
      id: 'launcher-missing',
      severity: 'error',
      message:
        launcher === undefined
          ? `This host does not start \`${name}\`: it is not on the list of its owner.`
          : `\`${name}\` is not installed where the host looks for it.`,
      hint: `Install it, or have the owner of the host name its executable with \`--launcher ${name}=PATH\`.`,
    },
  ];
}

function gpuFindings(order: RunOrder, training: Training, facts: PreflightFacts): Finding[] {
  if (order.launcher === 'ray') return [];
  const { gpusPerNode, nodes } = training;
  const found: Finding[] = [];
  const wanted = gpusPerNode.value;
  const count = facts.gpus?.length ?? Infinity;
  const told = (
    id: string,
    severity: Finding['severity'],
    { key }: KeyedValue<unknown>,
    message: string,
    hint: string,
  ): void => {
    found.push({ id, severity, message, hint, key });
  };
  if (order.gpus > count || (wanted !== null && wanted > count)) {
    const asked = Math.max(order.gpus, wanted ?? 0);
    const message = `${asked} GPUs are asked for, and this host has ${count}.`;
    const hint =
      count === 0
        ? 'Train on a host that has GPUs, or tell `agentjet host` of them with `--gpus N`.'
        : `Set \`${gpusPerNode.key}\` to ${count} at most.`;
    told('gpus-too-few', 'error', gpusPerNode, message, hint);
  } else if (wanted !== null && wanted > order.gpus) {
    const message = `The config trains on ${wanted} GPUs, and the run is to be given ${order.gpus}.`;
    told(
      'gpus-not-given',
      'error',
      gpusPerNode,
      message,
      `Ask for ${wanted} GPUs, or set \`${gpusPerNode.key}\`.`,
    );
  }
  if (wanted === null && order.gpus === 0) {
    const message =
      'The run is given no GPU and sees none, and the config leaves their number to be found out.';
    const hint = 'Ask for GPUs (on a command line with `--gpus N`), unless the engine is elsewhere.';
    told('gpus-none', 'warning', gpusPerNode, message, hint);
  }
  const total = wanted === null ? null : wanted * (nodes.value ?? 1);
  for (const { mode, engineGpus } of partsOf(training)) {
    if (mode !== 'both' || total === null || engineGpus.value === null || engineGpus.value < total) continue;
    const message = `The inference engines take ${engineGpus.value} of ${total} GPUs, which leaves none to the trainer.`;
    told('gpus-no-trainer', 'error', engineGpus, message, `Lower \`${engineGpus.key}\`.`);
  }
  if ((nodes.value ?? 1) > 1) {
    const message = `The config trains on ${nodes.value ?? 1} machines, and this launcher starts it on one.`;
    told(
      'nodes',
      'warning',
      nodes,
      message,
      'Choose the launcher `ray`, or have Ray run on all of them before.',
    );
  }
  return [...distinct(found), ...memoryFindings(Math.max(order.gpus, wanted ?? 0), training, facts)];
}

/** Stages that leave a section out have it from above: it is told of once. */
function distinct(found: readonly Finding[]): Finding[] {
  return [...new Map(found.map((one) => [`${one.id} ${one.key ?? ''} ${one.message}`, one])).values()];
}

function memoryFindings(
  wanted: number,
  training: Training,
  { gpus, gpusAreReal }: PreflightFacts,
): Finding[] {
  if (!gpusAreReal || wanted === 0) return [];
  if (gpus === null) {
    const message = 'The driver of the GPUs does not answer: the run waits until it does.';
    const hint = 'See on the host what `nvidia-smi` tells.';
    return [{ id: 'gpus-silent', severity: 'warning', message, hint, key: training.gpusPerNode.key }];
  }
  const free = gpus.filter(
    ({ memory, used }) => memory === null || used === null || 1 - used / memory >= leastFree,
  );
  if (free.length >= Math.min(wanted, gpus.length)) return [];
  const taken = gpus.filter((gpu) => !free.includes(gpu));
  const shown = taken
    .map(({ index, used, memory }) => `${index} (${used ?? 0} of ${memory ?? 0} MiB)`)
    .join(', ');
  return [
    {
      id: 'gpu-memory',
      severity: 'warning',
      message: `Memory is in use on GPU ${shown}: the run waits until enough GPUs are free.`,
      hint: 'See with `nvidia-smi` what uses it.',
      key: training.gpusPerNode.key,
    },
  ];
}

function jobFolderFindings({ job: { root } }: Training, { jobFolderProblem }: PreflightFacts): Finding[] {
  if (jobFolderProblem === null) return [];
  return [
    {
      id: 'job-folder',
      severity: 'error',
      message: `The run may not keep its checkpoints below ${root.value}: ${jobFolderProblem}.`,
      hint: `Set \`${root.key}\` to a folder inside the code that is sent, or to one on the host that is for checkpoints alone.`,
      key: root.key,
    },
  ];
}

function diskFindings({ job }: Training, { diskFree }: PreflightFacts): Finding[] {
  if (diskFree === null || diskFree >= leastDisk) return [];
  return [
    {
      id: 'disk',
      severity: diskFree < noDisk ? 'error' : 'warning',
      message: `${sizeText(diskFree)} are free where checkpoints go; one of a model of 7B with its optimizer takes about 90 GB.`,
      hint: `Make room, or set \`${job.root.key}\` to a folder on another disk.`,
      key: job.root.key,
    },
  ];
}

/** Upstream's rule: what holds more than two `/` is a path, anything else may be the name of a hub. */
export function isModelPath(model: string): boolean {
  return model.split('/').length - 1 > 2 || /^(?:\/|\.\.?\/|~)/.test(model);
}

function placeFindings(training: Training, facts: PreflightFacts): Finding[] {
  return [...diskFindings(training, facts), ...pathFindings(training, facts)];
}

/** What this host sees of disks and paths decides nothing for a cluster: its nodes may have others. */
function rayPlaceFindings(training: Training, facts: PreflightFacts): Finding[] {
  const { root } = training.job;
  const unchecked = placeFindings(training, facts).map(({ id, message, key }): Finding => {
    const told = `${message.replace(/\.$/, '')}, which decides nothing: the cluster runs it.`;
    const hint = 'See that every node of the cluster has it at the same path.';
    return { id, severity: 'info', message: told, ...(id !== 'disk' && { hint }), ...(key && { key }) };
  });
  if (root.value.startsWith('/')) return unchecked;
  return [
    ...unchecked.filter(({ id }) => id !== 'disk'),
    {
      id: 'checkpoints-apart',
      severity: 'warning',
      message: `Checkpoints go to ${root.value} in Ray's working folder on one of its nodes: this host can neither list nor bring them, and no run goes on from them.`,
      hint: `Set \`${root.key}\` to the absolute path of a folder that the cluster and this host share.`,
      key: root.key,
    },
  ];
}

function pathFindings(training: Training, { paths }: PreflightFacts): Finding[] {
  const found: Finding[] = [];
  const { value, key } = training.model;
  if (value !== null && isModelPath(value) && paths.get(value) === false) {
    const message = `There is no model at ${value} on this host.`;
    const hint = `Set \`${key}\` to the model's folder there, or to its name in a hub.`;
    found.push({ id: 'model-missing', severity: 'error', message, hint, key });
  }
  for (const { value: path, key: at } of dataOf(training)) {
    if (paths.get(path) !== false) continue;
    const message = `There is no data set at ${path} on this host.`;
    found.push({
      id: 'data-missing',
      severity: 'error',
      message,
      hint: `Correct \`${at}\`, or put the data there.`,
      key: at,
    });
  }
  return found;
}
