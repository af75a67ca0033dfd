import type { ConfigContext } from '../context.ts';
import { nodeAt, stepsOf, type NodePath } from '../node.ts';
import type { Value } from '../value.ts';

/** Something that follows from the config, to be shown behind the value at `path`. */
export interface Hint {
  readonly path: NodePath;
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
}

export type HintSource = (context: ConfigContext) => readonly Hint[];

/** Effective values for arithmetic. */
export class HintNumbers {
  readonly context: ConfigContext;

  constructor(context: ConfigContext) {
    this.context = context;
  }

  at(path: string): Value | undefined {
    return this.context.composition.config.at(path);
  }

  /** Returns the value of an integer or float key; undefined for other values. */
  number(path: string): number | undefined {
    const value = this.at(path);
    return value?.kind === 'scalar' && typeof value.value === 'number' ? value.value : undefined;
  }

  text(path: string): string | undefined {
    const value = this.at(path);
    return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
  }

  /** A number of things: a whole number above zero. */
  count(path: string): number | undefined {
    const value = this.number(path);
    return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  }

  isNull(path: string): boolean {
    const value = this.at(path);
    return value === undefined || (value.kind === 'scalar' && value.value === null);
  }

  /** Returns true if this file sets the value. */
  isTyped(path: string): boolean {
    return nodeAt(this.context.document.root, stepsOf(path)) !== undefined;
  }

  /** The first of some keys that this file writes, as a path. */
  anchor(paths: readonly string[]): NodePath | undefined {
    const found = paths.find((path) => this.isTyped(path));
    return found === undefined ? undefined : stepsOf(found);
  }
}

/** With commas between thousands. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
