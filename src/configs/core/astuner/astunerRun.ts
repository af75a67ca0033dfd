import { bundledDefaults } from '../compose/bundledDefaults.ts';
import type { Composition } from '../compose.ts';
import { dialects } from '../dialect.ts';
import { Config } from '../effectiveConfig.ts';
import { astunerKeys } from '../key-tables/keyTable.ts';
import { movedLocator, movedReader } from '../migrate/migrateToAjet.ts';
import { mergeMappings, treeOf, type MappingValue, type Value } from '../value.ts';

const [ajet] = dialects;

const readerKeys: ReadonlySet<string> = new Set([
  'ajet.task_reader.type',
  'ajet.task_reader.data_generation.query_reader.type',
  'ajet.task_judge.rubrics_auto_grader.input_data_type',
]);

/**
 * Returns a composed ASTuner config as AgentJet reads it. `astuner` stays as it is, because workflows read it. `ajet`
 * is a copy with AgentJet's names for keys, readers and judges. Values keep their locations; errors use the names in
 * the file.
 */
export function astunerRun(composed: Composition): Composition {
  const { config } = composed;
  const section = config.at('astuner');
  if (section?.kind !== 'mapping') return composed;
  const renamed = renamedKeys(config);
  const parts = [treeOf('ajet', section), ...renamed.map(({ to, value }) => treeOf(to, value))];
  const root = parts.reduce(mergeMappings, mergeMappings(bundledDefaults(ajet), config.root));
  const names = new Map([
    ...astunerKeys().keys.map(({ path }) => [path.replace(/^astuner(?=\.|$)/, 'ajet'), path] as const),
    ...renamed.map(({ to, from }) => [to, from] as const),
  ]);
  return { ...composed, config: new Config(config.file, moved(root), names) };
}

interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly value: Value;
}

/** Keys that AgentJet has by another name. The name itself counts first, then the config's own, and of these the newest. */
function renamedKeys(config: Config): readonly Renamed[] {
  const found = astunerKeys().keys.flatMap(({ path, info }): Renamed[] => {
    const to = info?.successor;
    const value = to === undefined ? undefined : config.at(path);
    return to === undefined || value === undefined ? [] : [{ from: path, to, value }];
  });
  const isOwn = ({ origin }: Value): boolean =>
    origin.kind === 'file' && origin.location.file === config.file;
  const isBeaten = ({ to }: Renamed): boolean => {
    const current = config.at(to.replace(/^ajet\./, 'astuner.'));
    return current !== undefined && isOwn(current);
  };
  const ranked = found.filter((one) => !isBeaten(one));
  return [...ranked.filter(({ value }) => !isOwn(value)), ...ranked.filter(({ value }) => isOwn(value))];
}

/** With readers and built-in judges by the names that they have now. */
function moved(root: MappingValue): MappingValue {
  const visit = (value: Value, path: string): Value => {
    if (value.kind === 'mapping') {
      const entries = [...value.entries].map(([key, one]) => [key, visit(one, `${path}.${key}`)] as const);
      return { ...value, entries: new Map(entries) };
    }
    if (value.kind === 'sequence' || typeof value.value !== 'string') return value;
    if (readerKeys.has(path)) return { ...value, value: movedReader(value.value) };
    return value.value.includes('->') ? { ...value, value: movedLocator(value.value) } : value;
  };
  const section = root.entries.get('ajet');
  if (section === undefined) return root;
  return { ...root, entries: new Map([...root.entries, ['ajet', visit(section, 'ajet')]]) };
}
