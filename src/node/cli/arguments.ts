import { CodedError } from '../../base/errors.ts';
import type { DebugModelText } from '../../protocol/debugModelText.ts';
import { type RunRequest } from '../../protocol/run.ts';
import { parseFaults } from './faultArgument.ts';
import {
  helperArguments,
  recordingArguments,
  type HelperArguments,
  type RecordingArguments,
} from './modelArguments.ts';
import { debugModel, positive, pythonArguments, trainableTargets, whole } from './argumentValues.ts';
import { oneOf, parseOptions, wrongUse } from './commandLine.ts';

export interface RunArguments extends RecordingArguments {
  /** Undefined only with `judge`: the config that its trace names. */
  readonly conf: string | undefined;
  /** Recorded episodes to score again; the trace is relative to the working directory. */
  readonly judge: { readonly trace: string; readonly episodes: readonly number[] | undefined } | undefined;
  readonly expDir: string | undefined;
  readonly model: 'embedded' | 'script' | 'endpoint' | 'human';
  readonly script: string | undefined;
  readonly baseUrl: string | undefined;
  readonly modelName: string | undefined;
  /** Name of the environment variable that holds the endpoint's key. */
  readonly apiKeyEnv: string;
  readonly helper: HelperArguments | undefined;
  readonly faults: RunRequest['faults'];
  /** Models for targets that are not trained, by the names that workflows give them. */
  readonly debugModels: Readonly<Record<string, DebugModelText>>;
  /** Undefined: those of the workflow. */
  readonly trainableTargets: readonly string[] | undefined;
  /** A tokenizer.json or the folder of one. */
  readonly tokenizer: string | undefined;
  readonly seed: number | undefined;
  readonly tasks: number | undefined;
  readonly taskIds: readonly string[] | undefined;
  readonly split: 'training' | 'validation';
  readonly mode: 'sample' | 'validate';
  readonly asUpstreamDebug: boolean;
  readonly attempts: number | undefined;
  readonly parallel: number | undefined;
  readonly repeat: number | undefined;
  readonly episodeTimeout: number | undefined;
  readonly runtime: string | undefined;
  readonly python: RunRequest['python'];
  /** Show the trace in a browser while the run goes, and after it. */
  readonly logView: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
}

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly run: RunArguments }
  /** It reads what follows its name itself. */
  | { readonly kind: 'subcommand'; readonly name: SubcommandName; readonly args: readonly string[] };

const subcommands = ['trace', 'check', 'config', 'schema', 'samples', 'new', 'host', 'remote'] as const;
export type SubcommandName = (typeof subcommands)[number];

const options = {
  conf: { type: 'string' },
  backbone: { type: 'string' },
  'exp-dir': { type: 'string' },
  model: { type: 'string' },
  script: { type: 'string' },
  'base-url': { type: 'string' },
  'model-name': { type: 'string' },
  'api-key-env': { type: 'string' },
  helper: { type: 'string' },
  'helper-script': { type: 'string' },
  'helper-base-url': { type: 'string' },
  'helper-model': { type: 'string' },
  'helper-api-key-env': { type: 'string' },
  record: { type: 'string' },
  'record-overwrite': { type: 'boolean' },
  replay: { type: 'string' },
  'replay-miss': { type: 'string' },
  episode: { type: 'string' },
  faults: { type: 'string' },
  'debug-model': { type: 'string', multiple: true },
  'trainable-targets': { type: 'string' },
  tokenizer: { type: 'string' },
  seed: { type: 'string' },
  tasks: { type: 'string' },
  'task-id': { type: 'string', multiple: true },
  split: { type: 'string' },
  mode: { type: 'string' },
  'as-upstream-debug': { type: 'boolean' },
  attempts: { type: 'string' },
  parallel: { type: 'string' },
  repeat: { type: 'string' },
  'episode-timeout': { type: 'string' },
  runtime: { type: 'string' },
  python: { type: 'string' },
  'ajet-package': { type: 'string' },
  'plugin-dir': { type: 'string', multiple: true },
  'with-logview': { type: 'boolean' },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Of `agentjet judge`. */
const judgeOptions = {
  conf: options.conf,
  episode: { type: 'string', multiple: true },
  helper: options.helper,
  'helper-script': options['helper-script'],
  'helper-base-url': options['helper-base-url'],
  'helper-model': options['helper-model'],
  'helper-api-key-env': options['helper-api-key-env'],
  'debug-model': options['debug-model'],
  parallel: options.parallel,
  'episode-timeout': options['episode-timeout'],
  runtime: options.runtime,
  python: options.python,
  'ajet-package': options['ajet-package'],
  json: options.json,
  verbose: options.verbose,
  help: options.help,
} as const;

export const usage = `Usage: agentjet --conf FILE [--backbone debug] [options]
       agentjet trace FILE [--port N] [--runtime FILE] | --summary | --query SQL | --export FMT --out F
       agentjet judge TRACE [--conf FILE] [--episode N] [--json]
       agentjet samples TRACE [--json] [--task ID] [--episode N] [--world-size N]
       agentjet check FILES… [--format text|json|sarif]
       agentjet config FILE [--to ajet|trinity|verl] [--origin] [--format yaml|json]
       agentjet schema ajet|astuner|trinity
       agentjet new NAME [--python|--typescript]
       agentjet host …
       agentjet remote …

Runs the episodes of an AgentJet config on the debug backbone: one process, no GPU, no Ray, no key.

  --conf FILE            the experiment's YAML, of AgentJet or Trinity-RFT, or a script: .ts or .js that makes an
                         AgentJetJob, .py that calls the tune(…) of AgentScope's tuner
  --backbone debug       the backbone; with trinity or verl it is agentjet remote run --follow, on a GPU host
  --exp-dir DIR          parent of the run's folder (default: saved_experiments)

What only debugging needs; the config stays as training gets it:
  --tasks N              the first N tasks (default: ajet.debug.debug_first_n_tasks)
  --task-id ID           only this task; may be given several times
  --split NAME           training (default) or validation
  --mode NAME            sample (default), or validate: as training validates, by default on the validation split
  --as-upstream-debug    as AgentJet's own debug backbone: validation split, sampling and turn length of its own
  --attempts N           how often to try an episode that fails (default: 1; training tries 3 times)
  --repeat N             episodes per task (default: ajet.rollout.num_repeat)
  --parallel N           episodes at a time (default: ajet.debug.debug_max_parallel)
  --episode-timeout S    seconds an episode may run
  --seed N               seed of the run (default: ajet.debug.debug_vllm_seed)

Which model answers:
  --model embedded       ours, deterministic by seed, no network (default)
  --model script         a file of yours that answers: --script FILE
  --model endpoint       an OpenAI-compatible server: --base-url URL --model-name NAME
  --api-key-env NAME     environment variable with the endpoint's key (default: OPENAI_API_KEY)
  --model human          you, at this terminal
  --trainable-targets T  the targets that are trained, a,b,… (default: the workflow's trainableTargets)
  --debug-model NAME=M   what answers for the others where their agents ask for NAME: embedded, a script's file, or
                         [MODEL@]URL; may be given several times (default: OPENAI_API_KEY and OPENAI_BASE_URL)

Which model judges and data generation ask (default: DASHSCOPE_API_KEY's server and the config's model):
  --helper KIND          embedded, script or endpoint; script alone: the file of --script
  --helper-script FILE   a file of yours that answers
  --helper-base-url URL  an OpenAI-compatible server; --helper-model NAME replaces the config's model
  --helper-api-key-env NAME
                         environment variable with its key (default: OPENAI_API_KEY)

Record and replay:
  --record FILE          records every LLM call of the run; --record-overwrite replaces a recording that is there
  --replay FILE          answers from a recording, or from a run's .ajtrace: no server, no key, no waiting
  --episode N            of the trace: runs only that episode again, with its task, repeat and seed
  --replay-miss WHAT     of a call that differs from the recording: fail (default), call-model (the model answers, with
                         --record into a new recording) or sequential (the recorded answer all the same)
  --faults SPEC          makes calls go wrong: the share of them, or rate=0.2,seed=7,kinds=A+B of timeout, rate-limit,
                         server-error, tool-json, length, cut and empty

  --tokenizer PATH       a tokenizer.json or its folder, which counts tokens (default: that of ajet.model.path
                         where this machine has it, else an embedded one)
  --runtime FILE         the Node.js (22.18 or later) that runs the workflow
  --python FILE          the Python (3.10 or later) that runs workflows and judges in Python (default: that of a .venv in
                         the working directory or beside the config, else python3)
  --ajet-package WHICH   the ajet that they import: bundled (default; no torch, no GPU) or installed
  --plugin-dir DIR       where workflows of a Trinity-RFT config are registered; may be given several times (default:
                         TRINITY_PLUGIN_DIRS)
  --with-logview         shows the run's trace in a browser, while it runs and until Ctrl-C
  --json                 one JSON document on stdout; the workflow's own output goes to stderr
  --verbose              stacks of errors, details of the run
  --version, --help

agentjet trace shows an .ajtrace, or what another tool recorded, in a browser until Ctrl-C, on 127.0.0.1 only; or it
prints a summary or the rows of a query. BROWSER=none opens no browser; the address is printed all the same.

agentjet judge scores the episodes of an .ajtrace again, without running them: by the judge of the config that made it,
or of --conf FILE; all of them, or each --episode N. It takes --helper…, --debug-model, --parallel, --episode-timeout,
--runtime, --python, --json and --verbose too.

agentjet samples prints what training would get of a run's .ajtrace; check tells what configs get wrong, config prints
what one comes to, schema prints a JSON Schema for other editors, new makes a project that runs as it is. host serves this
machine's GPUs, remote trains on such a host. Each has a --help of its own.

Exit code: 0 all episodes ran, 1 some failed, 2 the run could not start, 130 interrupted.`;

/** Flags of `ajet` that mean nothing on the debug backbone, and why. */
const foreign: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['with-ray', 'with-ray-cluster'].map((flag) => [
      flag,
      'the debug backbone runs in one process, without Ray; leave it out',
    ]),
  ),
  ...Object.fromEntries(
    ['with-appworld', 'with-deepfinance', 'with-webshop', 'with-bfcl', 'with-crafters'].map((flag) => [
      flag,
      'start the environment service yourself and name its address in the config',
    ]),
  ),
  debug: 'its breakpoint tags are for Ray; set a breakpoint in the editor and press F5 instead',
  db: 'its breakpoint tags are for Ray; set a breakpoint in the editor and press F5 instead',
  'skip-check-avail-gpu': 'the debug backbone looks for no GPU; leave it out',
  reboot: 'upstream parses it and never uses it; leave it out',
  kill: 'a debug run leaves no process behind; leave it out',
  autokill: 'a debug run leaves no process behind; leave it out',
  prefix: 'it names a service of the deep-finance example only; leave it out',
};

/** Throws `cli/…` errors; never exits. */
export function parseArguments(argv: readonly string[]): Command {
  if (argv[0] === 'judge') return judgeCommand(argv.slice(1));
  const name = subcommands.find((one) => one === argv[0]);
  if (name !== undefined) return { kind: 'subcommand', name, args: argv.slice(1) };
  // Upstream's launcher stays until the training has ended, too.
  if (isTraining(backboneOf(argv)))
    return { kind: 'subcommand', name: 'remote', args: ['run', '--follow', ...argv] };
  for (const argument of argv) {
    const reason = foreign[/^--([a-z-]+)/.exec(argument)?.[1] ?? ''];
    if (reason !== undefined) throw refusedFlag(argument, reason);
  }
  const { values, positionals } = parseOptions(argv, options);
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  if ((values.backbone ?? 'debug') !== 'debug') throw unknownBackbone(values.backbone ?? '');
  const [stray] = positionals;
  if (stray !== undefined)
    throw wrongUse(`"${stray}" belongs to no option.`, `Write --conf ${stray} if it is the config.`);
  if (values.conf === undefined)
    throw wrongUse('--conf is missing.', 'Name the experiment: agentjet --conf FILE.yaml');
  return { kind: 'run', run: runArguments(values, values.conf) };
}

function judgeCommand(argv: readonly string[]): Command {
  const { values, positionals } = parseOptions(argv, judgeOptions, 'agentjet judge');
  if (values.help === true) return { kind: 'help' };
  const [trace, stray] = positionals;
  if (trace === undefined)
    throw wrongUse('agentjet judge needs a trace.', 'Name one: agentjet judge FILE.ajtrace');
  if (stray !== undefined)
    throw wrongUse(`"${stray}" is one file too many.`, 'Judge each trace by a command of its own.');
  const { episode, ...others } = values;
  const episodes = episode?.map((text) => whole('--episode', text, 0) ?? 0);
  return { kind: 'run', run: { ...runArguments(others, values.conf), judge: { trace, episodes } } };
}

const models = ['embedded', 'script', 'endpoint', 'human'] as const;

type Values = ReturnType<typeof parseOptions<typeof options>>['values'];

function runArguments(values: Values, conf: string | undefined): RunArguments {
  const model = oneOf('--model', values.model ?? 'embedded', models);
  if (model === 'script' && values.script === undefined) {
    throw wrongUse('--model script needs a file.', 'Add --script FILE.');
  }
  if (model === 'endpoint' && (values['base-url'] === undefined || values['model-name'] === undefined)) {
    throw wrongUse(
      '--model endpoint needs a server and a model.',
      'Add --base-url URL and --model-name NAME.',
    );
  }
  const mode = oneOf('--mode', values.mode ?? 'sample', ['sample', 'validate'] as const);
  const asUpstreamDebug = values['as-upstream-debug'] === true;
  const defaultSplit = mode === 'validate' || asUpstreamDebug ? 'validation' : 'training';
  return {
    conf,
    judge: undefined,
    expDir: values['exp-dir'],
    model,
    script: values.script,
    baseUrl: values['base-url'],
    modelName: values['model-name'],
    apiKeyEnv: values['api-key-env'] ?? 'OPENAI_API_KEY',
    helper: helperArguments(values),
    ...recordingArguments(values),
    faults: parseFaults(values.faults),
    debugModels: Object.fromEntries((values['debug-model'] ?? []).map(debugModel)),
    trainableTargets: trainableTargets(values['trainable-targets']),
    tokenizer: values.tokenizer,
    seed: whole('--seed', values.seed, 0),
    tasks: whole('--tasks', values.tasks, 1),
    taskIds: values['task-id'],
    split: oneOf('--split', values.split ?? defaultSplit, ['training', 'validation'] as const),
    mode,
    asUpstreamDebug,
    attempts: whole('--attempts', values.attempts, 1),
    parallel: whole('--parallel', values.parallel, 1),
    repeat: whole('--repeat', values.repeat, 1),
    episodeTimeout: positive('--episode-timeout', values['episode-timeout']),
    runtime: values.runtime,
    python: pythonArguments(values),
    logView: values['with-logview'] === true,
    json: values.json === true,
    verbose: values.verbose === true,
  };
}

/** What trains is sent to a GPU host. */
function isTraining(backbone: string | undefined): boolean {
  return backbone === 'trinity' || backbone === 'verl';
}

function unknownBackbone(backbone: string): CodedError {
  return new CodedError({
    code: 'cli/backbone',
    message: `There is no backbone "${backbone}".`,
    hint: 'The debug backbone runs here; trinity and verl train on a GPU host.',
  });
}

/** The last one counts, as for any option. */
function backboneOf(argv: readonly string[]): string | undefined {
  return argv
    .flatMap((argument, at) => {
      if (argument === '--backbone') return argv[at + 1] ?? [];
      return argument.startsWith('--backbone=') ? argument.slice('--backbone='.length) : [];
    })
    .at(-1);
}

function refusedFlag(flag: string, reason: string): CodedError {
  return new CodedError({ code: 'cli/refused-flag', message: `${flag} is refused: ${reason}.` });
}
