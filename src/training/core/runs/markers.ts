/** Reads the progress of a run from upstream's log lines. */

const service = 'service/';

/** Returns the source of a companion process by its tag in AgentJet's launcher: `ray`, `service/appworld`. */
export function companionSource(tag: string): string {
  const name = tag.replace(/_service(?=_|$)/, '');
  return /^ray(?:_|$)/.test(name) ? name : service + name;
}

export function isServiceSource(source: string): boolean {
  return source.startsWith(service);
}

/** `LEVEL MM-DD HH:MM:SS [file.py:line] text`, after Ray's prefix of the actor if the line comes through the driver. */
const logLine =
  /^(?:\((?<actor>[^)]*)\)\s*)?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]+:\d+\] (?<text>.*)$/;

export function messageOf(line: string): string | undefined {
  return logLine.exec(line)?.groups?.['text'];
}

/** Messages of a failed run. It can still exit with 0, because upstream's loops catch everything. */
const failures =
  /^(?:Error in (?:Explorer|Trainer):|Explorer or Trainer failed:|(?:Explorer|Trainer|Benchmark) failed:|Error during explorer preparation)/;

export function failureIn(line: string): string | undefined {
  const message = messageOf(line);
  return message !== undefined && failures.test(message) ? message.trim() : undefined;
}

/** Returns the last line of a Python traceback, such as `ValueError: text`, alone or as a message. */
export function exceptionIn(line: string): string | undefined {
  const bare = line.replace(/^\([^)]*\)\s*/, '');
  const text = (messageOf(line) ?? bare).trim();
  return /^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure)(?:: .*)?$/.test(text)
    ? text
    : undefined;
}

export interface PhaseStart {
  readonly phase: string;
  /** The rank of the phase. A lower one that comes later is late or repeated by another log. */
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

/** Phases in lines of other programs: Ray, vLLM, Transformers, AgentJet's launcher, verl. */
const barePhases: readonly (readonly [pattern: RegExp, phase: string, rank: number])[] = [
  [/Ray runtime started|Connecting to existing Ray cluster|Started a local Ray instance/, 'starting Ray', 1],
  [/Loading (?:safetensors )?checkpoint shards|Starting to load model/, 'loading models', 3],
  [/^agentjet: Ray job \S+ is pending/, 'waiting for Ray', 1],
  [/\b(?:test_gen_batch meta info:|validation generation end)/, 'evaluating', 5],
];

export function phaseIn(line: string): PhaseStart | undefined {
  const message = messageOf(line);
  const [table, text] = message === undefined ? [barePhases, line] : [phases, message];
  const found = table.find(([pattern]) => pattern.test(text));
  return found && { phase: found[1], rank: found[2] };
}

/** Returns the rank of a phase; 0: it has none. */
export function phaseRank(phase: string): number {
  return [...phases, ...barePhases].find(([, name]) => name === phase)?.[2] ?? 0;
}

export interface StageStart {
  readonly number: number;
  readonly of: number;
}

/** Returns the stage that a line starts. Phases and steps begin again with each. */
export function stageIn(line: string): StageStart | undefined {
  const found = /^(?:> )?Starting stage (\d{1,6})\/(\d{1,6})/.exec(messageOf(line) ?? '');
  return found === null ? undefined : { number: Number(found[1]), of: Number(found[2]) };
}

export function checkpointIn(line: string): number | undefined {
  const step = /^Checkpoint at step (\d{1,15}) saved/.exec(messageOf(line) ?? '')?.[1];
  return step === undefined ? undefined : Number(step);
}

/** Returns the folder that upstream uses instead of an existing one that the run may not continue in. */
export function renamedFolderIn(line: string): { readonly from: string; readonly to: string } | undefined {
  if (!line.includes('already exists')) return undefined;
  const found = /(\S+) already exists, renamed as (\S+?)[.,]?$/.exec(messageOf(line) ?? '');
  return found === null ? undefined : { from: quoted(found[1] ?? ''), to: quoted(found[2] ?? '') };
}

function quoted(text: string): string {
  return text.replace(/^[`'"[]|[`'"\]]$/g, '');
}

export function isOutOfMemory(line: string): boolean {
  return /\b(?:(?:CUDA|NPU|HIP) out of memory|OutOfMemoryError|killed due to (?:the node running low on )?memory|Cannot allocate memory|No available memory for the cache blocks)\b/.test(
    line,
  );
}
