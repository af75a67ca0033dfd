import type { Composition } from '../compose.ts';
import type { ConfigEnvironment } from '../context.ts';
import type { Dialect } from '../dialect.ts';
import type { TextEdit } from '../text.ts';

export interface CompletionRequest {
  readonly dialect: Dialect;
  readonly configEnvironment: ConfigEnvironment;
  /** The last composition of the config. If it is absent, the config is composed when it is needed. */
  readonly composition?: Composition;
}

export interface Completion {
  readonly label: string;
  readonly kind:
    | 'section'
    | 'key'
    | 'value'
    | 'snippet'
    | 'file'
    | 'folder'
    | 'class'
    | 'reference'
    | 'resolver';
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  readonly edit: TextEdit;
  /** True if the new text is a snippet: `${1:placeholder}`, with `\` before `$`, `}` and `\`. */
  readonly snippet: boolean;
  /** Put at the end of the list and struck out. */
  readonly deprecated: boolean;
  readonly sortText: string;
  readonly filterText: string;
  /** Once inserted, there is more to choose from at the caret. */
  readonly opensNext: boolean;
}

export function completion(
  given: Pick<Completion, 'label' | 'kind' | 'edit'> & Partial<Completion>,
): Completion {
  return {
    detail: '',
    documentation: '',
    snippet: false,
    deprecated: false,
    sortText: '',
    filterText: given.label,
    opensNext: false,
    ...given,
  };
}

/** A number as text that sorts like it. */
export function sortKey(...parts: readonly number[]): string {
  return parts.map((part) => String(part).padStart(4, '0')).join('');
}

/** A text as it is, in the syntax of snippets. */
export function snippetText(text: string): string {
  return text.replaceAll(/[\\$}]/g, String.raw`\$&`);
}
