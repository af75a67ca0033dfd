import type { Location } from '../../../base/core/errors.ts';
import type { LocatorTarget } from '../code/classes.ts';
import type { ConfigContext } from '../context.ts';
import { rulesThatSet } from '../convert/conversionRules.ts';
import type { Span } from '../text.ts';
import { anchorOf } from './anchors.ts';
import { nodeAtOffset, spanOfPath, type NodeAtOffset } from './nodeAtOffset.ts';
import { layersNamed } from './layersNamed.ts';
import { interpolationAt, markAt } from './references.ts';

export interface Definition {
  /** The span of the reference. */
  readonly span: Span;
  /** Best first; never empty. */
  readonly targets: readonly Location[];
}

/**
 * Returns the definition of the text at an offset. Locators, paths, entries of `defaults`, `${…}` and aliases lead to
 * what they name. A key leads to what sets its effective value: the key that conversion uses instead, another file, or
 * itself.
 */
export function definitionAt(context: ConfigContext, offset: number): Definition | undefined {
  const { document } = context;
  const marked = markAt(document, offset);
  if (marked !== undefined) {
    const anchor = anchorOf(marked.marks, marked.mark);
    return anchor && here(context, marked.mark.span, anchor.span.start);
  }
  const interpolation = interpolationAt(document, offset);
  if (interpolation !== undefined) {
    const { use } = interpolation;
    return use && definition(use.span, [keyLocation(context, use.path)]);
  }
  const place = nodeAtOffset(document, offset);
  if (place === undefined) return undefined;
  const named = place.part === 'value' ? namedBy(context, place) : undefined;
  return named === undefined
    ? definition(place.span, setters(context, place))
    : definition(place.span, [named]);
}

function definition(span: Span, found: readonly (Location | undefined)[]): Definition | undefined {
  const targets = found.filter((target) => target !== undefined);
  return targets.length > 0 ? { span, targets } : undefined;
}

function here({ document, file }: ConfigContext, span: Span, offset: number): Definition {
  return { span, targets: [document.lines.location(file, offset)] };
}

function namedBy(context: ConfigContext, { node, span }: NodeAtOffset): Location | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  const layer = layersNamed(context).find((one) => one.span.start === span.start);
  if (layer !== undefined) return start(layer.file);
  const { references } = context;
  return targetLocation(references.locator(node.value)) ?? start(references.file?.(node.value));
}

function targetLocation(target: LocatorTarget | undefined): Location | undefined {
  if (target?.status === 'no-name') return start(target.file);
  if (target?.status !== 'found') return undefined;
  const { file, line, column } = target.site;
  return { file, line, column };
}

function start(file: string | undefined): Location | undefined {
  return file === undefined ? undefined : { file, line: 1, column: 1 };
}

/** The key of a path: in this text, else where the value comes from. */
function keyLocation(context: ConfigContext, path: readonly string[]): Location | undefined {
  const { document, file } = context;
  const span = spanOfPath(document, path);
  return span === undefined ? originOf(context, path) : document.lines.location(file, span.start);
}

function originOf({ composition }: ConfigContext, path: readonly (string | number)[]): Location | undefined {
  const origin = composition.config.get(path.join('.'))?.origin;
  return origin?.kind === 'file' ? origin.location : undefined;
}

/** Returns the locations that set the effective value of a key: other files first, then the key itself. */
function setters(context: ConfigContext, { path, span, entry }: NodeAtOffset): (Location | undefined)[] {
  const { document, file, composition } = context;
  const twins = rulesThatSet(path, composition.installed?.tables).flatMap(({ sources }) =>
    sources.map((source) => keyLocation(context, source.split('.'))),
  );
  const origin = originOf(context, path);
  const elsewhere = origin?.file === file ? undefined : origin;
  const own = entry?.keySpan ?? span;
  return [...twins, elsewhere, document.lines.location(file, own.start)];
}
