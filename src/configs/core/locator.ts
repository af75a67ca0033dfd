/**
 * The locator of a user class: `<where>-><Name>`, where `where` is a file or a dotted Python module. As upstream, it
 * has exactly one `->`, and blanks are not trimmed.
 */
export interface Locator {
  readonly kind: 'file' | 'module' | 'trinity';
  /**
   * A path (kind `file`), or a dotted Python module, or the path of the taskset in a config of Trinity-RFT. For a
   * taskset, `name` is the name in Trinity's registry or a dotted path.
   */
  readonly where: string;
  readonly name: string;
}

/** A dotted module can be nothing else, and Trinity-RFT has no other workflows. */
export function isPython({ kind, where }: Locator): boolean {
  return kind !== 'file' || where.endsWith('.py');
}

export type LocatorResult =
  | { readonly ok: true; readonly locator: Locator }
  | { readonly ok: false; readonly problem: Readonly<Record<'code' | 'message' | 'hint', string>> };

const fileEnding = /\.(?:[mc]?ts|tsx|[mc]?js|py)$/;
const identifier = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const pythonModule = /^[\p{ID_Start}_]\p{ID_Continue}*(?:\.[\p{ID_Start}_]\p{ID_Continue}*)*$/u;

export function parseLocator(text: string): LocatorResult {
  const parts = text.split('->');
  const [where, name] = parts;
  if (parts.length !== 2 || where === undefined || name === undefined) {
    const found = parts.length === 1 ? 'has no `->`' : `has ${parts.length - 1} times \`->\``;
    return wrong(`\`${text}\` ${found}, so it does not name a class.`);
  }
  if (text !== text.trim() || where !== where.trim() || name !== name.trim()) {
    return wrong(`\`${text}\` contains a space in the wrong place.`);
  }
  if (where === '') return wrong(`\`${text}\` does not name the file or module of the class.`);
  if (!identifier.test(name)) return wrong(`\`${name}\` is not the name of a class.`);
  if (fileEnding.test(where)) return { ok: true, locator: { kind: 'file', where, name } };
  if (pythonModule.test(where)) return { ok: true, locator: { kind: 'module', where, name } };
  return wrong(`\`${where}\` is neither a file with a known extension nor a dotted Python module.`);
}

function wrong(message: string): LocatorResult {
  const hint =
    'Write <file or Python module>-><Name>, for example workflow.ts->MathAgentWorkflow or my_package.agent->MyWorkflow.';
  return { ok: false, problem: { code: 'config/locator', message, hint } };
}
