/** The folders where test runs leave screenshots and evidence. */
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../..');
export const artifacts = path.join(root, '.artifacts');

/** Returns the file of a screenshot that a test takes on purpose. */
export function screenshotFile(suite: string, name: string): string {
  return path.join(artifacts, 'screenshots', fileName(suite), `${fileName(name)}.png`);
}

/** Returns the folder for logs and a screenshot of a failed test. */
export function evidenceFolder(suite: string, name: string): string {
  return path.join(artifacts, 'failures', fileName(suite), fileName(name));
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-');
}
