import type { Composition } from '../compose.ts';
import { type Layer, Merger } from '../compose/merger.ts';
import { compositionSections, withoutCompositionKeys } from '../compose/compositionKeys.ts';
import { Config } from '../effectiveConfig.ts';
import type { Environment } from '../interpolation/host.ts';
import { resolveInterpolations } from '../interpolation/resolver.ts';
import { runtimeResolvers } from '../interpolation/resolverDocs.ts';
import type { ConfigProblem } from '../finding.ts';
import { usualRelease, type Installed } from '../installed.ts';
import { type MappingValue, type RuleInput, type Value } from '../value.ts';
import { conversionRules, type ConversionRule } from './conversionRules.ts';
import { evaluateRule, type RuleFailure } from './evaluateRule.ts';
import { launches, type Launch, type LaunchTarget } from './launch.ts';
import { insertValue } from './insertValue.ts';
import { prepare } from './prepare.ts';

export interface Conversion {
  readonly target: LaunchTarget;
  /** The file of the conversion table, or the release of the built-in one. */
  readonly table: { readonly file?: string | undefined; readonly release: string };
  /** The config that the launcher passes to the backbone, with the origin of each value. */
  readonly root: MappingValue;
  /** Errors are what the launcher or the backbone would stop at. */
  readonly problems: readonly ConfigProblem[];
  /** The replaced values in the table's order, including defaults. */
  readonly replaced: readonly ReplacedValue[];
}

export interface ReplacedValue {
  readonly rule: ConversionRule;
  readonly was: Value;
  readonly becomes: Value;
}

const known = new WeakMap<object, Map<LaunchTarget, Conversion>>();

/**
 * Converts a config as upstream's launcher does, in these steps:
 * - the preparations: names of the run, without the defaults of the other backbone;
 * - for Trinity, the leaves of `trinity:` merged into the boot file;
 * - the conversion table, which overwrites the values of the user;
 * - the later changes of the launcher;
 * - `${…}`, which the launcher leaves to the backbone.
 * A config without its composition already has resolved values. Never throws.
 */
export function convert(source: Composition | Config, target: LaunchTarget): Conversion {
  const before = known.get(source) ?? new Map<LaunchTarget, Conversion>();
  known.set(source, before);
  const conversion = before.get(target) ?? new Converter(source, target).convert();
  before.set(target, conversion);
  return conversion;
}

/**
 * Returns the config as upstream's launcher composes it for a backbone, before the conversion. It has the names of
 * the run and no defaults of the other backbone. `${…}` is resolved.
 */
export function preparedConfig(
  composition: Composition,
  target: LaunchTarget,
  expDir: string | undefined,
): MappingValue {
  return new Converter(composition, target).prepared(expDir);
}

const configRules = { section: 'ajet', atRunTime: runtimeResolvers };

class Converter {
  readonly #target: LaunchTarget;
  readonly #launch: Launch;
  readonly #file: string;
  readonly #environment: Environment;
  /** Those that are left for this target; none where only the composed values are known. */
  readonly #layers: readonly Layer[];
  readonly #tables: Installed['tables'];
  readonly #reported: readonly ConfigProblem[];
  readonly #problems: ConfigProblem[] = [];
  readonly #replaced: ReplacedValue[] = [];
  #config: Config;

  constructor(source: Composition | Config, target: LaunchTarget) {
    this.#target = target;
    this.#launch = launches[target];
    const { leavesOut } = this.#launch;
    const composition = source instanceof Config ? undefined : source;
    this.#config = composition?.config ?? (source as Config);
    this.#file = this.#config.file;
    this.#environment = composition?.environment ?? 'blocked';
    this.#tables = composition?.installed?.tables ?? {};
    this.#reported = composition?.problems ?? [];
    this.#layers = (composition?.layers ?? []).filter(({ name }) => name !== leavesOut.name);
  }

  convert(): Conversion {
    const prepared = prepare(this.#composed(), this.#file, this.#launch, this.#target);
    this.#problems.push(...prepared.problems);
    this.#config = new Config(this.#file, prepared.root);
    let root = this.#base(prepared.root);
    for (const rule of conversionRules(this.#launch.table, this.#tables)) root = this.#apply(rule, root);
    for (const step of this.#launch.after) {
      const filled = step(root);
      root = filled.root;
      if (filled.problem === undefined) continue;
      this.#problem('convert/trainer-gpus', 'ajet.data.train_batch_size', filled.problem);
    }
    return {
      target: this.#target,
      table: { file: this.#tables[this.#launch.table]?.file, release: usualRelease('ajet') },
      root: this.#resolve(this.#composedAgain(root)),
      problems: this.#problems,
      replaced: this.#replaced,
    };
  }

  prepared(expDir: string | undefined): MappingValue {
    const { root } = prepare(this.#composed(), this.#file, this.#launch, this.#target, expDir);
    return resolveInterpolations(withoutCompositionKeys(root), this.#environment, configRules).root;
  }

  #base(config: MappingValue): MappingValue {
    const { base } = this.#launch;
    if (base === 'config') return config;
    const boot = base.boot();
    const own = config.entries.get(base.section);
    if (own === undefined) return boot;
    if (own.kind === 'mapping') return this.#lay(own, boot, base.section);
    this.#notASection(base.section, own, `merge \`${base.section}\` into its base`);
    return boot;
  }

  /** Leaf by leaf: a list or a null replaces what is below it, and so does nothing else. */
  #lay(over: MappingValue, below: MappingValue, path: string): MappingValue {
    const entries = new Map(below.entries);
    for (const [key, value] of over.entries) {
      const under = entries.get(key);
      const here = `${path}.${key}`;
      if (value.kind !== 'mapping') entries.set(key, value);
      else if (under === undefined || under.kind === 'mapping') {
        const empty: MappingValue = { kind: 'mapping', entries: new Map(), origin: value.origin };
        entries.set(key, this.#lay(value, under ?? empty, here));
      } else {
        const shown = under.kind === 'scalar' ? `\`${String(under.value)}\`` : 'a list';
        this.#problem('convert/not-a-section', here, {
          message: `\`${here}\` is a section, but the launcher's own file has ${shown} there, so the launcher stops.`,
          hint: `Set \`${here}\` to a single value, or remove it.`,
        });
      }
    }
    return { ...below, entries };
  }

  #apply(rule: ConversionRule, root: MappingValue): MappingValue {
    const { value, failure, inputs } = evaluateRule(rule, this.#config);
    if (value === undefined) {
      if (failure !== undefined) this.#failed(rule, failure, inputs);
      return root;
    }
    const placed = insertValue(root, rule.target.split('.'), value, value.origin);
    if (!placed.ok) {
      this.#notASection(placed.blocked.join('.'), placed.by, `set \`${rule.target}\``);
      return root;
    }
    if (placed.was !== undefined) this.#replaced.push({ rule, was: placed.was, becomes: value });
    return placed.root;
  }

  #failed(rule: ConversionRule, { missing, path, message }: RuleFailure, inputs: readonly RuleInput[]): void {
    if (missing !== undefined) {
      if (this.#isPlaceholder(path)) return;
      const need = `the launcher needs it for \`${rule.target}\` of ${this.#target} and stops`;
      this.#problem('convert/missing', path, {
        message: `${message.replace(/\.$/, '')}, but ${need}.`,
        hint: `Set \`${path}\`.`,
      });
      return;
    }
    this.#problem('convert/expression', path, {
      message: `${message} The launcher cannot set \`${rule.target}\` of ${this.#target}.`,
      hint: `Set ${inputs.map((input) => `\`${input.path}\``).join(', ')} to numbers that fit.`,
    });
  }

  /** Returns true for a template's placeholder, which counts as null and was reported by composing. */
  #isPlaceholder(path: string): boolean {
    const { line, column } = this.#config.locate(path);
    return this.#reported.some(({ code, location }) => {
      return code === 'config/placeholder' && location?.line === line && location?.column === column;
    });
  }

  /** Returns the merged layers of this target, with `${…}` as written. */
  #composed(): MappingValue {
    const { root } = this.#config;
    if (this.#layers.length === 0) return root;
    const merged = this.#merged(this.#layers.map(({ value }) => value));
    return { ...merged, entries: new Map([...merged.entries, ...compositionSections(root)]) };
  }

  /**
   * Composes the passed config once more, as the backbone does. Defaults that a replaced section does not have come
   * back, and a layer above the config's own wins over converted values.
   */
  #composedAgain(root: MappingValue): MappingValue {
    if (this.#launch.base !== 'config' || this.#layers.length === 0) return root;
    return this.#merged(this.#layers.map(({ name, value }) => (name === '_self_' ? root : value)));
  }

  #merged(layers: readonly MappingValue[]): MappingValue {
    // Composing already reported values that cannot be merged.
    const merger = new Merger(this.#config.root.origin, this.#environment, this.#rules(), () => undefined);
    for (const layer of layers) merger.add(layer);
    return merger.root;
  }

  #rules(): { section: string | undefined; atRunTime: readonly string[] } {
    return this.#launch.base === 'config' ? configRules : { section: undefined, atRunTime: [] };
  }

  /** Resolves `${…}` in the new file, because the launcher writes interpolations unchanged. */
  #resolve(root: MappingValue): MappingValue {
    const own = withoutCompositionKeys(root);
    const { root: resolved, problems } = resolveInterpolations(own, this.#environment, this.#rules());
    // What composing has said already is not said again.
    if (this.#launch.base !== 'config' && problems.length > 0) {
      const located = resolveInterpolations(asWritten(own), this.#environment, this.#rules());
      this.#problems.push(...located.problems.map((problem) => inNewFile(problem, this.#target)));
    }
    const kept = [...root.entries].map(([key, value]) => [key, resolved.entries.get(key) ?? value] as const);
    return { ...root, entries: new Map(kept) };
  }

  #notASection(path: string, by: Value, wanted: string): void {
    const shown =
      by.kind === 'sequence' ? 'a list' : by.kind === 'scalar' ? `\`${String(by.value)}\`` : 'a section';
    const location = by.origin.kind === 'file' ? by.origin.location : { file: this.#file };
    this.#problems.push({
      code: 'convert/not-a-section',
      severity: 'error',
      message: `\`${path}\` is ${shown} and not a section, so the launcher stops when it tries to ${wanted}.`,
      hint: `Make \`${path}\` a section, or remove it.`,
      location,
    });
  }

  #problem(code: string, path: string, what: Pick<ConfigProblem, 'message' | 'hint'>): void {
    this.#problems.push({ code, severity: 'error', location: this.#config.locate(path), ...what });
  }
}

/** With copied texts as coming from where they were written, which is what problems with them point at. */
function asWritten(value: MappingValue): MappingValue {
  const entries = [...value.entries].map(([key, child]): [string, Value] => {
    if (child.kind === 'mapping') return [key, asWritten(child)];
    const written = child.origin.kind === 'rule' ? child.origin.inputs[0]?.value.origin : undefined;
    return [key, written === undefined ? child : { ...child, origin: written }];
  });
  return { ...value, entries: new Map(entries) };
}

/**
 * Returns a problem of the new file. Only the environment of this machine can miss a variable. No key of the config
 * is in the file of the backbone.
 */
function inNewFile(problem: ConfigProblem, target: LaunchTarget): ConfigProblem {
  return {
    ...problem,
    severity: problem.code.startsWith('config/environment') ? 'warning' : 'error',
    message: `In the config that the launcher passes to ${target}: ${problem.message}`,
  };
}
