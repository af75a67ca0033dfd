import * as vscode from 'vscode';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import type { Clock, FileReader } from '../../../base/core/ports.ts';
import { findInstalled, type HostReleases, type Installed } from '../../core/installed.ts';
import type { ConfigLocation } from './workspaceFs.ts';

/** Milliseconds after which packages are searched again: nothing announces an installation. */
const freshMilliseconds = 10_000;

export interface InstalledPackagesParts {
  readonly clock: Clock;
  /** Returns the folders of the Python environments that a config would run in. */
  readonly environments: (config: vscode.Uri) => Promise<readonly string[]>;
  /** Returns the releases of a connected GPU host. */
  readonly hostReleases: () => HostReleases | undefined;
}

interface Cached {
  readonly since: number;
  readonly installed: Promise<Installed>;
}

/** The packages that the configs of each folder use. */
export class InstalledPackages {
  readonly #parts: InstalledPackagesParts;
  readonly #cached = new Map<string, Cached>();

  constructor(parts: InstalledPackagesParts) {
    this.#parts = parts;
  }

  of(config: vscode.Uri, { fs, file, cwd }: ConfigLocation, files: FileReader): Promise<Installed> {
    const id = JSON.stringify([fs.id, cwd, fs.paths.dirname(file)]);
    const now = this.#parts.clock.monotonic();
    const known = this.#cached.get(id);
    if (known !== undefined && now - known.since < freshMilliseconds) return known.installed;
    const installed = this.#find(config, { fs, file, cwd }, files);
    this.#cached.set(id, { since: now, installed });
    return installed;
  }

  changed(): void {
    this.#cached.clear();
  }

  async #find(config: vscode.Uri, { fs, file, cwd }: ConfigLocation, files: FileReader): Promise<Installed> {
    const section = vscode.workspace.getConfiguration(settingsSection, config);
    return findInstalled({
      ...{ file, cwd, files, paths: fs.paths },
      environments: fs.isLocal ? await this.#parts.environments(config) : [],
      host: this.#parts.hostReleases(),
      chosen: {
        ajet: section.get<string>(settings.releaseAgentjet),
        trinity: section.get<string>(settings.releaseTrinity),
      },
    });
  }
}
