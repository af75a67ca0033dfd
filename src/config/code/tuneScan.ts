import { maskPython } from './maskPython.ts';
import { scanPython } from './scanPython.ts';

/** Where a script calls `tune`. */
export interface FoundTune {
  /** From 0. */
  readonly line: number;
}

/** The calls in a Python text of AgentScope's `tune`, by whatever name it imports it, and of the `tune` of a job. */
export function scanTuneCalls(text: string): FoundTune[] {
  if (!/\btune\b/.test(text)) return [];
  const names = /\bagentscope\b/.test(text) ? namesOfTune(text) : [];
  const calls = names.map((name) => `(?<![\\w.]|\\bdef\\s+)${name}\\s*\\(`);
  if (importsJob(text)) calls.push('\\.\\s*tune\\s*\\(');
  if (calls.length === 0) return [];
  const code = maskPython(text);
  return [...code.matchAll(new RegExp(calls.join('|'), 'gu'))].map(({ 0: { length }, index }) => ({
    // Of one that begins on an earlier line, where it is called.
    line: code.slice(0, index + length).split('\n').length - 1,
  }));
}

function importsJob(text: string): boolean {
  if (!/\b(?:AgentJetJob|AstunerJob)\b/.test(text)) return false;
  return [...scanPython(text).names.values()].some(
    (binding) => binding.kind === 'imported' && job.test(`${binding.module}.${binding.name ?? ''}`),
  );
}

const job = /^(?:ajet|astuner|agentscope_tuner)\.(?:.*\.)?(?:AgentJetJob|AstunerJob)$/;

const tuner = /^agentscope\.tuner?$/;

function namesOfTune(text: string): string[] {
  const { names, stars } = scanPython(text);
  const starred = stars.some((module) => tuner.test(module)) ? ['tune'] : [];
  const bound = [...names].flatMap(([name, binding]) => {
    if (binding.kind !== 'imported') return [];
    const { module, name: imported } = binding;
    if (tuner.test(module) && imported === 'tune') return [name];
    // `import agentscope.tuner as t`, `from agentscope import tuner`, and `import agentscope.tuner`
    if (imported === undefined ? tuner.test(module) : tuner.test(`${module}.${imported}`)) {
      return [`${name}\\s*\\.\\s*tune`];
    }
    if (module === 'agentscope' && imported === undefined) {
      return [`${name}\\s*\\.\\s*tuner?\\s*\\.\\s*tune`];
    }
    return [];
  });
  return [...starred, ...bound];
}
