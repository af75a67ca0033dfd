import path from 'node:path';
import { findLocators } from '../config/findLocators.ts';

export interface WorkflowFile {
  /** Absolute. */
  readonly file: string;
  /** The names that the file exports. */
  readonly workflows: readonly string[];
  /** What a relative locator starts from, absolute, in the order they are tried. */
  readonly roots: readonly string[];
}

/** Whether a config, as written, has one of the workflows of a file in `ajet.rollout.user_workflow`. */
export function namesWorkflow(config: string, { file, workflows, roots }: WorkflowFile): boolean {
  const result = findLocators(config).userWorkflow?.result;
  if (result?.ok !== true || result.locator.kind !== 'file') return false;
  const { where, name } = result.locator;
  return workflows.includes(name) && roots.some((root) => isSamePath(path.resolve(root, where), file));
}

function isSamePath(a: string, b: string): boolean {
  return path.relative(a, b) === '';
}

/** The most recently used first, the others as they stand. */
export function mostRecentFirst(items: readonly string[], recent: readonly string[]): string[] {
  const rank = new Map(recent.map((item, index) => [item, index]));
  return [...items].sort((a, b) => (rank.get(a) ?? recent.length) - (rank.get(b) ?? recent.length));
}
