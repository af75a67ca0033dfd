import path from 'node:path';

/** As seen from the working directory, which a config's locators are. */
export function locatorOf(
  { file, name }: { readonly file: string; readonly name: string },
  cwd: string,
): string {
  const relative = path.relative(cwd, file);
  const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
  return `${isInside ? relative.split(path.sep).join('/') : file}->${name}`;
}
