/**
 * Texts name an option of a run for all surfaces: `--exp-dir (launch.json: expDir)`. These functions name it for one. The
 * flag may have a value, and the parentheses may end with `; in the editor also …`.
 */
const namedOption =
  /--([a-z][a-z-]*)( [^\s()]+)? \(launch\.json: ([\w.]+)(?:; in the editor also ([^()]+))?\)/g;

/** Names options by their flags: `--exp-dir`. */
export function forTerminal(text: string): string {
  return text.replaceAll(namedOption, '--$1$2');
}

/**
 * Names options by launch attributes or settings: `'expDir' in the launch configuration`, `'agentjet.python' in the settings`.
 *
 * @param settings the options that the launch configuration leaves to settings
 */
export function forEditor(text: string, settings: ReadonlySet<string> = new Set()): string {
  return text.replaceAll(
    namedOption,
    (_, _flag: string, value: string | undefined, option: string, also: string | undefined) => {
      const isValue = value !== undefined && /^ [a-z-]+$/.test(value);
      const place = placeOfOption(option, settings, isValue ? value.trim() : undefined);
      return also === undefined ? place : `${place} or ${also}`;
    },
  );
}

/** Returns where an option is set in the editor: `'baseUrl' of 'agentjet.endpoint' in the settings`. */
export function placeOfOption(option: string, settings: ReadonlySet<string>, value?: string): string {
  const [name = '', member] = option.split('.');
  const isSetting = settings.has(name);
  const quoted = isSetting
    ? `${member === undefined ? '' : `'${member}' of `}'agentjet.${name}'`
    : `'${option}'`;
  const given = value === undefined ? '' : ` (${JSON.stringify(value)})`;
  return `${quoted}${given} in the ${isSetting ? 'settings' : 'launch configuration'}`;
}
