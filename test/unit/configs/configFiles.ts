import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface ConfigFile {
  /** With the folder, such as `agentjet/x.yaml`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/configs');
/** Configs of the programs themselves, where they have been put beside the project. */
const real = path.resolve(import.meta.dirname, '../../../../shared/data/configs');

/** Configs of all formats that come with the tests, and real ones where they are there. */
export function configFiles(): ConfigFile[] {
  return [...filesIn(fixtures, 'fixtures'), ...realConfigFiles()];
}

export function realConfigFiles(): ConfigFile[] {
  return ['agentjet', 'trinity'].flatMap((name) => filesIn(path.join(real, name), name));
}

function filesIn(folder: string, label: string): ConfigFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => {
    const file = path.join(folder, name);
    return { name: `${label}/${name}`, path: file, text: readFileSync(file, 'utf8') };
  });
}
