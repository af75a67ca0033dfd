import type { ConfigContext } from '../../context.ts';
import type { KeyInfo, KeyTable } from '../../key-tables/keyTable.ts';
import type { NodePath } from '../../node.ts';
import { valueAt, type Source } from './settings.ts';

/** The values below one section of the file. */
export function sectionSource({ composition, dialect }: ConfigContext, section: readonly string[]): Source {
  const root = valueAt(composition.config.root, section);
  const placed = sectionKeys(dialect.keys(), section);
  return {
    value: (path) => valueAt(root, path),
    places: (path) => placed(path).places,
    info: (path) => placed(path).info,
  };
}

interface SectionKey {
  readonly places: readonly NodePath[];
  readonly info: KeyInfo | undefined;
}

/** Rules ask for the same paths at every change of a text, and where those are does not change with it. */
const remembered = new WeakMap<KeyTable, Map<string, WeakMap<NodePath, SectionKey>>>();

function sectionKeys(table: KeyTable, section: readonly string[]): (path: NodePath) => SectionKey {
  const sections = remembered.get(table) ?? new Map<string, WeakMap<NodePath, SectionKey>>();
  remembered.set(table, sections);
  const name = section.join('.');
  const paths = sections.get(name) ?? new WeakMap<NodePath, SectionKey>();
  sections.set(name, paths);
  return (path) => {
    const known = paths.get(path);
    if (known !== undefined) return known;
    const place = [...section, ...path];
    const placed = { places: [place], info: table.find(place)?.info };
    paths.set(path, placed);
    return placed;
  };
}
