import { isFailure, templateOf } from '../interpolation/grammar.ts';
import type { ConfigDocument } from '../parse.ts';
import type { LocatedProblem } from '../finding.ts';
import { resolvePlain } from '../scalar.ts';
import { fromNode, isSettled, locationOf, type MappingValue, type Value } from '../value.ts';
import type { Location } from '../../../base/core/errors.ts';

export interface LayerRules {
  /** True if a duplicate key is an error. It is in every file except for one that a launcher has rewritten. */
  readonly strict: boolean;
}

/** A file read as far as it goes: what is in it, and what is wrong with it. A file without a value is an empty mapping. */
export function readLayer(
  file: string,
  document: ConfigDocument,
  { strict }: LayerRules,
): { value: Value; problems: LocatedProblem[] } {
  const problems = document.problems.map(({ rule, severity, message, span }): LocatedProblem => {
    const refused = severity === 'error' || (strict && rule === 'duplicate-key');
    return {
      code: `config/${rule}`,
      severity: refused ? 'error' : severity,
      message,
      location: document.lines.location(file, span.start),
      hint: rule === 'duplicate-key' ? 'Remove one of the two.' : 'Correct this place.',
    };
  });
  const placeholders: Location[] = [];
  const { root, lines, text } = document;
  const value = root && fromNode(root, { file, lines, text }, (location) => placeholders.push(location));
  if (!problems.some((problem) => problem.severity === 'error')) {
    problems.push(...placeholders.map(placeholderProblem));
  }
  if (value !== undefined) collectBroken(value, problems);
  const origin = { kind: 'file', location: { file } } as const;
  return { value: value ?? { kind: 'mapping', entries: new Map(), origin }, problems };
}

/** Loading refuses what is no whole interpolation, and a key that is null, wherever they stand. */
function collectBroken(value: Value, problems: LocatedProblem[]): void {
  if (isSettled(value)) return;
  if (value.kind === 'mapping') {
    for (const child of value.entries.values()) collectBroken(child, problems);
    for (const key of value.otherKeys ?? [])
      if (resolvePlain(key).type === 'null') problems.push(nullKey(value, key));
  }
  if (value.kind === 'sequence') for (const item of value.items) collectBroken(item, problems);
  if (value.kind !== 'scalar' || typeof value.value !== 'string' || !value.value.includes('${')) return;
  const parsed = templateOf(value);
  if (isFailure(parsed)) problems.push(brokenProblem(value, value.value, parsed.at));
}

function nullKey(section: MappingValue, key: string): LocatedProblem {
  const child = section.entries.get(key);
  const location = locationOf(child ?? section);
  return {
    code: 'config/key',
    severity: 'error',
    message: 'A key cannot be null.',
    hint: key === '' ? 'Write the key.' : `Quote it: \`'${key}'\`.`,
    ...(location && { location }),
  };
}

function brokenProblem({ origin }: Value, text: string, at: number): LocatedProblem {
  const start = Math.max(0, text.lastIndexOf('${', at));
  const open = !text.slice(start).includes('}');
  const shown = text.length > 60 ? `${text.slice(start, start + 60)}…` : text;
  return {
    code: 'config/interpolation',
    severity: 'error',
    message: open
      ? `The closing \`}\` of \`\${\` in \`${shown}\` is missing.`
      : `The interpolation in \`${shown}\` is not valid.`,
    hint: open
      ? 'Add the closing `}`, or write `\\${` for the characters themselves.'
      : 'Write `${section.key}`, or `\\${` for the characters themselves.',
    ...(origin.kind === 'file' && { location: origin.location }),
    inside: { start, end: text.length },
  };
}

function placeholderProblem(location: Location): LocatedProblem {
  return {
    code: 'config/placeholder',
    severity: 'error',
    message: 'The value is a placeholder of a template.',
    location,
    hint: 'Replace `{{…}}` with a value.',
  };
}
