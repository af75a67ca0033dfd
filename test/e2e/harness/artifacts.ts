/** Where test runs leave what people look at. */
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../..');
export const artifacts = path.join(root, '.artifacts');

/** A picture of a suite, made on purpose. */
export function screenshotFile(suite: string, name: string): string {
  return path.join(artifacts, 'screenshots', fileName(suite), `${fileName(name)}.png`);
}

/** The folder for what helps to understand the failure of a test. */
export function evidenceFolder(suite: string, name: string): string {
  return path.join(artifacts, 'failures', fileName(suite), fileName(name));
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-');
}
