import type { CliCommand, CommandSpec, OptionTable } from '../../../base/node/terminal/commandLine.ts';
import { deleteOptions, downloadOptions, listOptions, publishOptions } from './checkpointOptions.ts';

const commands = () => import('./checkpointCommands.ts');
const exitNotes = 'Exit code: 0, 2 if it failed, 130 interrupted.';

/** Adds `agentjet checkpoints`. */
export function addCheckpointCommands(program: CliCommand): void {
  const listing = program.add(
    specOf({
      usage: 'checkpoints <folder>',
      description:
        'Lists the checkpoints of a training on a Tinker server. <folder> is the folder of the run. Other commands download, delete and publish them.',
      options: listOptions,
      notes: `KIND is training (weights and optimizer) or sampler (weights only). STATE shows what the server has. If it does not
answer, the list is that of the training.

${exitNotes}`,
      load: async () => (await commands()).list,
    }),
  );
  listing.usage('<folder> [options]\n       agentjet checkpoints <command> <folder> [options]');
  const add = <O extends OptionTable>(spec: Spec<O>): CliCommand => listing.add(specOf(spec));
  add({
    usage: 'download <folder>',
    description:
      'Downloads the adapter of a checkpoint in the layout of PEFT: adapter_config.json and adapter_model.safetensors.',
    options: downloadOptions,
    load: async () => (await commands()).download,
  });
  add({
    usage: 'delete <folder>',
    description: 'Deletes checkpoints on the server. The training can no longer continue from them.',
    options: deleteOptions,
    load: async () => (await commands()).remove,
  });
  add({
    usage: 'publish <folder>',
    description: 'Makes a checkpoint public, so that everyone can use its weights by their path.',
    options: publishOptions,
    load: async () => (await commands()).publish,
  });
  add({
    usage: 'unpublish <folder>',
    description: 'Makes a public checkpoint private again.',
    options: publishOptions,
    load: async () => (await commands()).unpublish,
  });
}

interface Spec<O extends OptionTable> extends Omit<CommandSpec<O>, 'run'> {
  readonly load: () => Promise<CommandSpec<O>['run']>;
}

function specOf<O extends OptionTable>({ load, notes = exitNotes, ...spec }: Spec<O>): CommandSpec<O> {
  return { ...spec, notes, run: async (values, args, context) => (await load())(values, args, context) };
}
