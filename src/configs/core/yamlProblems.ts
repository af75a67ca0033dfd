import { isCollection, isNode, isScalar, visit, type Document, type YAMLError } from 'yaml';

/** Messages by the YAML parser's error code, with what to do. */
const messages: Record<YAMLError['code'], string> = {
  ALIAS_PROPS: 'An alias (`*name`) takes no tag and no anchor.',
  BAD_ALIAS: 'This anchor or alias has no usable name.',
  BAD_COLLECTION_TYPE: 'This tag does not fit what follows it.',
  BAD_DIRECTIVE: 'This `%` directive is not understood.',
  BAD_DQ_ESCAPE: 'This escape is not valid between double quotes; write `\\\\` for a backslash.',
  BAD_INDENT: 'The indentation does not fit the lines around it.',
  BAD_PROP_ORDER: 'A tag or an anchor belongs behind the `-`, `?` or `:`.',
  BAD_SCALAR_START: 'A value cannot start with this character; put the value in quotes.',
  BLOCK_AS_IMPLICIT_KEY:
    'Two `:` in one line: put the value in quotes, or the inner key on a line of its own.',
  BLOCK_IN_FLOW: 'Between braces or brackets, values cannot be written as indented lines.',
  DUPLICATE_KEY: 'This key stands here twice.',
  IMPOSSIBLE: 'This cannot be read as YAML.',
  KEY_OVER_1024_CHARS: 'This key is too long.',
  MISSING_CHAR: 'A character is missing.',
  MULTILINE_IMPLICIT_KEY: 'A key has to stand on one line, with its `:`.',
  MULTIPLE_ANCHORS: 'A value takes one anchor only.',
  MULTIPLE_DOCS: 'A config is one document; remove what follows this `---`.',
  MULTIPLE_TAGS: 'A value takes one tag only.',
  NON_STRING_KEY: 'A key has to be a plain text.',
  RESOURCE_EXHAUSTION: 'Values are nested too deeply to be read.',
  TAB_AS_INDENT: 'YAML allows no tabs for indentation; use spaces.',
  TAG_RESOLVE_FAILED: 'This tag is not understood.',
  UNEXPECTED_TOKEN: 'This is not expected here.',
};

/** Messages of code MISSING_CHAR and others, by the wording of the YAML parser. */
const missing: readonly (readonly [RegExp, string])[] = [
  [/closing .quote/, 'The text that begins with this quote has no quote at its end.'],
  [/followed by map values/, 'A `:` is missing behind this key.'],
  [/map .*end with a \}/, 'This has no `}` at its end, or not all of it is indented deeper than its key.'],
  [
    /sequence .*end with a \]/,
    'This has no `]` at its end, or not all of it is indented deeper than its key.',
  ],
  [/without - indicator/, 'A list item has to start with `- `.'],
  [/space after :/, 'A blank is missing after the `:`.'],
  [/Comments must be separated/, 'A comment needs a blank before its `#`.'],
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

/** Returns which kind of end is missing according to a message of the YAML parser, or undefined. */
function unclosedKind(message: string): 'quote' | 'bracket' | undefined {
  if (/closing .quote/.test(message)) return 'quote';
  return /end with a [\]}]/.test(message) ? 'bracket' : undefined;
}
