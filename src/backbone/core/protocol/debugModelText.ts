import type { ModelChoice } from './run.ts';

/**
 * The text of a debug model in launch configurations and on the command line. It is `embedded`, a script of the user, or
 * the base URL of an OpenAI-compatible server. `MODEL@` before the URL gives the name of the model on the server.
 */
export type DebugModelText =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'script'; readonly file: string }
  | { readonly kind: 'endpoint'; readonly baseUrl: string; readonly model: string };

/** With the paths and the key that its text leaves open. */
export function debugModelChoice(
  model: DebugModelText,
  resolve: (file: string) => string,
  apiKey: string | undefined,
): ModelChoice {
  if (model.kind === 'script') return { ...model, file: resolve(model.file) };
  return model.kind === 'endpoint' && apiKey !== undefined ? { ...model, apiKey } : model;
}

/**
 * Undefined for what is none of them.
 *
 * @param name what workflows call the model, and the server too unless the text says otherwise
 */
export function parseDebugModel(name: string, text: string): DebugModelText | undefined {
  if (text === 'embedded') return { kind: 'embedded' };
  const [, model, baseUrl] = /^(?:(.+?)@)?(https?:\/\/.+)$/i.exec(text) ?? [];
  if (baseUrl !== undefined) return { kind: 'endpoint', baseUrl, model: model ?? name };
  return /\.(?:[cm]?[jt]s|json)$/.test(text) ? { kind: 'script', file: text } : undefined;
}
