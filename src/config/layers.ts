import type { Location } from '../base/errors.ts';
import { bundledDefault, bundledNames } from './bundledDefaults.ts';
import { ajetKeys } from './keyTable.ts';
import { parseConfig, type ConfigDocument } from './parse.ts';
import type { ConfigProblem } from './problem.ts';
import type { SearchContext, SearchFolder } from './searchPath.ts';
import { fromNode, type MappingValue, type Value } from './value.ts';

/** A file read as far as it goes: what is in it, and what is wrong with it. */
export function readLayer(
  file: string,
  document: ConfigDocument,
): { value: MappingValue; problems: ConfigProblem[] } {
  const problems = document.problems.map(({ rule, severity, message, span }): ConfigProblem => ({
    code: `config/${rule}`,
    severity,
    message,
    location: document.lines.location(file, span.start),
    hint: severity === 'error' ? 'Correct this place.' : 'Remove one of the two.',
  }));
  const placeholders: Location[] = [];
  const { root } = document;
  const value =
    root && fromNode(root, { file, lines: document.lines }, (location) => placeholders.push(location));
  if (!problems.some((problem) => problem.severity === 'error')) {
    problems.push(...placeholders.map(placeholderProblem));
  }
  if (value?.kind === 'mapping') return { value, problems };
  if (value !== undefined) problems.push(notAMapping(file));
  return {
    value: { kind: 'mapping', entries: new Map(), origin: { kind: 'file', location: { file } } },
    problems,
  };
}

/**
 * Follows `defaults` lists and gives the layers of a config in the order in which they are laid over one another.
 * A list without `_self_` counts as ending with it, as in Hydra since 1.1, so a file wins over what it is based on.
 * Understood are plain names, found as `<name>.yaml` in the search path; groups, packages and overrides are reported.
 */
export class LayerCollector {
  readonly problems: ConfigProblem[] = [];
  readonly #folders: readonly SearchFolder[];
  readonly #context: SearchContext;

  constructor(folders: readonly SearchFolder[], context: SearchContext) {
    this.#folders = folders;
    this.#context = context;
  }

  /** `around`: the files whose lists led here, the primary first. */
  async collect(layer: MappingValue, around: readonly string[]): Promise<MappingValue[]> {
    const own = withoutSections(layer);
    const entries = this.#entries(layer.entries.get('defaults'));
    const layers: MappingValue[] = [];
    for (const entry of entries) {
      if (entry.name === '_self_') layers.push(own);
      else layers.push(...(await this.#named(entry, around)));
    }
    return layers;
  }

  #entries(list: Value | undefined): DefaultsEntry[] {
    if (list === undefined) return [{ name: '_self_', location: undefined }];
    if (list.kind !== 'sequence') {
      this.#report('config/defaults', list, '`defaults` has to be a list.', 'Write one `- name` per line.');
      return [{ name: '_self_', location: undefined }];
    }
    const entries = list.items.flatMap((item) => this.#entry(item) ?? []);
    const selves = entries.filter((entry) => entry.name === '_self_');
    if (selves.length > 1) {
      this.#report(
        'config/defaults',
        list,
        '`_self_` stands in `defaults` more than once.',
        'Keep one of them.',
      );
    }
    return selves.length > 0 ? entries : [...entries, { name: '_self_', location: undefined }];
  }

  #entry(item: Value): DefaultsEntry | undefined {
    const name = item.kind === 'scalar' ? item.value : undefined;
    if (typeof name === 'string' && /^[\w.-]+$/.test(name)) return { name, location: locationOf(item) };
    const message = 'This kind of entry in `defaults` is not understood here; only plain names are.';
    this.#report('config/defaults', item, message, 'Name a file of the search path, without `.yaml`.');
    return undefined;
  }

  async #named(entry: DefaultsEntry, around: readonly string[]): Promise<MappingValue[]> {
    const { files, paths } = this.#context;
    for (const { folder } of this.#folders) {
      if (folder === undefined) continue;
      const file = paths.resolve(folder, `${entry.name}.yaml`);
      const text = await files.readText(file);
      if (text !== undefined) return this.#fromFile(file, text, entry, around);
    }
    return this.#bundled(entry);
  }

  async #fromFile(
    file: string,
    text: string,
    entry: DefaultsEntry,
    around: readonly string[],
  ): Promise<MappingValue[]> {
    if (around.includes(file)) {
      this.#problem(
        'config/defaults',
        entry.location,
        `\`${entry.name}\` leads back to itself.`,
        'Remove this entry.',
      );
      return [];
    }
    const { value, problems } = readLayer(file, parseConfig(text));
    this.problems.push(...problems);
    return this.collect(value, [...around, file]);
  }

  #bundled(entry: DefaultsEntry): MappingValue[] {
    const searched = this.#folders.map((folder) => folder.written).join(', ');
    if (!bundledNames.has(entry.name)) {
      const where =
        searched === '' ? 'there is no search path' : `no folder of the search path has it (${searched})`;
      const message = `\`${entry.name}\` of \`defaults\` was not found: ${where}.`;
      const hint = `Add the folder of ${entry.name}.yaml to \`hydra.searchpath\`, or remove the entry.`;
      this.#problem('config/defaults-missing', entry.location, message, hint);
      return [];
    }
    if (this.#folders.length > 0 && this.#folders.every((folder) => folder.folder !== undefined)) {
      const message = `No folder of the search path has ${entry.name}.yaml, so training would not start; AgentJet's own defaults stand in.`;
      const hint = 'Point `hydra.searchpath` at the `ajet/default_config` of a clone of AgentJet.';
      this.#problem('config/defaults-missing', entry.location, message, hint, 'warning');
    }
    return [bundledDefault(entry.name, ajetKeys())];
  }

  #report(code: string, value: Value, message: string, hint: string): void {
    this.#problem(code, locationOf(value), message, hint);
  }

  #problem(
    code: string,
    location: Location | undefined,
    message: string,
    hint: string,
    severity: ConfigProblem['severity'] = 'error',
  ): void {
    this.problems.push({ code, severity, message, hint, ...(location && { location }) });
  }
}

interface DefaultsEntry {
  readonly name: string;
  readonly location: Location | undefined;
}

/** Lists of defaults and Hydra's own section steer the composition and are no part of its result. */
function withoutSections(layer: MappingValue): MappingValue {
  const entries = new Map(layer.entries);
  entries.delete('defaults');
  entries.delete('hydra');
  return { ...layer, entries };
}

function locationOf(value: Value): Location | undefined {
  return value.origin.kind === 'file' ? value.origin.location : undefined;
}

function placeholderProblem(location: Location): ConfigProblem {
  return {
    code: 'config/placeholder',
    severity: 'error',
    message: "A template's placeholder stands here instead of a value.",
    location,
    hint: 'Replace `{{…}}` by a value.',
  };
}

function notAMapping(file: string): ConfigProblem {
  return {
    code: 'config/not-a-mapping',
    severity: 'error',
    message: 'A config has to be a mapping of sections.',
    location: { file, line: 1 },
    hint: 'Start it with `ajet:`.',
  };
}
