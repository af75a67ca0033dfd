/** The commands of `agentjet checkpoints`. */
import path from 'node:path';
import { formatReport, toReport } from '../../../base/core/errors.ts';
import { sizeText } from '../../../base/core/format.ts';
import { type CommandIo, exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { type CommandContext, usageError } from '../../../base/node/terminal/commandLine.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import type { TinkerOptions } from '../../../tinker/node/openTinker.ts';
import { TrainingCheckpoints, type CheckpointWeights } from '../../node/checkpoints/trainingCheckpoints.ts';
import { isInteractive, prompt } from '../remote/prompt.ts';
import { columns, Tenths } from '../remote/texts.ts';
import type { DeleteValues, DownloadValues, ListValues, PublishValues } from './checkpointOptions.ts';

interface Session {
  readonly io: CommandIo;
  /** Absolute. */
  readonly folder: string;
  readonly checkpoints: TrainingCheckpoints;
}

type Command<V> = (values: V, args: readonly string[], context: CommandContext) => Promise<number>;

/** Returns a command for the folder of a training. Ctrl-C cancels it. */
function onFolder<V extends { readonly tinkerUrl?: string | undefined }>(
  work: (session: Session, values: V) => Promise<number>,
): Command<V> {
  return async (values, [named = ''], { io }) => {
    const folder = path.resolve(io.cwd, named);
    const interrupts = cancelledByInterrupt();
    const cancellation = interrupts.source.token;
    const onNotice: TinkerOptions['onNotice'] = ({ text }) => io.stderr.write(`${text}\n`);
    const options = { baseUrl: values.tinkerUrl, env: io.env, cancellation, onNotice };
    try {
      return await work({ io, folder, checkpoints: new TrainingCheckpoints(folder, options) }, values);
    } catch (error) {
      if (cancellation.isCancelled) return exitCodes.interrupted;
      throw error;
    } finally {
      interrupts.dispose();
    }
  };
}

export const list = onFolder<ListValues>(async ({ io, checkpoints }, { json = false }) => {
  const { weights, problem } = await checkpoints.list();
  if (problem !== undefined) {
    io.stderr.write(`agentjet: ${formatReport(toReport(problem, 'tinker/no-server'))}\n`);
    io.stderr.write('The list is that of the training. It does not show what the server still has.\n');
  }
  if (json) io.stdout.write(`${JSON.stringify(weights)}\n`);
  else if (weights.length === 0) io.stderr.write('The training has no checkpoints.\n');
  else io.stdout.write(columns([head, ...weights.map(row)]));
  return exitCodes.ok;
});

const head = ['STEP', 'KIND', 'PATH', 'SAVED', 'SIZE', 'STATE'];

function row({ step, kind, path: weights, savedAt, bytes, ...facts }: CheckpointWeights): string[] {
  return [
    ...[String(step), kind, weights, dateOf(savedAt)],
    ...[bytes === undefined ? '' : sizeText(bytes), stateOf(facts)],
  ];
}

function stateOf({
  isOnServer,
  isPublic,
  expiresAt,
}: Pick<CheckpointWeights, 'isOnServer' | 'isPublic' | 'expiresAt'>): string {
  if (isOnServer === undefined) return 'unknown';
  if (!isOnServer) return 'missing';
  const until = expiresAt === undefined ? '' : ` until ${dateOf(expiresAt)}`;
  return `${isPublic === true ? 'public' : 'saved'}${until}`;
}

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 16);
}

export const download = onFolder<DownloadValues>(async ({ io, folder, checkpoints }, values) => {
  const { step: wanted, to, json = false } = values;
  const checkpoint = await checkpoints.find(wanted);
  const { step, sampler } = checkpoint;
  const parent = path.resolve(io.cwd, to ?? path.join('checkpoints', path.basename(folder)));
  const target = path.join(parent, `step-${step}`);
  const tenths = new Tenths();
  await checkpoints.download(checkpoint, target, ({ bytes, total }) => {
    if (total !== undefined && tenths.isNext(bytes, total))
      io.stderr.write(`Received ${sizeText(bytes)} of ${sizeText(total)}.\n`);
  });
  io.stdout.write(json ? `${JSON.stringify({ step, path: sampler, target })}\n` : `${target}\n`);
  return exitCodes.ok;
});

export const remove = onFolder<DeleteValues>(async ({ io, checkpoints }, values) => {
  const { step: steps = [], yes = false, json = false } = values;
  if (steps.length === 0) throw usageError('--step is missing.', 'Name the checkpoints, such as --step 3.');
  const chosen = [];
  for (const step of new Set(steps)) chosen.push(await checkpoints.find(step));
  const named = chosen.map(({ step }) => step);
  if (!yes && !(await confirms(named))) {
    io.stderr.write('Nothing was deleted.\n');
    return exitCodes.ok;
  }
  await checkpoints.delete(chosen);
  if (json) io.stdout.write(`${JSON.stringify({ deleted: named })}\n`);
  else io.stderr.write(`Deleted the checkpoint of step ${named.join(', ')}.\n`);
  return exitCodes.ok;
});

async function confirms(steps: readonly number[]): Promise<boolean> {
  if (!isInteractive())
    throw usageError('Deleting needs a confirmation.', 'Add --yes, or run the command in a terminal.');
  const question = `Delete the checkpoint of step ${steps.join(', ')} on the server? It cannot be restored. [y/N] `;
  return /^y(?:es)?$/i.test((await prompt(question)) ?? '');
}

export const publish = onFolder<PublishValues>((session, values) => setPublic(session, values, true));
export const unpublish = onFolder<PublishValues>((session, values) => setPublic(session, values, false));

async function setPublic(
  { io, checkpoints }: Session,
  { step: wanted, json = false }: PublishValues,
  isPublic: boolean,
): Promise<number> {
  const checkpoint = await checkpoints.find(wanted);
  await checkpoints.setPublic(checkpoint, isPublic);
  const { step, path: training, sampler } = checkpoint;
  if (json) io.stdout.write(`${JSON.stringify({ step, paths: [training, sampler], isPublic })}\n`);
  else io.stdout.write(`${training}\n${sampler}\n`);
  return exitCodes.ok;
}
