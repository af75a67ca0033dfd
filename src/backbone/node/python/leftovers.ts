import { randomBytes } from 'node:crypto';
import { killSurvivors, processesWith } from '../../../base/node/process/kill.ts';

const name = 'AGENTJET_RUN';
const value = randomBytes(8).toString('hex');

let isUsed = false;

/** For the environment of a run's Python, and so of whatever its code starts. */
export function runVariable(): Readonly<Record<string, string>> {
  isUsed = true;
  return { [name]: value };
}

/** Kills what Python code of this run has started, also where its parent has ended and nobody else would find it. */
export function killLeftovers(): void {
  // To look for them is to read every process's environment.
  if (isUsed) killSurvivors(processesWith(`${name}=${value}`));
}
