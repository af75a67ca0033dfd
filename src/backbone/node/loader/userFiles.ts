import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Recognizes user files: not those of packages, Node.js and this program. */
export class UserFiles {
  readonly #ownFolder: string;

  /** @param ownFolder the folder of this program's modules */
  constructor(ownFolder: string) {
    this.#ownFolder = path.join(ownFolder, path.sep);
  }

  /** Returns the path of a module's URL if it is a user file. */
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

/** Returns true if a file can have JSX. Node.js does not know its extensions. */
export function isJsx(file: string): boolean {
  return /\.[jt]sx$/.test(file);
}
