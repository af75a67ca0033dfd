import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import type { Clock } from '../../../base/core/ports.ts';
import { pythonShare } from '../../../backbone/node/client/pythonShare.ts';
import { localFiles } from '../../../base/node/files.ts';
import { findInterpreter, type Interpreter } from '../../../backbone/node/python/interpreter.ts';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import { selectedInterpreter } from './pythonApi.ts';

/** Which Python a launch in the editor takes. Nothing is kept: a change of the selection counts from the next launch on. */
export class PythonChoice {
  readonly #clock: Clock;
  readonly #log: vscode.LogOutputChannel;

  constructor(clock: Clock, log: vscode.LogOutputChannel) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Returns the interpreter for a launch if only the editor knows it. Returns undefined if the configuration names one, if
   * the run finds it itself, or if no Python is needed. The Python extension is not started without need.
   */
  async executableFor(
    config: vscode.Uri,
    configuration: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    if (configuration['python'] !== undefined) return undefined;
    if (!(await needsPython(config.fsPath))) return undefined;
    const { executable, why } = await this.find(config, configuration);
    this.#log.info(`Python for ${config.fsPath}: ${executable} (${reasons[why]})`);
    return why === 'selected' || why === 'setting' ? executable : undefined;
  }

  /** Returns the interpreter that a launch would use, including that of the configuration. */
  async find(config: vscode.Uri, { python, cwd }: Readonly<Record<string, unknown>>): Promise<Interpreter> {
    const folder = typeof cwd === 'string' ? cwd : path.dirname(config.fsPath);
    const warn = (message: string): void => this.#log.warn(message);
    return findInterpreter({
      chosen: typeof python === 'string' ? python : undefined,
      selected: await selectedInterpreter(vscode.extensions, config, { clock: this.#clock, warn }),
      setting: vscode.workspace.getConfiguration(settingsSection, config).get<string>(settings.python),
      cwd: folder,
      folders: [...new Set([folder, path.dirname(config.fsPath)])],
      platform: process.platform,
      files: localFiles,
    });
  }
}

const reasons: Readonly<Record<Interpreter['why'], string>> = {
  chosen: 'set in the launch configuration',
  selected: 'selected in the Python extension',
  environment: 'in the .venv next to the config',
  setting: `set by ${settingsSection}.${settings.python}`,
  path: 'found on PATH',
};

async function needsPython(file: string): Promise<boolean> {
  if (file.endsWith('.py')) return true;
  const text = await localFiles.readText(file).catch(() => undefined); // the launch reports the error
  return text !== undefined && pythonShare(text) !== 'none';
}
