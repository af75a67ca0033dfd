import { LineMap } from '../text.ts';
import {
  nodeAfter,
  parsePython,
  parseScript,
  stringContent,
  walk,
  type ParsedText,
  type SyntaxNode,
} from './syntaxTree.ts';

/** The place of a tool in a text. Line and column are 1-based. */
export interface ToolLocation {
  readonly line: number;
  readonly column: number;
  /** The name of the function; null where the tool is only registered under its name. */
  readonly function: string | null;
}

/**
 * Returns where a text defines a tool: a function, method or property of its name; else a string with the name, as
 * registrations have it. Undefined where the text has neither.
 */
export function toolAt(
  text: string,
  name: string,
  language: 'python' | 'typescript',
): ToolLocation | undefined {
  if (name === '' || !text.includes(name)) return undefined;
  const parsed = language === 'python' ? parsePython(text) : parseScript(text);
  const definition = definitionAt(parsed, name);
  const offset = definition ?? registrationAt(parsed, name);
  if (offset === undefined) return undefined;
  const { line, character } = new LineMap(text).position(offset);
  return { line: line + 1, column: character + 1, function: definition === undefined ? null : name };
}

/** The offset of the name in its definition: of a function, else of a variable, else of a method or property. */
function definitionAt(parsed: ParsedText, name: string): number | undefined {
  const found: (number | undefined)[] = [];
  walk(parsed, (node) => {
    if (!definitionNodes.test(node.name) || parsed.text.slice(node.from, node.to) !== name) return;
    const rank = definitionRank(node);
    if (rank !== undefined) found[rank] ??= node.from;
  });
  return found.find((offset) => offset !== undefined);
}

const definitionNodes = /^(?:VariableName|VariableDefinition|PropertyDefinition)$/;

/** Returns how likely a name is the definition of a tool (0 is the most likely), or undefined for a mere use. */
function definitionRank(node: SyntaxNode): number | undefined {
  const { parent } = node;
  switch (parent?.name) {
    case 'FunctionDefinition':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return 0;
    case 'VariableDeclaration':
      return 1;
    case 'AssignStatement':
      // Only the first target, with or without a type.
      return node.prevSibling === null && parent.getChild('AssignOp') !== null ? 1 : undefined;
    case 'MethodDeclaration':
    case 'PropertyDeclaration':
      return 2;
    case 'Property': {
      const value = nodeAfter(parent.getChild(':'));
      const isLiteral = value !== undefined && literals.test(value.name);
      const isShorthand = parent.getChild(':') === null && parent.getChild('ParamList') === null;
      return isLiteral || isShorthand ? undefined : 2;
    }
    default:
      return undefined;
  }
}

const literals = /^(?:String|Number|BooleanLiteral|null)$/;

/** The offset in a string of exactly that name, first where the string is the value of something called `name`. */
function registrationAt(parsed: ParsedText, name: string): number | undefined {
  const { text } = parsed;
  let named: number | undefined;
  let other: number | undefined;
  walk(parsed, (node) => {
    if (!/^(?:FormatString|(?:Template)?String)$/.test(node.name)) return;
    if (stringContent(node, text) !== name) return;
    const offset = text.indexOf(name, node.from);
    if (/\bname["']?\s*[:=]\s*$/.test(text.slice(Math.max(0, node.from - 40), node.from))) named ??= offset;
    else other ??= offset;
  });
  return named ?? other;
}
