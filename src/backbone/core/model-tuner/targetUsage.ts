import { CodedError } from '../../../base/core/errors.ts';
import type { Targets } from './routing.ts';

/** Compares the targets that the workflows of a run name with those that its agents use. */
export class TargetUsage {
  readonly #named = new Set<string>();
  readonly #used = new Set<string>();
  readonly #warn: (problem: CodedError) => void;
  #warnedOfEmpty = false;

  constructor(warn: (problem: CodedError) => void) {
    this.#warn = warn;
  }

  names(targets: Targets): void {
    for (const target of targets ?? []) this.#named.add(target);
    if (targets?.length !== 0 || this.#warnedOfEmpty) return;
    this.#warnedOfEmpty = true;
    this.#warn(emptyTargets());
  }

  uses(target: string): void {
    this.#used.add(target);
  }

  /** Warns about targets that no agent used. Call it at the end of the run. */
  close(): void {
    const unused = [...this.#named].filter((target) => !this.#used.has(target));
    if (unused.length > 0 && this.#used.size > 0) this.#warn(unusedTargets(unused, [...this.#used]));
  }
}

function emptyTargets(): CodedError {
  return new CodedError({
    code: 'model-tuner/empty-targets',
    message:
      'trainableTargets is an empty list, which AgentJet reads as all targets: every agent is trained.',
    hint: 'Set it to null for all targets, or name the targets to train.',
  });
}

function unusedTargets(unused: readonly string[], used: readonly string[]): CodedError {
  const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');
  const many = unused.length === 1 ? '' : 's';
  return new CodedError({
    code: 'model-tuner/unused-targets',
    message: `trainableTargets names the target${many} ${list(unused)}, but no agent of the run uses ${unused.length === 1 ? 'it' : 'them'}. Used targets: ${list(used)}.`,
    hint: 'Use the targetTag with which the adapter of an agent is created.',
  });
}
