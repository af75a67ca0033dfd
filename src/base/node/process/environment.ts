/** The environment of a run's process: the user's own, without what belongs to the editor that started us. */

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that make a Node process something else than the user's program: js-debug's auto attach (which would
 * debug the run a second time) and what Electron reads.
 */
const editorsOwn = [/^VSCODE_INSPECTOR_OPTIONS$/i, /^ELECTRON_/i];

/**
 * @param inherited this process's environment
 * @param layers later ones win; null takes a variable away. They come from the user and from the chosen runtime and
 *   are taken as they are
 */
export function childEnvironment(
  inherited: Environment,
  layers: readonly Readonly<Record<string, string | null>>[],
  platform: NodeJS.Platform,
): Record<string, string> {
  // Windows' names are the same in any case: `Path` and `PATH` must not both be there.
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

/** `NODE_OPTIONS` without js-debug's bootloader; what the user put there stays, quotes and all. */
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
