/** The suffixes that an import may omit, in the order in which they are tried. */
export const importExtensions = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.json',
] as const;

/** TypeScript's sources of a file that is named by what it compiles to. */
export const sourcesOf: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** Files that an import of `path` from TypeScript may mean, the first that is there being it. */
export function importCandidates(path: string): string[] {
  const [extension = ''] = /\.[cm]?jsx?$/.exec(path) ?? [];
  const stem = path.slice(0, path.length - extension.length);
  const sources = (sourcesOf[extension] ?? []).map((source) => stem + source);
  const completed = importExtensions.map((ending) => path + ending);
  const indexes = importExtensions.map((ending) => `${path}/index${ending}`);
  return [...sources, path, ...completed, ...indexes];
}
