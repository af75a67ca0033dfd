import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import { toReport } from '../../../../base/core/errors.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { ajetRelease } from '../../../../configs/core/installed.ts';
import type { Environment } from '../../../../configs/core/interpolation/host.ts';
import { releaseOf } from '../../../../configs/core/key-tables/releases.ts';
import type { PythonFacts } from '../../../core/launch/preflightPython.ts';
import type { Finding, HostStatus } from '../../../core/protocol/hostRpc.ts';
import type { RunOrder, RunRecord, TinkerService } from '../../../core/protocol/runs.ts';
import { launchErrors } from '../../../core/launch/failures.ts';
import { error, info } from '../../../core/launch/findings.ts';
import { isInside } from '../../../core/launch/flags.ts';
import {
  allowedTinker,
  chooseTinker,
  tinkerCommand,
  tinkerServerErrors,
  type TinkerServers,
} from '../../../core/launch/tinkerServers.ts';
import type { TinkerRequest } from '../../../core/contracts.ts';
import type { GpuReading } from '../../../core/launch/nvidiaSmi.ts';
import {
  gpuVariables,
  planLaunch,
  planRayJob,
  programOf,
  rayVariables,
  type LauncherCommand,
  type LaunchPlan,
  type Launchers,
  type LaunchSite,
} from '../../../core/launch/plan.ts';
import {
  isModelPath,
  preflight,
  type PreflightFacts,
  type RayFacts,
  type FolderUser,
  type OtherRuns,
} from '../../../core/launch/preflight.ts';
import { planResume, describeRestore, setConfigKeys, setJobName } from '../../../core/launch/resume.ts';
import {
  dataOf,
  jobFolder,
  jobUse,
  readTraining,
  type JobUse,
  type Training,
} from '../../../core/launch/training.ts';
import { freePort } from '../../../../base/node/freePort.ts';
import { localFiles, pathExists } from '../../../../base/node/files.ts';
import { codeFolder, jobFolderAccess } from '../runs/jobFolder.ts';
import type { KeeperOrder } from '../runs/keeper.ts';
import { RayJobs, rayToken } from '../ray/rayJobs.ts';
import { raySpecFile, readRaySpec, writeRaySpec, type RaySpec } from '../ray/raySpec.ts';
import { effectiveConfigOf } from './effectiveConfig.ts';
import { currentStage, latestStep, linkDefaults, replaceFile, seedJob, stagedSource } from './folder.ts';
import type { TinkerFacts } from '../../../core/launch/preflightTinker.ts';
import { tinkerFacts } from './tinker.ts';
import {
  gpusOf,
  type GpuSource,
  freeSpace,
  rayHere,
  findLaunchers,
  type FoundLauncher,
} from './launchers.ts';

export interface HostLaunchOptions extends GpuSource {
  /** Executables that the owner names, by default `ajet` and `trinity` on PATH. */
  readonly launchers?: Launchers;
  /** The dashboard of a Ray head, such as `http://HEAD:8265`. Without it no order runs on Ray. */
  readonly ray?: string;
  /** The command that starts {@link runRayJob}. The path of a job file is appended. */
  readonly raySupervisor?: LauncherCommand;
  /** The Tinker servers that the owner allows, by default none. */
  readonly tinkerServers?: TinkerServers;
  readonly env: NodeJS.ProcessEnv;
  /** The data folder of the host, with the folders of runs in `runs/`. */
  readonly dataFolder: string;
  /** The home folder of the user of the host, by default of this process. */
  readonly home?: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** A run whose snapshot is in place. */
export interface LaunchRequest {
  readonly run: string;
  readonly order: RunOrder;
  /** The absolute folder of the snapshot, in which the launcher starts. */
  readonly folder: string;
  readonly devices: readonly number[];
  /** The job folder of the run to continue from, if any. */
  readonly from?: Pick<RunRecord, 'stages'> & { readonly jobFolder: string };
}

const preflightRunId = 'preflight';
const nothingBeside: OtherRuns = { userOf: () => undefined, rayHolder: () => undefined };

/** Returns the releases in a Python, as the key tables name them. */
async function releasesOf({ ajet, packages }: PythonFacts): Promise<{ ajet?: string; trinity?: string }> {
  const version = packages['trinity-rft'] ?? undefined;
  const trinity = version === undefined ? undefined : releaseOf('trinity', version);
  const folder = ajet ?? undefined;
  const own =
    folder &&
    (await ajetRelease((name) =>
      localFiles.readText(path.join(folder, 'default_config', name)).catch(() => undefined),
    ));
  return { ...(own && { ajet: own }), ...(trinity !== undefined && { trinity }) };
}

/** Milliseconds to cache the launchers. Packages rarely change, and each query starts a Python. */
const remembered = 60_000;

export class HostLaunch {
  readonly #options: HostLaunchOptions;
  #found: { readonly at: number; readonly launchers: Promise<FoundLauncher[]> } | undefined;

  constructor(options: HostLaunchOptions) {
    this.#options = options;
  }

  /** Returns the GPUs. Null: the driver does not answer. */
  gpus(): Promise<GpuReading[] | null> {
    return gpusOf(this.#options);
  }

  async launchers(): Promise<HostStatus['launchers']> {
    const found = await this.#launchers();
    const programs = await Promise.all(
      found.map(async ({ name, found: isFound, python }) => ({
        name,
        version: python?.packages[name === 'ajet' ? 'agentjet' : 'trinity-rft'] ?? null,
        problem: isFound ? null : `\`${name}\` is not installed on this host.`,
        ...(python && { releases: await releasesOf(python) }),
      })),
    );
    if (this.#options.ray === undefined) return programs;
    const { version, problem } = await this.#rayHead(this.#options.ray);
    return [...programs, { name: 'ray', version, problem }];
  }

  /** Returns the problems of an order without starting it. Findings contain no values of host variables. */
  async preflight(
    order: RunOrder,
    configText: string,
    beside: OtherRuns = nothingBeside,
  ): Promise<Finding[]> {
    const cwd = codeFolder(this.#options.dataFolder, preflightRunId);
    const own = this.#variables(order);
    const variables = (name: string): string | undefined => order.env[name] ?? shown(name, own[name]);
    const training = await this.#read(order, configText, cwd, variables);
    const refused = this.#refusal(order, training);
    const facts = await this.#facts(order, training, cwd, beside);
    return [...refused, ...preflight(order, training, facts), ...resumeFindings(order, training)];
  }

  get tinker(): ReturnType<typeof allowedTinker> {
    return allowedTinker(this.#options.tinkerServers ?? {});
  }

  chooseTinker(request: TinkerRequest): ReturnType<typeof chooseTinker> {
    return chooseTinker(this.#options.tinkerServers ?? {}, request);
  }

  /** Returns how to start a Tinker server, and the port of loopback at which it is to listen. */
  async prepareTinker(
    { server, model }: TinkerService,
    devices: readonly number[],
  ): Promise<LaunchPlan & { readonly port: number }> {
    const { dataFolder, tinkerServers = {} } = this.#options;
    const allowed = Object.hasOwn(tinkerServers, server) ? tinkerServers[server] : undefined;
    if (allowed === undefined) throw tinkerServerErrors.noServer(server, Object.keys(tinkerServers));
    const name = createHash('sha256').update(model).digest('hex').slice(0, 12);
    // Its checkpoints are needed after a restart.
    const data = path.join(dataFolder, 'tinker', server, name);
    await mkdir(data, { recursive: true, mode: 0o700 });
    const port = await freePort();
    const plan = tinkerCommand(allowed.command, { port, model, data });
    return { ...plan, env: gpuVariables(devices), totalSteps: null, jobFolder: null, port };
  }

  /** Writes the changes to the config, and returns the launch plan. */
  async prepare(request: LaunchRequest, cancellation = neverCancelled): Promise<LaunchPlan> {
    const { order, folder, run } = request;
    if (!isInside(order.config))
      throw launchErrors.badConfigPath(order.config, 'it is not in the folder that is sent');
    const file = path.join(folder, order.config);
    const text = await readFile(file, 'utf8').catch(() => {
      throw launchErrors.badConfigPath(order.config, 'no file with this path was sent');
    });
    const variables = (name: string): string | undefined => order.env[name] ?? this.#options.env[name];
    const before = await this.#read(order, text, folder, variables);
    // Checks the order before the first file is written.
    this.#check(order, before);
    const stem = path.basename(order.config).replace(/\.ya?ml$/, '');
    const resumed = await this.#resumed(request, text, before, cancellation);
    const named = resumed?.config ?? setJobName(text, before, stem, run);
    const config = order.launcher === 'trinity' ? await withAbsoluteData(named, before, folder) : named;
    if (config !== text) await replaceFile(file, config);
    const training = config === text ? before : await this.#read(order, config, folder, variables);
    const plan = await this.#plan(request, training);
    const job = resumed?.jobFolder ?? jobFolder(training.job, folder, path);
    // Composed after the defaults of the launcher are linked.
    const { text: effectiveConfig, secrets } = await effectiveConfigOf({
      ...{ run, order, folder, sent: text, started: config },
      variables: { ...this.#variables(order), ...order.env },
      secrets: { ...this.#options.env, ...order.env },
    });
    const use = job === null ? {} : { jobUse: await this.#jobUse(training, job) };
    return { ...plan, ...stagesOf(before, training), effectiveConfig, secrets, jobFolder: job, ...use };
  }

  async #resumed(
    { order, run, folder, from }: LaunchRequest,
    text: string,
    training: Training,
    cancellation: CancellationToken,
  ): Promise<{ config: string; jobFolder: string } | undefined> {
    if (order.from === undefined || from === undefined) return undefined;
    const { jobFolder, stages } = from;
    const staged = await stagedSource(jobFolder, stages);
    const source = { jobFolder, latest: await latestStep(jobFolder), ...(staged && { staged }) };
    const request = { run, from: order.from, source, text, cwd: folder, paths: path };
    const plan = planResume(request, training);
    if (plan.seed !== undefined) await seedJob(jobFolder, plan.jobFolder, plan.seed, cancellation);
    return plan;
  }

  async #plan(request: LaunchRequest, training: Training): Promise<LaunchPlan> {
    const { order, folder } = request;
    if (order.launcher === 'ray') return this.#rayPlan(request, training);
    const found = await this.#launchers();
    const plan = planLaunch(order, training, { ...this.#site(found, request.devices), folder });
    const launcher = found.find(({ name }) => name === plan.program);
    if (launcher?.found !== true)
      throw launchErrors.noLauncher(plan.program, 'it is not installed on the host');
    if (typeof launcher.python?.ajet === 'string' && plan.program === 'ajet') {
      await linkDefaults(folder, launcher.python.ajet);
    }
    const { command, args, env, totalSteps } = plan;
    // A TypeScript workflow uses the Node of this program, unless the owner names another.
    const node = { AGENTJET_NODE: this.#options.env['AGENTJET_NODE'] ?? process.execPath };
    const { environment } = await rayHere(this.#options.env);
    const passed = rayVariables(order, training, this.#options.env, environment);
    return { command, args, env: { ...env, ...passed, ...node }, totalSteps };
  }

  async #rayPlan({ run, order, folder }: LaunchRequest, training: Training): Promise<LaunchPlan> {
    const { ray, raySupervisor } = this.#options;
    if (ray === undefined || raySupervisor === undefined)
      throw launchErrors.noLauncher('ray', 'the host was started without `--ray`');
    const { entrypoint, env, totalSteps } = planRayJob(order, training);
    const job = { head: ray, id: run, name: order.name, entrypoint, env, folder, handed: 'no' } as const;
    const spec = await writeRaySpec(path.dirname(folder), job);
    return { command: raySupervisor.command, args: [...raySupervisor.args, spec], env: {}, totalSteps };
  }

  async rayJob(
    runFolder: string,
  ): Promise<{ supervisor: Pick<KeeperOrder, 'command' | 'args'>; handed: RaySpec['handed'] } | undefined> {
    const { raySupervisor } = this.#options;
    const file = raySpecFile(runFolder);
    const spec = await readRaySpec(file).catch(() => undefined);
    if (raySupervisor === undefined || spec === undefined) return undefined;
    const { command, args } = raySupervisor;
    return { supervisor: { command, args: [...args, file] }, handed: spec.handed };
  }

  #site(found: readonly FoundLauncher[], devices: readonly number[]): LaunchSite {
    const launchers = Object.fromEntries(found.map(({ name, start }) => [name, start]));
    return { launchers, devices, hostVariables: new Set(Object.keys(this.#options.env)) };
  }

  #check(order: RunOrder, training: Training): void {
    const any = { command: '', args: [] };
    if (order.launcher === 'ray') planRayJob(order, training);
    else planLaunch(order, training, { ...this.#site([], []), launchers: { ajet: any, trinity: any } });
  }

  #refusal(order: RunOrder, training: Training): Finding[] {
    try {
      this.#check(order, training);
      return [];
    } catch (thrown) {
      const { message, hint } = toReport(thrown, 'host/refused');
      return [error('refused', message, { hint })];
    }
  }

  async #jobUse(training: Training, folder: string): Promise<JobUse> {
    const names = await readdir(folder).catch(() => []);
    return jobUse(training, names.length === 0);
  }

  #read(order: RunOrder, text: string, cwd: string, environment: Environment): Promise<Training> {
    const file = path.join(cwd, isInside(order.config) ? order.config : 'config.yaml');
    const config = { file, text, cwd, backbone: order.backbone, environment };
    return readTraining({ ...config, files: localFiles, paths: path });
  }

  async #facts(order: RunOrder, training: Training, cwd: string, beside: OtherRuns): Promise<PreflightFacts> {
    const { count } = this.#options;
    const [found, gpus, diskFree] = await Promise.all([
      this.#launchers(),
      this.gpus(),
      freeSpace(path.resolve(cwd, training.job.root.value)),
    ]);
    const program = programOf(order.launcher, training);
    // Null: an earlier run has the folder, or it is unknown before the start.
    const folder = order.from === undefined ? jobFolder(training.job, cwd, path) : null;
    const model = training.model.value;
    const named = [
      ...(model !== null && isModelPath(model) ? [model] : []),
      ...dataOf(training).map(({ value }) => value),
    ].filter((place) => path.isAbsolute(place));
    return {
      gpus,
      gpusAreReal: count === undefined,
      launchers: Object.fromEntries(found.map((one) => [one.name, { found: one.found }])),
      python: found.find(({ name }) => name === program)?.python ?? null,
      diskFree,
      jobFolderProblem: this.#jobFolderProblem(order, training, cwd),
      folderUser: await this.#folderUser(order, training, folder, beside),
      stageBefore: folder === null || training.stages.length === 0 ? null : await currentStage(folder),
      ray: { ...(await this.#ray(order)), holder: beside.rayHolder() ?? null },
      paths: new Map(
        await Promise.all(named.map(async (place) => [place, await pathExists(place)] as const)),
      ),
      tinker: await this.#tinker(order, training),
      variables: new Set([...Object.keys(order.env), ...Object.keys(this.#variables(order))]),
    };
  }

  async #tinker(order: RunOrder, { tinker }: Training): Promise<TinkerFacts | null> {
    if (tinker === null) return null;
    return tinkerFacts(tinker.baseUrl.value, { ...this.#variables(order), ...order.env });
  }

  /** Returns the host variables that a run gets. A job on a cluster gets none. */
  #variables({ launcher }: RunOrder): NodeJS.ProcessEnv {
    return launcher === 'ray' ? {} : this.#options.env;
  }

  /** Returns why the job folder would be refused at the start. Resuming does not depend on the config. */
  #jobFolderProblem({ from }: RunOrder, { job }: Training, cwd: string): string | null {
    const named = { ...job, name: { ...job.name, value: job.name.value ?? preflightRunId } };
    const folder = from?.as === 'resume' ? null : jobFolder(named, cwd, path);
    const { dataFolder, home = os.homedir() } = this.#options;
    const place =
      folder === null ? undefined : jobFolderAccess(folder, [preflightRunId], { dataFolder, home });
    return place?.kind === 'refused' ? place.problem : null;
  }

  async #folderUser(
    order: RunOrder,
    training: Training,
    folder: string | null,
    { userOf }: OtherRuns,
  ): Promise<FolderUser | null> {
    const run = userOf(order, folder);
    if (run === undefined) return null;
    return { run, use: folder === null ? 'alone' : await this.#jobUse(training, folder) };
  }

  async #ray({ launcher }: RunOrder): Promise<Omit<RayFacts, 'holder'>> {
    const { env, ray } = this.#options;
    if (launcher !== 'ray') return rayHere(env);
    const { problem, hint } = await this.#rayHead(ray);
    return { running: problem === null, why: problem ?? '', hint, run: null };
  }

  async #rayHead(ray: string | undefined): Promise<{
    readonly version: string | null;
    readonly problem: string | null;
    readonly hint?: string | undefined;
  }> {
    if (ray === undefined) return { version: null, problem: 'the host was started without `--ray`' };
    return new RayJobs(ray, () => rayToken(this.#options.env)).version().then(
      (version) => ({ version, problem: null }),
      (reason: unknown) => {
        const { message: problem, hint } = toReport(reason, 'host/ray');
        return { version: null, problem, hint };
      },
    );
  }

  #launchers(): Promise<FoundLauncher[]> {
    const now = this.#options.clock.monotonic();
    if (this.#found === undefined || now - this.#found.at > remembered) {
      this.#found = { at: now, launchers: findLaunchers(this.#options.launchers ?? {}, this.#options.env) };
    }
    return this.#found.launchers;
  }
}

/** Sets the absolute paths of data that was sent. The processes of a Ray that is already running have another working folder. */
async function withAbsoluteData(text: string, training: Training, folder: string): Promise<string> {
  const values = await Promise.all(
    dataOf(training).map(async ({ key, value }): Promise<[string, string][]> => {
      const isSent = isInside(value) && (await pathExists(path.join(folder, value)));
      return isSent ? [[key, path.join(folder, value)]] : [];
    }),
  );
  return setConfigKeys(text, values.flat(), 'So that the processes of Ray find the data,');
}

/** @param started has the folders in which stages continue, which upstream may have renamed */
function stagesOf(asked: Training, started: Training): Pick<LaunchPlan, 'stages'> {
  if (asked.stages.length === 0) return {};
  const stages = asked.stages.map(({ name: { value: name }, totalSteps }, at) => {
    return { name, folder: started.stages[at]?.name.value ?? name, totalSteps };
  });
  return { stages };
}

/** Hides the value of a host variable, unless it is a path or the address of the Tinker server. Findings appear in problem lists and terminals. */
function shown(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return /^(?:TRINITY_)?[A-Z0-9_]*(?:PATH|DIR|ROOT|HOME)$|^TINKER_BASE_URL$/.test(name) ? value : '***';
}

function resumeFindings({ from, backbone }: RunOrder, { stages }: Training): Finding[] {
  if (from === undefined) return [];
  const names = stages.map(({ name }) => name.value);
  const restored = describeRestore(from, backbone, from.as === 'resume', { names });
  return restored.map((message) => info('going-on', message));
}
