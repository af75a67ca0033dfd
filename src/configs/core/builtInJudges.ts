import { distance } from 'fastest-levenshtein';
import table from './data/built-in-judges.json' with { type: 'json' };
import type { Locator } from './locator.ts';

/** A judge of AgentJet's that runs here without its Python. */
export interface BuiltInJudge {
  readonly name: string;
  /** The modules of the class in AgentJet and its predecessors; the first is the current one. */
  readonly modules: readonly string[];
  /** Markdown. */
  readonly does: string;
}

export const builtInJudges: readonly BuiltInJudge[] = table.judges;

/** The judge that a locator of AgentJet's own names, by its module or by the file of that. */
export function builtInJudge({ kind, where, name }: Locator): BuiltInJudge | undefined {
  const module = kind === 'module' ? where : moduleOfFile(where);
  return builtInJudges.find((judge) => judge.name === name && judge.modules.includes(module));
}

/**
 * Returns the judge of AgentJet that a locator almost names. The name or the module differs in a few letters. Undefined
 * for a built-in judge itself, and for other modules.
 */
export function misspelledJudge(locator: Locator): BuiltInJudge | undefined {
  if (locator.kind !== 'module' || builtInJudge(locator) !== undefined) return undefined;
  const written = `${locator.where}->${locator.name}`;
  const candidates = builtInJudges.flatMap((judge) =>
    judge.modules.map((module) => ({ judge, slips: distance(`${module}->${judge.name}`, written) })),
  );
  const [best] = candidates.sort((a, b) => a.slips - b.slips);
  return best !== undefined && best.slips <= mostSlips ? best.judge : undefined;
}

/** The number of letters that differ in a typing error. */
const mostSlips = 3;

function moduleOfFile(file: string): string {
  const path = file.replaceAll('\\', '/').replace(/^\.\//, '');
  return path.endsWith('.py') ? path.slice(0, -'.py'.length).replaceAll('/', '.') : '';
}

export function locatorOfJudge({ name, modules }: BuiltInJudge): string {
  return `${modules[0] ?? ''}->${name}`;
}
