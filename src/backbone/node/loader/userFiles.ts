import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tells the user's own files from packages, from Node's and from ours. */
export class UserFiles {
  readonly #ownFolder: string;

  /** @param ownFolder where this program's own modules lie */
  constructor(ownFolder: string) {
    this.#ownFolder = path.join(ownFolder, path.sep);
  }

  /** The path of a module's URL, if the module is the user's. */
  ofUrl(url: string | undefined): string | undefined {
    if (url?.startsWith('file:') !== true) return undefined;
    const file = fileURLToPath(url);
    return this.includes(file) ? file : undefined;
  }

  includes(file: string): boolean {
    return !/[\\/]node_modules[\\/]/.test(file) && !file.startsWith(this.#ownFolder);
  }
}

export function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

export function isTypeScript(file: string): boolean {
  return /\.(?:[cm]?ts|tsx)$/.test(file);
}

/** Needs JSX taken out; Node knows neither extension. */
export function isJsx(file: string): boolean {
  return /\.[jt]sx$/.test(file);
}
