import { baseOf, scanTypeScript } from './scanTypeScript.ts';
import { nodesNamed, parseScript, type ParsedText, type SyntaxNode } from './syntaxTree.ts';

/** A line of code that gets a code lens. */
export interface CodeLine {
  /** 0-based. */
  readonly line: number;
}

/** A class or function that a config can name in `ajet.rollout.user_workflow`. */
export interface WorkflowDeclaration extends CodeLine {
  /** The name after `->`; `default` for an anonymous default export. */
  readonly name: string;
  /** The offset of a class declaration (`export`, `class`, `const`, …), or of the name of a function. */
  readonly offset: number;
  /** The name that a config of Trinity-RFT uses. */
  readonly registered?: string;
}

const sdk = 'agentjet';

/**
 * Finds the classes of a JavaScript or TypeScript text that extend the SDK's `Workflow`, directly or through a class of
 * the same text, in order. A base class that is imported from another file of the user is not followed.
 */
export function scanWorkflows(text: string, parsed?: ParsedText): WorkflowDeclaration[] {
  return text.includes(sdk) && text.includes('extends') ? workflowsIn(parsed ?? parseScript(text)) : [];
}

function workflowsIn(parsed: ParsedText): WorkflowDeclaration[] {
  const bases = importedBases(parsed);
  if (bases.size === 0) return [];
  const classes = nodesNamed(parsed, 'ClassDeclaration', 'ClassExpression').flatMap(
    (node) => classOf(node, parsed.text) ?? [],
  );
  for (let before = -1; before !== bases.size;) {
    before = bases.size;
    for (const { name, base } of classes) if (bases.has(base)) bases.add(name);
  }
  return classes
    .filter(({ base, isAbstract }) => bases.has(base) && !isAbstract)
    .map(({ name, offset }) => ({ name, offset, line: lineOf(parsed.text, offset) }));
}

/** Returns the 0-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The names of the SDK's `Workflow` in a text: `Workflow`, an alias, or `namespace.Workflow`. */
function importedBases(parsed: ParsedText): Set<string> {
  const imported = [...scanTypeScript(parsed.text, parsed).hidden].flatMap(([name, binding]) => {
    if (binding.kind !== 'imported' || binding.module !== sdk) return [];
    if (binding.name === 'Workflow') return [name];
    return binding.name === undefined || binding.name === 'default' ? [`${name}.Workflow`] : [];
  });
  return new Set(imported);
}

interface ExtendingClass {
  readonly name: string;
  readonly offset: number;
  readonly base: string;
  readonly isAbstract: boolean;
}

function classOf(node: SyntaxNode, text: string): ExtendingClass | undefined {
  const base = baseOf(node, text);
  if (base === undefined) return undefined;
  const isAbstract = node.getChild('abstract') !== null;
  const definition = node.getChild('VariableDefinition');
  const { offset, name = definition === null ? 'default' : text.slice(definition.from, definition.to) } =
    placeOf(node, text);
  return { name, offset, base, isAbstract };
}

/** Returns the offset of the statement of a class, and the name that the statement gives to the class. */
function placeOf(node: SyntaxNode, text: string): { readonly offset: number; readonly name?: string } {
  // A default class without a name is parsed as `+class { }`.
  const parent = node.parent?.name === 'UnaryExpression' ? node.parent.parent : node.parent;
  const keyword = node.getChild('abstract') ?? node.getChild('class') ?? node;
  if (parent === null) return { offset: keyword.from };
  if (parent.name === 'ExportDeclaration') return { offset: parent.from };
  if (parent.name === 'VariableDeclaration' && node.prevSibling?.name === 'Equals') {
    const variable = parent.getChildren('VariableDefinition').findLast(({ to }) => to <= node.from);
    const name = variable === undefined ? undefined : text.slice(variable.from, variable.to);
    const start = parent.parent?.name === 'ExportDeclaration' ? parent.parent : parent;
    return { offset: start.from, ...(name !== undefined && { name }) };
  }
  const target = parent.name === 'AssignmentExpression' ? parent.firstChild : undefined;
  if (target?.name !== 'MemberExpression') return { offset: keyword.from };
  const property = target.getChild('PropertyName');
  const isExports = /^exports\s*\./.test(text.slice(target.from, target.to));
  const isNamed = isExports && property !== null;
  return { offset: target.from, ...(isNamed && { name: text.slice(property.from, property.to) }) };
}
