/** The part of SARIF 2.1.0 that is used here, as JSON Schema; what the standard does not know is refused. */
function object(properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 0 };
const position = { type: 'integer', minimum: 1 };
const level = { enum: ['none', 'note', 'warning', 'error'] };
const message = object({ text });
const list = (items: object): object => ({ type: 'array', items });

const artifactLocation = object({ uri: { type: 'string', pattern: '^[^ \\\\]+$' }, uriBaseId: text }, [
  'uri',
]);
const region = object({ startLine: position, startColumn: position, endLine: position, endColumn: position });
const location = object({
  physicalLocation: object({ artifactLocation, region }, ['artifactLocation']),
});
const replacement = object(
  { deletedRegion: object({ charOffset: count, charLength: count }), insertedContent: object({ text }) },
  ['deletedRegion'],
);
const fix = object({
  description: message,
  artifactChanges: list(object({ artifactLocation, replacements: { ...list(replacement), minItems: 1 } })),
});
const rule = object({
  id: text,
  shortDescription: message,
  fullDescription: message,
  help: object({ text, markdown: text }),
  defaultConfiguration: object({ level }),
});
const result = object(
  { ruleId: text, ruleIndex: count, level, message, locations: list(location), fixes: list(fix) },
  ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
);
const notification = object({ level, message, locations: list(location) }, ['message']);
const invocation = object(
  { executionSuccessful: { type: 'boolean' }, toolExecutionNotifications: list(notification) },
  ['executionSuccessful'],
);

export const sarifLog = object({
  $schema: text,
  version: { const: '2.1.0' },
  runs: list(
    object({
      tool: object({ driver: object({ name: text, rules: list(rule) }) }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      originalUriBaseIds: {
        type: 'object',
        additionalProperties: object({ uri: { type: 'string', pattern: '/$' } }),
      },
      invocations: list(invocation),
      results: list(result),
    }),
  ),
});
