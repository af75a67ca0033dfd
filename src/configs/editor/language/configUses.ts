import type { ClassFinder, CodeSite } from '../../core/code/classes.ts';
import { targetOf, writtenNames, type WrittenName } from '../../core/code/writtenLocators.ts';
import { parseConfig } from '../../core/parse.ts';
import * as vscode from 'vscode';
import { spanToRange } from './configTexts.ts';
import { locateConfig, type ConfigLocation } from './workspaceFs.ts';
import type { WorkspaceConfig, WorkspaceConfigs } from './workspaceConfigs.ts';

export interface UsedSite {
  readonly site: CodeSite;
  readonly uses: readonly vscode.Location[];
}

/** Which configs of the open folders name which classes; looked up when first asked, and again after a change. */
export class ConfigUses {
  readonly #configs: WorkspaceConfigs;
  readonly #classes: (place: ConfigLocation) => ClassFinder;
  readonly #names = new WeakMap<WorkspaceConfig, readonly Name[]>();
  #byFile: Promise<ReadonlyMap<string, readonly UsedSite[]>> | undefined;

  constructor(configs: WorkspaceConfigs, classes: (place: ConfigLocation) => ClassFinder) {
    this.#configs = configs;
    this.#classes = classes;
  }

  async of(code: vscode.Uri): Promise<readonly UsedSite[]> {
    this.#byFile ??= this.#lookUp().catch((error: unknown) => {
      this.#byFile = undefined;
      throw error;
    });
    return (await this.#byFile).get(code.toString()) ?? [];
  }

  changed(): void {
    this.#byFile = undefined;
  }

  async #lookUp(): Promise<ReadonlyMap<string, readonly UsedSite[]>> {
    const bySite = new Map<
      string,
      { readonly file: string; readonly used: UsedSite & { uses: vscode.Location[] } }
    >();
    for (const config of await this.#configs.all()) {
      for (const { site, file, location } of await this.#namedBy(config)) {
        const key = `${file} ${site.line} ${site.column}`;
        const known = bySite.get(key) ?? { file, used: { site, uses: [] } };
        bySite.set(key, known);
        known.used.uses.push(location);
      }
    }
    const byFile = new Map<string, UsedSite[]>();
    for (const { file, used } of bySite.values()) byFile.set(file, [...(byFile.get(file) ?? []), used]);
    return byFile;
  }

  async #namedBy(
    config: WorkspaceConfig,
  ): Promise<{ site: CodeSite; file: string; location: vscode.Location }[]> {
    const place = locateConfig(config.uri);
    const classes = this.#classes(place);
    const { fs, file, cwd } = place;
    const found = this.#namesIn(config).map(async (name) => {
      const target = await targetOf(name, classes, cwd, fs.paths.dirname(file));
      if (target.status !== 'found') return [];
      const { site } = target;
      return [{ site, file: fs.uri(site.file).toString(), location: name.location }];
    });
    return (await Promise.all(found)).flat();
  }

  /** A text is read once, however often the code changes that it names. */
  #namesIn(config: WorkspaceConfig): readonly Name[] {
    const known = this.#names.get(config);
    if (known !== undefined) return known;
    const document = parseConfig(config.text);
    const names = writtenNames(document, config.dialect).map(({ text, locator, node }) => ({
      text,
      locator,
      location: new vscode.Location(config.uri, spanToRange(document, node.span)),
    }));
    this.#names.set(config, names);
    return names;
  }
}

interface Name extends Pick<WrittenName, 'text' | 'locator'> {
  readonly location: vscode.Location;
}
