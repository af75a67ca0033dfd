/** The environment of a run process: that of the user without variables of the editor. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that change how Node.js starts: auto attach of js-debug, which would debug the run twice, and those of Electron. */
const editorsOwn = [/^VSCODE_INSPECTOR_OPTIONS$/i, /^ELECTRON_/i];

/**
 * Returns the environment of a child process.
 *
 * @param layers variables of the user and the runtime, unfiltered; later layers win, and null removes a variable
 */
export function childEnvironment(
  inherited: Environment,
  layers: readonly Readonly<Record<string, string | null>>[],
  platform: NodeJS.Platform,
): Record<string, string> {
  // Names are case-insensitive on Windows: `Path` and `PATH` must not both be set.
  const sameName = (a: string, b: string): boolean =>
    platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
  let entries = ownEntries(inherited);
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    entries = entries.filter(([other]) => !sameName(other, name));
    if (value !== null) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function ownEntries(inherited: Environment): [string, string][] {
  return Object.entries(inherited).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || editorsOwn.some((pattern) => pattern.test(name))) return [];
    if (name.toUpperCase() !== 'NODE_OPTIONS') return [[name, value]];
    const options = withoutAutoAttach(value);
    return options === '' ? [] : [[name, options]];
  });
}

/** Removes the bootloader of js-debug from `NODE_OPTIONS` and keeps the rest with its quotes. */
export function withoutAutoAttach(nodeOptions: string): string {
  const words = nodeOptions.match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g) ?? [];
  const kept: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1] ?? '';
    if (/^(?:-r|--require|--import)$/.test(word) && isBootloader(next)) index += 1;
    else if (!isBootloader(word) && word !== '--inspect-publish-uid=http') kept.push(word);
  }
  return kept.join(' ');
}

function isBootloader(word: string): boolean {
  return /js-debug.*bootloader\.(?:bundle\.)?(?:c|m)?js"?$/i.test(word);
}
