import { launchErrors } from './failures.ts';

type Flag =
  | { readonly takes: 'nothing' }
  | { readonly takes: 'a value'; readonly wanted: string; readonly fits: (value: string) => boolean }
  /** Starts a program that variables of the host's environment name. */
  | { readonly takes: 'a service'; readonly variables: readonly string[] }
  | { readonly refused: string; readonly hint?: string; readonly hasValue?: true };

export type FlagTable = Readonly<Record<string, Flag>>;
const alone: Flag = { takes: 'nothing' };
const folder: Flag = { takes: 'a value', wanted: 'a folder inside the run', fits: isInside };
/** The order sets this value, so that the record of a run shows what is started. */
const byOrder: Flag = { refused: 'the order of the run sets it', hasValue: true };

const service = (name: string): Flag => ({
  takes: 'a service',
  variables: [`${name}_PATH`, `${name}_SCRIPT`],
});

const debug: Flag = {
  refused: 'it stops the training at breakpoints, and no one can continue it',
  hint: 'Debug on your own machine with `--backbone debug`.',
  hasValue: true,
};

export const ajetFlags: FlagTable = {
  '--conf': byOrder,
  '--backbone': byOrder,
  '--exp-dir': folder,
  '--with-ray': alone,
  '--skip-check-avail-gpu': alone,
  // Upstream parses it and never uses it.
  '--reboot': alone,
  '--prefix': {
    takes: 'a value',
    wanted: 'up to 64 letters, digits, `_` and `-`',
    fits: (value) => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(value),
  },
  '--with-appworld': service('APPWORLD'),
  '--with-deepfinance': service('DEEPFINANCE'),
  '--with-webshop': service('WEBSHOP'),
  '--with-bfcl': service('BFCL'),
  '--with-crafters': service('CRAFTERS'),
  '--debug': debug,
  '--db': debug,
  '--with-ray-cluster': {
    refused: 'a machine that joins the cluster waits forever and keeps its GPUs after the training',
    hint: 'Start Ray on the machines yourself and choose the launcher `ray`.',
  },
  '--with-logview': {
    refused: "it opens a server on a fixed port of the host, without the host's token",
    hint: 'Follow the run instead. It shows logs and metrics.',
  },
  '--kill': { refused: 'it kills processes by keywords, including those of other runs', hasValue: true },
  '--autokill': {
    refused: 'it kills every Ray, vLLM and Python process, including those of other runs',
    hint: 'Cancel the other runs instead.',
  },
};

export const trinityFlags: FlagTable = {
  '--config': byOrder,
  '-c': byOrder,
  '--plugin-dir': folder,
  '--dlc': {
    refused: 'it starts Ray on the machines of a cluster service, which a host cannot use',
    hint: 'Start Ray on the machines yourself and choose the launcher `ray`.',
  },
};

/**
 * A flag and its value become one argument, so that a value is never parsed as a flag. Throws for the first flag that is
 * refused, unknown, repeated or without its value. `hostVariables` are set in the host's own environment.
 */
export function launcherArguments(
  flags: readonly string[],
  launcher: string,
  table: FlagTable,
  hostVariables: ReadonlySet<string>,
): string[] {
  const args = new Map<string, string>();
  const rest = [...flags];
  for (let text = rest.shift(); text !== undefined; text = rest.shift()) {
    const { name, value } = splitFlag(text);
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) {
      const allowed = Object.keys(table).filter((one) => table[one] && !('refused' in table[one]));
      throw launchErrors.unknownFlag(name, launcher, allowed);
    }
    if ('refused' in flag) throw launchErrors.refusedFlag(name, launcher, flag.refused, flag.hint ?? '');
    if (args.has(name)) throw launchErrors.badFlagValue(name, 'to appear only once');
    if (flag.takes === 'a value') {
      const given = value ?? rest.shift();
      if (given === undefined || !flag.fits(given)) throw launchErrors.badFlagValue(name, flag.wanted);
      args.set(name, `${name}=${given}`);
      continue;
    }
    if (value !== undefined) throw launchErrors.badFlagValue(name, 'no value');
    const variables = flag.takes === 'a service' ? flag.variables : [];
    const missing = variables.filter((variable) => !hostVariables.has(variable)).join(' and ');
    if (missing !== '') {
      const why = `the service needs ${variables.join(' and ')} in the environment of the host, where ${missing} is not set`;
      const hint = 'Ask the owner of the host to set it, or start the service yourself.';
      throw launchErrors.refusedFlag(name, launcher, why, hint);
    }
    args.set(name, name);
  }
  return [...args.values()];
}

/** Throws for the first flag that a host never accepts, whatever the config is. */
export function refuseFlags(flags: readonly string[], launcher: string, table: FlagTable): void {
  for (const text of flags) {
    const { name } = splitFlag(text);
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    // A flag that the order sets is allowed here: it has its own option.
    if (flag === undefined || flag === byOrder || !('refused' in flag)) continue;
    throw launchErrors.refusedFlag(name, launcher, flag.refused, flag.hint ?? '');
  }
}

export function flagValue(flags: readonly string[], name: string): string | undefined {
  const at = flags.findIndex((text) => splitFlag(text).name === name);
  return at < 0 ? undefined : (splitFlag(flags[at] ?? '').value ?? flags[at + 1]);
}

function splitFlag(text: string): { readonly name: string; readonly value: string | undefined } {
  const at = text.startsWith('--') ? text.indexOf('=') : -1;
  return at < 0 ? { name: text, value: undefined } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

export function isInside(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.startsWith('~') || path.includes('\0')) return false;
  return !path.split('/').includes('..');
}
