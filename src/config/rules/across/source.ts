import type { ConfigContext } from '../../context.ts';
import { valueAt, type Source } from './settings.ts';

/** The values below one section of the file. */
export function sectionSource({ composition, dialect }: ConfigContext, section: readonly string[]): Source {
  return {
    value: (path) => valueAt(composition.config.root, [...section, ...path]),
    places: (path) => [[...section, ...path]],
    info: (path) => dialect.keys().find([...section, ...path])?.info,
  };
}
