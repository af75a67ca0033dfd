import { maskSource } from './maskSource.ts';

/** Where a script makes a job. */
export interface FoundJob {
  /** From 0. */
  readonly line: number;
}

const construction =
  /\bnew\s+(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s*\.\s*)?(?:AgentJetJob|AstunerJob)\s*\(/gu;

/** The jobs that a JavaScript or TypeScript text makes of the SDK's class, told by its name. */
export function scanJobs(text: string): FoundJob[] {
  if (!/(["'])agentjet\1/.test(text) || !/A(?:gentJet|stuner)Job/.test(text)) return [];
  const code = maskSource(text);
  return [...code.matchAll(construction)].map(({ index }) => ({
    line: code.slice(0, index).split('\n').length - 1,
  }));
}
