/** The Tinker servers that the owner of a host allows, and the commands that start them. */
import * as z from 'zod/mini';
import { CodedError } from '../../../base/core/errors.ts';
import type { HostStatus } from '../protocol/hostRpc.ts';
import type { TinkerService } from '../protocol/runs.ts';
import type { TinkerRequest } from '../contracts.ts';

/** The placeholders in the arguments of a command. */
const placeholder = /\{(port|model|data)\}/g;

const server = z.object({
  /** The absolute path of the program, and its arguments. No shell is involved. */
  command: z.array(z.string()).check(
    z.refine(
      ([program = '']) => program.startsWith('/'),
      'it must begin with the absolute path of a program',
    ),
    z.refine(
      ([, ...args]) => args.some((one) => one.includes('{port}')),
      'an argument must contain {port}, the port at which the server listens on 127.0.0.1',
    ),
  ),
  models: z
    .array(z.string().check(z.minLength(1), z.maxLength(1_024)))
    .check(z.minLength(1, 'it must name a model')),
  gpus: z._default(z.int().check(z.nonnegative()), 1),
});

const names = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

export const tinkerServers = z
  .record(z.string(), server)
  .check(
    z.refine(
      (all) => Object.keys(all).every((name) => names.test(name)),
      'a name has up to 50 letters, digits, `.`, `_` and `-`',
    ),
  );
/** Servers by name. No client can start another one. */
export type TinkerServers = Readonly<z.infer<typeof tinkerServers>>;

export function allowedTinker(servers: TinkerServers): NonNullable<HostStatus['tinker']> {
  return Object.entries(servers).map(([name, { models, gpus }]) => ({ server: name, models, gpus }));
}

/** Returns the server and model for a request, with its number of GPUs. Throws `host/tinker-…`. */
export function chooseTinker(
  servers: TinkerServers,
  { server: wanted, model }: TinkerRequest,
): TinkerService & { readonly gpus: number } {
  const all = Object.entries(servers);
  if (all.length === 0) throw tinkerServerErrors.none();
  const named = all.filter(([name]) => wanted === undefined || name === wanted);
  if (named.length === 0) throw tinkerServerErrors.noServer(wanted ?? '', Object.keys(servers));
  const choices = named.flatMap(([name, { models, gpus }]) =>
    models
      .filter((one) => model === undefined || one === model)
      .map((one) => ({ server: name, model: one, gpus })),
  );
  const [first, ...others] = choices;
  if (first === undefined)
    throw tinkerServerErrors.noModel(
      model ?? '',
      named.flatMap(([, { models }]) => models),
    );
  // Servers with the same model are alternatives, in the order of the owner.
  const models = [...new Set(choices.map((one) => one.model))];
  if (others.length > 0 && models.length > 1) throw tinkerServerErrors.whichModel(models);
  return first;
}

/** Replaces the placeholders in the command of a server. */
export function tinkerCommand(
  command: readonly string[],
  values: { readonly port: number; readonly model: string; readonly data: string },
): { readonly command: string; readonly args: readonly string[] } {
  const [program = '', ...args] = command;
  const replaced = args.map((one) =>
    one.replaceAll(placeholder, (_, name: keyof typeof values) => String(values[name])),
  );
  return { command: program, args: replaced };
}

const listed = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(', ');

export const tinkerServerErrors = {
  none: () =>
    new CodedError({
      code: 'host/tinker-not-allowed',
      message: 'This host starts no Tinker servers.',
      hint: 'Ask its owner to list servers in a file, and to start the host with `--tinker-servers FILE`.',
    }),
  noServer: (name: string, known: readonly string[]) =>
    new CodedError({
      code: 'host/tinker-not-allowed',
      message: `This host does not allow the Tinker server ${JSON.stringify(name)}.`,
      hint: `Choose one that its owner lists: ${listed(known)}.`,
    }),
  noModel: (model: string, known: readonly string[]) =>
    new CodedError({
      code: 'host/tinker-model',
      message: `This host does not serve the model ${JSON.stringify(model)}.`,
      hint: `Choose one that its owner lists: ${listed(known)}.`,
    }),
  whichModel: (known: readonly string[]) =>
    new CodedError({
      code: 'host/tinker-model',
      message: 'This host can serve several models.',
      hint: `Choose one with \`--base-model\`: ${listed(known)}.`,
    }),
};
