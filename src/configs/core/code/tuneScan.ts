import type { ModuleScan } from './moduleScan.ts';
import { scanPython } from './scanPython.ts';
import {
  dottedPath,
  lineOf,
  nodesNamed,
  parsePython,
  partsOf,
  type CodeLine,
  type SyntaxNode,
} from './syntaxTree.ts';

interface TuneCallLine extends CodeLine {
  /** The names of its arguments; undefined for the `tune` of a job. */
  readonly given: readonly string[] | undefined;
}

/** Finds the calls of AgentScope's `tune` in a Python text, by any name, and those of the `tune` of a job. */
export function scanTuneCalls(text: string): TuneCallLine[] {
  const mayImport = /\bagentscope\b/.test(text);
  const mayHaveJob = /\b(?:AgentJetJob|AstunerJob)\b/.test(text);
  if (!/\btune\b/.test(text) || !(mayImport || mayHaveJob)) return [];
  const parsed = parsePython(text);
  const scan = scanPython(text, parsed);
  const names = new Set(namesOfTune(scan));
  const hasJob = jobClasses(scan).length > 0;
  return nodesNamed(parsed, 'CallExpression').flatMap(({ firstChild: callee, lastChild: list }) => {
    if (callee === null || list === null) return [];
    const property = callee.name === 'MemberExpression' ? callee.getChild('PropertyName') : null;
    const isOfJob = hasJob && property !== null && text.slice(property.from, property.to) === 'tune';
    const isCall = isOfJob || names.has(dottedPath(callee, text) ?? '');
    // The line of the bracket: a chain of calls begins on an earlier line.
    if (!isCall) return [];
    return [{ line: lineOf(text, list.from), given: isOfJob ? undefined : givenNames(list, text) }];
  });
}

/** Returns the names of the keyword arguments of each `AgentJetJob` that a Python text creates. */
export function scanJobArguments(text: string): (readonly string[])[] {
  if (!/\b(?:AgentJetJob|AstunerJob)\b/.test(text)) return [];
  const parsed = parsePython(text);
  const classes = jobClasses(scanPython(text, parsed));
  return nodesNamed(parsed, 'CallExpression').flatMap(({ firstChild: callee, lastChild: list }) => {
    const isJob = callee !== null && list !== null && classes.includes(dottedPath(callee, text) ?? '');
    return isJob ? [givenNames(list, text)] : [];
  });
}

function givenNames(list: SyntaxNode, text: string): string[] {
  return partsOf(list).flatMap(([name, next]) =>
    name !== undefined && next?.name === 'AssignOp' ? [text.slice(name.from, name.to)] : [],
  );
}

const job = /^(?:ajet|astuner|agentscope_tuner)\.(?:.*\.)?(?:AgentJetJob|AstunerJob)$/;

function jobClasses({ names }: ModuleScan): string[] {
  return [...names].flatMap(([name, binding]) =>
    binding.kind === 'imported' && job.test(`${binding.module}.${binding.name ?? ''}`) ? [name] : [],
  );
}

const tuner = /^agentscope\.tuner?$/;

function namesOfTune({ names, stars }: ModuleScan): string[] {
  const starred = stars.some((module) => tuner.test(module)) ? ['tune'] : [];
  const bound = [...names].flatMap(([name, binding]) => {
    if (binding.kind !== 'imported') return [];
    const { module, name: imported } = binding;
    if (tuner.test(module) && imported === 'tune') return [name];
    // `import agentscope.tuner as t`, `from agentscope import tuner`, and `import agentscope.tuner`
    if (imported === undefined ? tuner.test(module) : tuner.test(`${module}.${imported}`)) {
      return [`${name}.tune`];
    }
    const isPackage = module === 'agentscope' && imported === undefined;
    return isPackage ? [`${name}.tune.tune`, `${name}.tuner.tune`] : [];
  });
  return [...starred, ...bound];
}
