import { parseJson } from '../../core/shallowJson.ts';
import type { EditorApi } from '../transport/transport.ts';

/** Stores values across reloads of the page, by key. Values are JSON. */
export interface Memory {
  /** Returns a value; undefined: none. It is untrusted, because another version of the page may have written it. */
  read(key: string): unknown;
  write(key: string, value: unknown): void;
}

/** Stores in the state that VS Code keeps for a webview. */
export function editorMemory(editor: EditorApi): Memory {
  return memoryOf(editor.getState(), (state) => editor.setState(state));
}

/** Stores in the tab's session storage, if available. */
export function browserMemory(page: Window, trace: string): Memory {
  const name = `agentjet ${trace}`;
  try {
    const storage = page.sessionStorage;
    return memoryOf(parseJson(storage.getItem(name) ?? ''), (state) =>
      storage.setItem(name, JSON.stringify(state)),
    );
  } catch {
    return memoryOf(undefined, () => undefined); // it refuses to keep anything: until the reload, then
  }
}

function memoryOf(state: unknown, keep: (state: Readonly<Record<string, unknown>>) => void): Memory {
  let values = new Map<string, unknown>(
    typeof state === 'object' && state !== null ? Object.entries(state) : [],
  );
  return {
    read: (key) => values.get(key),
    write: (key, value) => {
      values = new Map(values).set(key, value);
      keep(Object.fromEntries(values));
    },
  };
}
