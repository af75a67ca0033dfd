import { isCollection, isNode, isScalar, visit, type Document, type YAMLError } from 'yaml';

const messages: Record<YAMLError['code'], string> = {
  ALIAS_PROPS: 'An alias (`*name`) cannot have a tag or an anchor.',
  BAD_ALIAS: 'This anchor or alias does not have a valid name.',
  BAD_COLLECTION_TYPE: 'This tag does not match the value after it.',
  BAD_DIRECTIVE: 'This `%` directive is unknown.',
  BAD_DQ_ESCAPE: 'This escape is not valid in double quotes. Write `\\\\` for a backslash.',
  BAD_INDENT: 'The indentation does not match the lines around it.',
  BAD_PROP_ORDER: 'A tag or an anchor must follow the `-`, `?` or `:`.',
  BAD_SCALAR_START: 'A value cannot start with this character. Put the value in quotes.',
  BLOCK_AS_IMPLICIT_KEY:
    'There are two `:` in one line. Put the value in quotes, or put the inner key on a separate line.',
  BLOCK_IN_FLOW: 'Values in braces or brackets cannot be indented lines.',
  DUPLICATE_KEY: 'Duplicate key.',
  IMPOSSIBLE: 'This is not valid YAML.',
  KEY_OVER_1024_CHARS: 'This key is too long.',
  MISSING_CHAR: 'A character is missing.',
  MULTILINE_IMPLICIT_KEY: 'A key and its `:` must be on one line.',
  MULTIPLE_ANCHORS: 'A value can have only one anchor.',
  MULTIPLE_DOCS: 'A config is a single document. Remove the text after this `---`.',
  MULTIPLE_TAGS: 'A value can have only one tag.',
  NON_STRING_KEY: 'A key must be plain text.',
  RESOURCE_EXHAUSTION: 'Values are nested too deeply.',
  TAB_AS_INDENT: 'YAML does not allow tabs in the indentation. Use spaces.',
  TAG_RESOLVE_FAILED: 'This tag is unknown.',
  UNEXPECTED_TOKEN: 'This is not expected here.',
};

/** Messages of code MISSING_CHAR and others, by the wording of the YAML parser. */
const missing: readonly (readonly [RegExp, string])[] = [
  [/closing .quote/, 'The closing quote is missing.'],
  [/followed by map values/, 'A `:` is missing after this key.'],
  [/map .*end with a \}/, 'The closing `}` is missing, or a line is not indented deeper than its key.'],
  [/sequence .*end with a \]/, 'The closing `]` is missing, or a line is not indented deeper than its key.'],
  [/without - indicator/, 'A list item must start with `- `.'],
  [/space after :/, 'A space is missing after the `:`.'],
  [/Comments must be separated/, 'A comment needs a space before its `#`.'],
  [/^Missing ,/, 'A comma is missing between two entries.'],
];

export function syntaxMessage({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
  const known = missing.find(([wording]) => wording.test(message))?.[1];
  return known ?? messages[code];
}

/**
 * Returns a function that finds where an unclosed quote or bracket starts: the YAML parser reports it where the text
 * ends. The function returns undefined for other errors.
 */
export function unclosedStarts(document: Document): (error: YAMLError) => YAMLError['pos'] | undefined {
  let known: ReadonlyMap<string, number> | undefined;
  return ({ message, pos }) => {
    const kind = unclosedKind(message);
    if (kind === undefined) return undefined;
    known ??= startsByEnd(document);
    const start = known.get(`${kind} ${pos[0]}`);
    return start === undefined ? undefined : [start, start + 1];
  };
}

/** Maps the end of each quoted text and flow collection to its start; the innermost wins. */
function startsByEnd(document: Document): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  visit(document, (_, node) => {
    if (!isNode(node) || !node.range) return;
    const kind = closedKind(node);
    if (kind !== undefined) found.set(`${kind} ${node.range[1]}`, node.range[0]);
  });
  return found;
}

function closedKind(node: unknown): 'quote' | 'bracket' | undefined {
  if (isScalar(node)) return node.type?.startsWith('QUOTE') === true ? 'quote' : undefined;
  return isCollection(node) && node.flow === true ? 'bracket' : undefined;
}

function unclosedKind(message: string): 'quote' | 'bracket' | undefined {
  if (/closing .quote/.test(message)) return 'quote';
  return /end with a [\]}]/.test(message) ? 'bracket' : undefined;
}
