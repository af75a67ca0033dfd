/** What AgentJet uses of other extensions' Python, in one place: what they hand out is not ours to trust. */
import path from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../../../base/core/ports.ts';
import { deferred } from '../../../base/node/process/deferred.ts';

/** The Python extension, which selects an interpreter for each folder, and the Python Debugger extension, which brings debugpy. */
export const pythonExtensionIds = {
  environments: 'ms-python.python',
  debugger: 'ms-python.debugpy',
} as const;

/** How an extension is reached; `vscode.extensions` is one. */
export interface ExtensionSource {
  getExtension(id: string): { readonly extensionPath: string; activate(): PromiseLike<unknown> } | undefined;
}

/** The id of what the Python extension has where nobody has selected anything and nothing was found. */
const unselected = 'DEFAULT_PYTHON';

const activePath = z.object({ id: z.string(), path: z.string().check(z.minLength(1)) });
/** Of `resolveEnvironment`; an environment of conda's may have no Python yet. */
const resolved = z.object({ executable: z.object({ uri: z.optional(z.object({ fsPath: z.string() })) }) });

interface EnvironmentsApi {
  getActiveEnvironmentPath(resource: unknown): unknown;
  resolveEnvironment(environment: unknown): PromiseLike<unknown>;
}

/** Milliseconds that the extension may take to start and to answer, before a launch goes on without it. */
const patience = 5000;

/**
 * The interpreter that is selected for a folder, asked anew for each launch. Undefined: there is no such extension, it has
 * selected nothing, or it does not answer; `warn` hears of what is out of order.
 *
 * @param resource a `vscode.Uri` of the folder, or of a file in it
 */
export async function selectedInterpreter(
  extensions: ExtensionSource,
  resource: unknown,
  { clock, warn }: { readonly clock: Clock; readonly warn: (message: string) => void },
): Promise<string | undefined> {
  const extension = extensions.getExtension(pythonExtensionIds.environments);
  if (extension === undefined) return undefined;
  const late = deferred<'late'>();
  const waiting = clock.after(patience, () => late.resolve('late'));
  try {
    const found = await Promise.race([ask(extension, resource), late.promise]);
    if (found !== 'late') return found?.executable;
    warn(`The Python extension has not answered for ${patience / 1000} s: its interpreter is not used.`);
  } catch (error) {
    warn(`The Python extension does not tell its interpreter: ${String(error)}`);
  } finally {
    waiting.dispose();
  }
  return undefined;
}

async function ask(
  extension: { activate(): PromiseLike<unknown> },
  resource: unknown,
): Promise<{ executable: string } | undefined> {
  const environments = environmentsOf(await extension.activate());
  if (environments === undefined) throw new Error('it has no `environments`, or not those that are known.');
  const active = activePath.parse(environments.getActiveEnvironmentPath(resource));
  if (active.id === unselected) return undefined;
  const environment = resolved.safeParse(await environments.resolveEnvironment(active));
  // What it cannot resolve may start all the same, and if not, is to be heard of.
  return { executable: environment.data?.executable.uri?.fsPath ?? active.path };
}

function environmentsOf(api: unknown): EnvironmentsApi | undefined {
  const environments = (api as { environments?: Partial<EnvironmentsApi> } | undefined)?.environments;
  return typeof environments?.getActiveEnvironmentPath === 'function' &&
    typeof environments.resolveEnvironment === 'function'
    ? (environments as EnvironmentsApi)
    : undefined;
}

/** The folder that the Python Debugger extension's debugpy lies in; undefined where the extension is not there. */
export function bundledDebugpy(extensions: ExtensionSource): string | undefined {
  const extension = extensions.getExtension(pythonExtensionIds.debugger);
  return extension && path.join(extension.extensionPath, 'bundled', 'libs');
}
