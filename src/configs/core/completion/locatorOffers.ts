import { builtInJudges, locatorOfJudge } from '../builtInJudges.ts';
import type { CodeSite } from '../code/classes.ts';
import type { ConfigEnvironment } from '../context.ts';
import type { LinedText } from '../text.ts';
import { unquoted } from './caret.ts';
import type { ValueCaret } from './caretTypes.ts';
import { sortKey, type Completion, type CompletionRequest } from './completion.ts';
import { valueCompletion } from './tableOffers.ts';

/** The workspace's classes as locators, those that fit the key first. */
export async function locatorOffers(
  document: LinedText,
  caret: ValueCaret,
  holds: 'workflow' | 'judge',
  { dialect, configEnvironment }: CompletionRequest,
): Promise<Completion[]> {
  const written = unquoted(document.text.slice(caret.span.start, caret.span.end));
  const sites = await configEnvironment.classes.all();
  const builtIn = holds === 'judge' && dialect.locatorKeys.length > 0 ? builtInOffers(document, caret) : [];
  const offered = sites.flatMap((site, index): Completion[] => {
    const text =
      dialect.locatorKeys.length > 0
        ? locatorOf(site, written, configEnvironment)
        : registryName(site, configEnvironment);
    if (text === undefined) return [];
    return [
      {
        ...valueCompletion(document, caret, text, true),
        kind: 'class',
        detail: detailOf(site),
        documentation: `\`${site.file}:${site.line}\``,
        sortText: sortKey(rankOf(site, holds), index),
      },
    ];
  });
  const own = new Set(offered.map(({ label }) => label));
  return [...offered, ...builtIn.filter(({ label }) => !own.has(label))];
}

/** Behind the workspace's own judges, before what is not seen to be one. */
function builtInOffers(document: LinedText, caret: ValueCaret): Completion[] {
  return builtInJudges.map((judge, index): Completion => ({
    ...valueCompletion(document, caret, locatorOfJudge(judge), true),
    kind: 'class',
    detail: 'built-in judge of AgentJet',
    documentation: judge.does,
    sortText: sortKey(0, 5_000 + index),
  }));
}

/** Python by its module, or by its file where a path is being written; TypeScript by its file. */
function locatorOf(
  site: CodeSite,
  written: string,
  configEnvironment: ConfigEnvironment,
): string | undefined {
  const relative = relativeFile(site, configEnvironment);
  if (relative === undefined) return undefined;
  const module = site.language === 'python' && !/\/|\.py/.test(written) ? moduleOf(relative) : undefined;
  return `${module ?? relative}->${site.name}`;
}

/** Returns the name for Trinity's registries: the registered name, or a dotted path. */
function registryName(site: CodeSite, configEnvironment: ConfigEnvironment): string | undefined {
  if (site.language !== 'python') return undefined;
  if (site.registered !== undefined) return site.registered;
  const module = moduleOf(relativeFile(site, configEnvironment) ?? '');
  return module === undefined ? undefined : `${module}.${site.name}`;
}

/** Undefined for what is not below the folder that training is started in. */
function relativeFile({ file }: CodeSite, { paths, cwd }: ConfigEnvironment): string | undefined {
  const relative = paths.relative(cwd, file).replaceAll('\\', '/');
  return relative.startsWith('../') || paths.isAbsolute(relative) ? undefined : relative;
}

function moduleOf(relative: string): string | undefined {
  const parts = relative.replace(/(?:\/__init__)?\.py$/, '').split('/');
  return parts.every((part) => /^[A-Za-z_]\w*$/.test(part)) ? parts.join('.') : undefined;
}

function detailOf({ kind, bases }: CodeSite): string {
  return bases.length === 0 ? kind : `${kind} of ${bases.join(', ')}`;
}

const baseNames = { workflow: /Workflow$/, judge: /Judge$/ };

/** Ranks a class by its known role, or else by its name and the names of its bases. */
function rankOf({ role, name, bases }: CodeSite, holds: 'workflow' | 'judge'): number {
  if (role === holds) return 0;
  if (role === 'neither' || role === 'workflow' || role === 'judge') return 2;
  return [name, ...bases].some((one) => baseNames[holds].test(one)) ? 0 : 1;
}
