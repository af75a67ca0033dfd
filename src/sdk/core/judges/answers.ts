import { pythonStrip } from '../../../base/core/pythonText.ts';

/** What the first `\boxed{…}` holds, up to the first `}`: of nested braces only a part, as upstream. */
export function boxed(text: string): string | undefined {
  return /\\boxed\{([^}]*)\}/.exec(text)?.[1];
}

/** The text behind the last `####`, without blanks at its ends. */
export function referenceAnswer(answer: string): string {
  return pythonStrip(answer.split('####').at(-1) ?? '');
}
