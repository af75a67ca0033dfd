import path from 'node:path';
import process from 'node:process';
import { CodedError, messageOf } from '../../base/core/errors.ts';
import { astunerRun } from '../../configs/core/astuner/astunerRun.ts';
import { compose, type Composition } from '../../configs/core/compose.ts';
import { dialectOf, type DialectId } from '../../configs/core/dialect.ts';
import { trinityRun } from '../../configs/core/trinity/trinityRun.ts';
import type { RunRequest } from '../core/protocol/run.ts';
import { localFiles } from '../../base/node/files.ts';

/** The config of a run, as last composed. */
export class RunConfig {
  readonly #request: Pick<RunRequest, 'cwd' | 'allowEnvironment'>;
  #text = '';

  constructor(request: Pick<RunRequest, 'cwd' | 'allowEnvironment'>) {
    this.#request = request;
  }

  /** The text of the config. */
  get text(): string {
    return this.#text;
  }

  /** @param text the text of the config; read from the file if absent */
  async compose(file: string, text?: string): Promise<Composition> {
    this.#text = text ?? (await readConfigText(file));
    const { cwd, allowEnvironment } = this.#request;
    const dialect = dialectOf(this.#text);
    const composed = await compose({
      file,
      text: this.#text,
      ...(dialect && { dialect }),
      cwd,
      files: localFiles,
      paths: path,
      environment: allowEnvironment ? (name) => process.env[name] : 'blocked',
    });
    return dialect === undefined ? composed : runs[dialect.id](composed);
  }
}

/** Converts a composed config to AgentJet's own keys, which the debug backbone reads. */
const runs: Readonly<Record<DialectId, (composed: Composition) => Composition>> = {
  ajet: (composed) => composed,
  astuner: astunerRun,
  trinity: trinityRun,
};

async function readConfigText(file: string): Promise<string> {
  const text = await localFiles.readText(file).catch((error: unknown) => {
    throw unreadableConfig(file, error);
  });
  if (text !== undefined) return text;
  throw new CodedError({
    code: 'launcher/config-not-found',
    message: `The config ${file} does not exist.`,
    hint: 'Correct the path of the config.',
  });
}

function unreadableConfig(file: string, cause: unknown): CodedError {
  const reason = messageOf(cause);
  return new CodedError({
    code: 'launcher/config-unreadable',
    message: `The config ${file} cannot be read: ${reason}.`,
    hint: 'Select a YAML file that you can read.',
    cause,
  });
}
