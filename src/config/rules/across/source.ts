import type { ConfigContext } from '../../context.ts';
import { valueAt, type Source } from './settings.ts';

/** The values below one section of the file. */
export function sectionSource({ composition, dialect }: ConfigContext, section: readonly string[]): Source {
  const root = valueAt(composition.config.root, section);
  return {
    value: (path) => valueAt(root, path),
    places: (path) => [[...section, ...path]],
    info: (path) => dialect.keys().find([...section, ...path])?.info,
  };
}
