import {
  CliCommand,
  type CommandContext,
  type CommandSpec,
  type OptionTable,
} from '../../base/node/terminal/commandLine.ts';
import { addHostCommands } from '../../training/cli/host/hostProgram.ts';
import { samplesOptions, traceOptions } from '../../traces/cli/options.ts';
import { newOptions } from '../../sdk/cli/options.ts';
import { checkOptions, configOptions, diffOptions, schemaNames } from '../../configs/cli/options.ts';
import { addRemoteCommands } from '../../training/cli/remote/remoteProgram.ts';
import { addCheckpointCommands } from '../../training/cli/checkpoints/checkpointProgram.ts';
import { rehearseOptions } from '../../tinker/cli/options.ts';
import {
  judgeArguments,
  judgeTable,
  rehearsalArguments,
  resumeTable,
  runArguments,
  runTable,
  type RunArguments,
} from '../../backbone/cli/runFlags.ts';

/** Returns the tree of all commands. Building and parsing it runs nothing. */
export function buildProgram(version: string): CliCommand {
  const program = new CliCommand('agentjet').does({
    description:
      'Runs the episodes of an AgentJet config on the debug backbone, in one process without a GPU, Ray or API key.',
    options: runTable,
    notes: 'Exit code: 0 all episodes ran, 1 some failed, 2 the run could not start, 130 interrupted.',
    run: (values, _, context) => runOnServer(runArguments(values, context.io.cwd), context),
  });
  program.usage('--conf <file> [options]\n       agentjet <command> [options]');
  program.version(version, '--version', 'Shows the version.');
  // Each command is loaded when it runs: a run needs none of them.
  program.add(traceSpec);
  program.add(judgeSpec);
  program.add(resumeSpec);
  addCheckpointCommands(program);
  program.add(samplesSpec);
  program.add(checkSpec);
  const config = program.add(configSpec);
  config.usage('<file> [options]\n       agentjet config diff <a> <b> [options]');
  config.add(diffSpec);
  program.add(schemaSpec);
  program.add(newSpec);
  program.add(rehearseSpec);
  addHostCommands(program.command('host'));
  addRemoteCommands(program.command('remote'));
  program.add({
    usage: 'completion <shell>',
    description: 'Prints a completion script for bash, zsh or fish.',
    options: {},
    notes:
      'For example, add this to ~/.bashrc: source <(agentjet completion bash)\n\nExit code: 0, or 2 for an unknown shell.',
    run: async (_, [shell = ''], { io }) => {
      const { completionScript } = await import('./completion.ts');
      io.stdout.write(completionScript(buildProgram(version), shell));
      return 0;
    },
  });
  return program;
}

const traceSpec: CommandSpec<typeof traceOptions> = {
  usage: 'trace <file> [others...]',
  description:
    'Shows a trace in a browser until Ctrl-C, on 127.0.0.1 only. Also prints, exports and compares traces.',
  options: traceOptions,
  notes: `With BROWSER=none, the command only prints the address and opens no browser.

<file> is the .ajtrace of a run or a file of another tool. AgentJet imports such a file into a cache and does not change it.
It reads experiences.db of Trinity-RFT, trajectory JSON and .json.log of AgentJet, traces.jsonl of verifiers,
OTLP/JSON with GenAI conventions, and logs of OpenAI requests as JSON.

Exit code: 0, or 2 if the file cannot be read or the query is wrong.`,
  run: async (values, files, context) =>
    (await import('../../traces/cli/traceCommand.ts')).runTrace(values, files, context),
};

const judgeSpec: CommandSpec<typeof judgeTable> = {
  usage: 'judge <trace>',
  description:
    'Scores the episodes of an .ajtrace again, with the judge of its config or of --conf. Does not run the episodes.',
  options: judgeTable,
  notes:
    'Exit code: 0 all episodes were scored, 1 some failed, 2 the command could not start, 130 interrupted.',
  run: async (values, [trace = ''], context) =>
    (await import('../../backbone/cli/runCommand.ts')).runEpisodes(
      judgeArguments(values, trace, context.io.cwd),
      context,
    ),
};

const resumeSpec: CommandSpec<typeof resumeTable> = {
  usage: 'resume <folder>',
  description:
    'Continues a training on a Tinker server from its last checkpoint, with its optimizer. <folder> is the folder of the run.',
  options: resumeTable,
  notes:
    'Steps after the last checkpoint are trained again. Exit code: 0 trained to the end, 2 failed, 130 interrupted.',
  run: async (values, [folder = ''], context) =>
    runOnServer(
      await (await import('../../backbone/cli/runCommand.ts')).resumedRun(values, folder, context),
      context,
    ),
};

/** Runs episodes, through a tunnel if a GPU host has the Tinker server. */
async function runOnServer(run: RunArguments, context: CommandContext): Promise<number> {
  const { runEpisodes } = await import('../../backbone/cli/runCommand.ts');
  const { backbone, checkpoint, tinkerHost, tinkerUrl, baseModel } = run.options;
  const usesServer = backbone === 'tinker' || checkpoint !== undefined;
  if (!usesServer || tinkerHost === undefined || tinkerUrl !== undefined) return runEpisodes(run, context);
  const { withTinkerHost } = await import('../../training/cli/remote/tinkerCommands.ts');
  const request = baseModel === undefined ? {} : { model: baseModel };
  return withTinkerHost(context, tinkerHost, request, (url) =>
    runEpisodes({ ...run, options: { ...run.options, tinkerUrl: url } }, context),
  );
}

const samplesSpec: CommandSpec<typeof samplesOptions> = {
  usage: 'samples <trace>',
  description:
    'Prints the samples that training would get from the .ajtrace of a run: prompt and response, loss mask, rewards and advantages. Also shows truncated and dropped samples.',
  options: samplesOptions,
  notes: `Advantages are computed for the whole run as one batch, whichever samples are printed. AgentJet drops random samples
without a seed. This command uses the seed of the run. reference_advantage is only for display, since Trinity leaves it
at 0. It is null if an episode of the task has no timeline. Training uses the advantage of GRPO.

Exit code: 0, or 2 if the trace cannot be read or has no such episode.`,
  run: async (values, [trace = ''], context) => {
    const { runSamples } = await import('../../traces/cli/samplesCommand.ts');
    return runSamples(values, trace, context);
  },
};

const checkSpec: CommandSpec<typeof checkOptions> = {
  usage: 'check <files...>',
  description:
    'Checks configs of AgentJet, ASTuner and Trinity-RFT. Arguments are files, folders (searched for YAML) or patterns such as "conf/**/*.yaml". Use - for the standard input.',
  options: checkOptions,
  notes: `To hide a finding, write "# agentjet-ignore ID" on its line or alone on the line above, or
"# agentjet-ignore-file ID" for the whole file. Relative paths in a config start from the working directory.

Exit code: 0 no errors, 1 errors, 2 a file could not be read or no file was found.`,
  run: async (values, files, { io }) =>
    (await import('../../configs/cli/checkCommand.ts')).runCheck(values, files, io),
};

const configSpec: CommandSpec<typeof configOptions> = {
  usage: 'config <file>',
  description:
    'Prints the effective config: composed with its defaults, or converted for a backbone. Use - for the standard input.',
  options: configOptions,
  notes: `Relative paths start from the working directory, as in training.

Exit code: 0, 1 if training would not start with the config, 2 if it could not be read.`,
  run: async (values, [file = ''], { io }) =>
    (await import('../../configs/cli/configCommand.ts')).runConfig(values, file, io),
};

const diffSpec: CommandSpec<typeof diffOptions> = {
  usage: 'diff <a> <b>',
  description:
    'Compares two configs by effective value: + only in B, - only in A, ~ in both. JSON: a list of {kind, path, before, after, from, to}.',
  options: diffOptions,
  notes:
    'Exit code: 0, also if the configs differ; 1 if training would not start, 2 if one could not be read.',
  run: async (values, [first = '', second = ''], { io }) =>
    (await import('../../configs/cli/configCommand.ts')).runDiff(values, [first, second], io),
};

const schemaSpec: CommandSpec<OptionTable> = {
  usage: 'schema <format>',
  description: `Prints a JSON Schema (draft 7) of the keys of a config format, for other editors: ${schemaNames.join(', ')}.`,
  options: {},
  notes: `With the YAML language server, save the schema and name it in the first line of a config:

  agentjet schema ajet > ajet.schema.json
  # yaml-language-server: $schema=ajet.schema.json

The schema checks one key at a time; agentjet check also checks rules across keys.

Exit code: 0, or 2 for an unknown format.`,
  run: async (_, [name = ''], { io }) =>
    (await import('../../configs/cli/schemaCommand.ts')).runSchema(name, io),
};

const newSpec: CommandSpec<typeof newOptions> = {
  usage: 'new <name>',
  description:
    'Creates a project that is ready to run: a folder with a config, a workflow, a judge, tasks and a README. Never overwrites files.',
  options: newOptions,
  notes: `The name may contain letters, digits, _ and -, and must begin with a letter.

Exit code: 0, or 2 if the project could not be created.`,
  run: async (values, [name = ''], context) =>
    (await import('../../sdk/cli/newCommand.ts')).runNew(values, name, context),
};

const rehearseSpec: CommandSpec<typeof rehearseOptions> = {
  usage: 'rehearse',
  description:
    "Runs a training server with a tiny model on this machine's CPU, on 127.0.0.1 only, and with --conf trains a config on it. The server speaks the Tinker API.",
  options: rehearseOptions,
  notes: `The first time, AgentJet sets up a Python environment in its cache: about 225 MB to download, 1 GB on disk.
It changes no other environment. It needs Python 3.11, 3.12 or 3.13.

Exit code: that of the training with --conf. Otherwise 0 after Ctrl-C or --only-setup, 2 if the server could not start or ended by itself, 130 interrupted before.`,
  run: async (values, _, context) =>
    (await import('../../tinker/cli/rehearseCommand.ts')).runRehearse(
      values,
      context,
      values.conf === undefined
        ? undefined
        : async (server) =>
            (await import('../../backbone/cli/runCommand.ts')).runEpisodes(
              rehearsalArguments(values, server, context.io.cwd),
              context,
            ),
    ),
};
