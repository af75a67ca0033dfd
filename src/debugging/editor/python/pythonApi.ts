/** The only access to the Python extensions. It checks everything that they return. */
import path from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../../../base/core/ports.ts';
import { deferred } from '../../../base/node/process/deferred.ts';

/** The Python extension, which selects an interpreter for each folder, and the Python Debugger extension, which brings debugpy. */
export const pythonExtensionIds = {
  environments: 'ms-python.python',
  debugger: 'ms-python.debugpy',
} as const;

/** The source of extensions, such as `vscode.extensions`. */
export interface ExtensionSource {
  getExtension(id: string): { readonly extensionPath: string; activate(): PromiseLike<unknown> } | undefined;
}

/** The id that the Python extension uses if no interpreter was selected or found. */
const unselected = 'DEFAULT_PYTHON';

const activePath = z.object({ id: z.string(), path: z.string().check(z.minLength(1)) });
/** The result of `resolveEnvironment`. An environment of conda may not have Python yet. */
const resolved = z.object({ executable: z.object({ uri: z.optional(z.object({ fsPath: z.string() })) }) });

interface EnvironmentsApi {
  getActiveEnvironmentPath(resource: unknown): unknown;
  resolveEnvironment(environment: unknown): PromiseLike<unknown>;
}

/** The milliseconds that the extension has to start and respond. Then the launch continues without it. */
const patience = 5000;

/**
 * Returns the interpreter that is selected for a folder. Call it for each launch. Returns undefined without the extension,
 * without a selection, or if the extension does not respond. Problems are passed to `warn`.
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
    warn(`The Python extension did not respond within ${patience / 1000} s, so its interpreter is not used.`);
  } catch (error) {
    warn(`The Python extension did not return its interpreter: ${String(error)}`);
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
  if (environments === undefined)
    throw new Error('its API has no `environments`, or an unknown version of it.');
  const active = activePath.parse(environments.getActiveEnvironmentPath(resource));
  if (active.id === unselected) return undefined;
  const environment = resolved.safeParse(await environments.resolveEnvironment(active));
  // An interpreter that it cannot resolve may start anyway. If not, the launch reports it.
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
