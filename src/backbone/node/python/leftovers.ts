import { randomBytes } from 'node:crypto';
import { killSurvivors, processesWith } from '../../../base/node/process/kill.ts';

const name = 'AGENTJET_RUN';
const value = randomBytes(8).toString('hex');

let isUsed = false;

/** Returns a variable for the environment of a run's Python, which its child processes inherit. */
export function runVariable(): Readonly<Record<string, string>> {
  isUsed = true;
  return { [name]: value };
}

/** Kills processes that this run's Python code started, even if their parent has ended. */
export function killLeftovers(): void {
  // The search reads the environment of every process.
  if (isUsed) killSurvivors(processesWith(`${name}=${value}`));
}
