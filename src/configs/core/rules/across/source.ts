import type { ConfigContext } from '../../context.ts';
import type { KeyInfo, KeyTable } from '../../keyTable.ts';
import type { NodePath } from '../../node.ts';
import { valueAt, type Source } from './settings.ts';

/** The values below one section of the file. */
export function sectionSource({ composition, dialect }: ConfigContext, section: readonly string[]): Source {
  const root = valueAt(composition.config.root, section);
  const placed = placedBelow(dialect.keys(), section);
  return {
    value: (path) => valueAt(root, path),
    places: (path) => placed(path).places,
    info: (path) => placed(path).info,
  };
}

interface Placed {
  readonly places: readonly NodePath[];
  readonly info: KeyInfo | undefined;
}

/** Rules ask for the same paths at every change of a text, and where those are does not change with it. */
const remembered = new WeakMap<KeyTable, Map<string, WeakMap<NodePath, Placed>>>();

function placedBelow(table: KeyTable, section: readonly string[]): (path: NodePath) => Placed {
  const sections = remembered.get(table) ?? new Map<string, WeakMap<NodePath, Placed>>();
  remembered.set(table, sections);
  const name = section.join('.');
  const paths = sections.get(name) ?? new WeakMap<NodePath, Placed>();
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
