import type { Location } from '../../../base/core/errors.ts';
import type { ClassFinder } from './classes.ts';
import type { Locator } from '../locator.ts';
import { LineMap } from '../text.ts';
import { childrenOf, nodesNamed, parsePython, parseScript, type SyntaxNode } from './syntaxTree.ts';

/**
 * Returns the location of a method of a class. For an inherited method this is the name of the class, and for a
 * function its name. If the text shows neither, it is the file. Never rejects.
 *
 * @param locator with an absolute file
 */
export async function locateMethod(
  { where, name, kind }: Locator,
  method: string,
  classes: ClassFinder,
  readText: (file: string) => Promise<string | undefined>,
): Promise<Location> {
  const target = await classes.find({ where, name, kind }, where);
  if (target.status !== 'found') return { file: where };
  const { file, line, column } = target.site;
  if (target.site.kind === 'function') return { file, line, column };
  const text = await readText(file).catch(() => undefined); // deleted, or not readable any more
  if (text === undefined) return { file };
  const lines = new LineMap(text);
  const classAt = lines.line(line - 1).start + column - 1;
  const offset =
    target.site.language === 'python'
      ? pythonMethodOffset(text, classAt, snakeCase(method))
      : methodOffset(text, classAt, method);
  if (offset === undefined) return { file, line, column };
  const position = lines.position(offset);
  return { file, line: position.line + 1, column: position.character + 1 };
}

/**
 * Returns the line of the first statement of a function, where a breakpoint stops in every call. Lines start at 1.
 *
 * @param line the line of the name of the function
 * @returns undefined if no function has its name in that line
 */
export function firstStatementLine(text: string, line: number, file: string): number | undefined {
  const isPython = file.endsWith('.py');
  const parsed = isPython ? parsePython(text) : parseScript(text);
  const lines = new LineMap(text);
  const lineAt = ({ from }: SyntaxNode): number => lines.position(from).line + 1;
  const functions = isPython
    ? nodesNamed(parsed, 'FunctionDefinition')
    : nodesNamed(parsed, 'MethodDeclaration', 'FunctionDeclaration');
  const found = functions.find((one) =>
    childrenOf(one).some((part) => isName(part) && lineAt(part) === line),
  );
  const body = found?.getChild(isPython ? 'Body' : 'Block');
  const statements = body === null || body === undefined ? [] : childrenOf(body);
  const first = statements.find((node) => !/^(?::|[{}])$/.test(node.name) && !isDocstring(node));
  return first && lineAt(first);
}

function isName({ name }: SyntaxNode): boolean {
  return name === 'VariableName' || name === 'VariableDefinition' || name === 'PropertyDefinition';
}

function isDocstring({ name, firstChild }: SyntaxNode): boolean {
  return name === 'ExpressionStatement' && firstChild?.name === 'String';
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the offset of a method's name in the Python class whose name is at an offset, if its own body has the method. */
function pythonMethodOffset(text: string, classAt: number, method: string): number | undefined {
  const parsed = parsePython(text);
  const owner = nodesNamed(parsed, 'ClassDefinition').find(
    (node) => node.getChild('VariableName')?.from === classAt,
  );
  const body = owner?.getChild('Body');
  const methods = body === null || body === undefined ? [] : functionsIn(body);
  return methods.find(({ from, to }) => text.slice(from, to) === method)?.from;
}

/** The names of the functions in a block, outside of other functions and classes. */
function functionsIn(block: SyntaxNode): SyntaxNode[] {
  return childrenOf(block).flatMap((node) => {
    if (node.name === 'FunctionDefinition') return node.getChild('VariableName') ?? [];
    return node.name === 'ClassDefinition' ? [] : functionsIn(node);
  });
}

function methodOffset(text: string, classAt: number, method: string): number | undefined {
  const parsed = parseScript(text);
  const body = nodesNamed(parsed, 'ClassBody').find(({ from }) => from >= classAt);
  for (const member of body === undefined ? [] : childrenOf(body)) {
    const name = member.getChild('PropertyDefinition');
    const isOther = ['static', 'get', 'set'].some((modifier) => member.getChild(modifier) !== null);
    if (name !== null && !isOther && text.slice(name.from, name.to) === method) return name.from;
  }
  return undefined;
}
