/** What upstream's log lines tell of how a run fares. */

/** `LEVEL MM-DD HH:MM:SS [file.py:line] text`, with Ray's prefix of the actor where it comes through the driver. */
const logLine =
  /^(?:\((?<actor>[^)]*)\)\s*)?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]+:\d+\] (?<text>.*)$/;

/** The message of a line of Trinity's log; undefined: it is none. */
export function messageOf(line: string): string | undefined {
  return logLine.exec(line)?.groups?.['text'];
}

/** After these a run has failed, also when it exits with 0: upstream's loops catch everything. */
const failures =
  /^(?:Error in (?:Explorer|Trainer):|Explorer or Trainer failed:|(?:Explorer|Trainer|Benchmark) failed:|Error during explorer preparation)/;

/** The sentence with which upstream says that it failed. */
export function failureIn(line: string): string | undefined {
  const message = messageOf(line);
  return message !== undefined && failures.test(message) ? message.trim() : undefined;
}

/** The last line of a Python traceback: `ValueError: text`, by itself or as a message. */
export function exceptionIn(line: string): string | undefined {
  const bare = line.replace(/^\([^)]*\)\s*/, '');
  const text = (messageOf(line) ?? bare).trim();
  return /^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure)(?:: .*)?$/.test(text)
    ? text
    : undefined;
}

export interface PhaseStart {
  readonly phase: string;
  /** A run goes up through them; what is lower and comes later is told late, or again by another log. */
  readonly rank: number;
}

const phases: readonly (readonly [pattern: RegExp, phase: string, rank: number])[] = [
  [/^Auto-detected and set (?:node_num|gpu_per_node)/, 'starting Ray', 1],
  [/^Found existing (?:explorer|trainer|stage) checkpoint/, 'reading the checkpoint', 2],
  [/^(?:Load from checkpoint folder|Setting global step to \d+|Training from scratch)/, 'loading models', 3],
  [/^Finished initializing Explorer/, 'loading models', 3],
  [/^Experience pipeline is ready/, 'loading models', 3],
  [/^All models are ready/, 'models are ready', 4],
  [/^Evaluation (?:on .+ )?at step \d+ started/, 'evaluating', 5],
  [/^Starting Trinity Service on /, 'serving', 6],
  [/^Explore step \d+ started/, 'exploring', 6],
  [/^(?:Sample data for|Training at) step \d+ started/, 'training', 7],
  [/^(?:No more tasks to explore|No more samples to train)/, 'finishing', 8],
  [/^(?:> (?:Explorer|Trainer)\b.* finished|Benchmark finished)/, 'finishing', 8],
  [/^Launcher detected that the `.+` process has finished/, 'finishing', 8],
];

/** The same of programs that write no such lines: Ray, vLLM, Transformers, AgentJet's launcher, verl. */
const barePhases: readonly (readonly [pattern: RegExp, phase: string, rank: number])[] = [
  [/Ray runtime started|Connecting to existing Ray cluster|Started a local Ray instance/, 'starting Ray', 1],
  [/Loading (?:safetensors )?checkpoint shards|Starting to load model/, 'loading models', 3],
  [/^agentjet: Ray job \S+ is pending/, 'waiting for Ray', 1],
  [/\b(?:test_gen_batch meta info:|validation generation end)/, 'evaluating', 5],
];

/** A phase of a run, as a line tells that it has begun. */
export function phaseIn(line: string): PhaseStart | undefined {
  const message = messageOf(line);
  const [table, text] = message === undefined ? [barePhases, line] : [phases, message];
  const found = table.find(([pattern]) => pattern.test(text));
  return found && { phase: found[1], rank: found[2] };
}

export interface StageStart {
  readonly number: number;
  readonly of: number;
}

/** One of several stages that begins; with each the phases and the steps begin again. */
export function stageIn(line: string): StageStart | undefined {
  const found = /^(?:> )?Starting stage (\d{1,6})\/(\d{1,6})/.exec(messageOf(line) ?? '');
  return found === null ? undefined : { number: Number(found[1]), of: Number(found[2]) };
}

/** The step of a checkpoint that has been written. */
export function checkpointIn(line: string): number | undefined {
  const step = /^Checkpoint at step (\d{1,15}) saved/.exec(messageOf(line) ?? '')?.[1];
  return step === undefined ? undefined : Number(step);
}

/** Where the job's folder was there already and the run may not go on in it, upstream makes another. */
export function renamedFolderIn(line: string): { readonly from: string; readonly to: string } | undefined {
  if (!line.includes('already exists')) return undefined;
  const found = /(\S+) already exists, renamed as (\S+?)[.,]?$/.exec(messageOf(line) ?? '');
  return found === null ? undefined : { from: quoted(found[1] ?? ''), to: quoted(found[2] ?? '') };
}

function quoted(text: string): string {
  return text.replace(/^[`'"[]|[`'"\]]$/g, '');
}

/** Memory of a GPU, or of the machine, that did not suffice. */
export function isOutOfMemory(line: string): boolean {
  return /\b(?:(?:CUDA|NPU|HIP) out of memory|OutOfMemoryError|killed due to (?:the node running low on )?memory|Cannot allocate memory|No available memory for the cache blocks)\b/.test(
    line,
  );
}
