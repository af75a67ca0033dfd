import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { withPathMapping } from '../../../src/sdk/editor/tsconfigText.ts';

const places = ['./types.d.ts'];
const add = (text: string): string | undefined => withPathMapping(text, 'sdk', places);
const entry = '{ "sdk": [ "./types.d.ts" ] }';

describe('a path mapping in a tsconfig.json', () => {
  test.each([
    ['{}', `{ "compilerOptions": { "paths": ${entry} } }`],
    ['{ "compilerOptions": {} }', `{ "compilerOptions": { "paths": ${entry} } }`],
    ['{"files":[]}', `{"files":[], "compilerOptions": { "paths": ${entry} } }`],
    [
      '{\n  "compilerOptions": {\n    "strict": true // always\n  }\n}\n',
      `{\n  "compilerOptions": {\n    "strict": true, // always\n    "paths": ${entry}\n  }\n}\n`,
    ],
    [
      '{\n\t"compilerOptions": {\n\t\t"strict": true, // always, really\n\t},\n}\n',
      `{\n\t"compilerOptions": {\n\t\t"strict": true, // always, really\n\t\t"paths": ${entry}\n\t},\n}\n`,
    ],
    [
      '{\r\n  "compilerOptions": {\r\n    // nothing yet\r\n  }\r\n}\r\n',
      `{\r\n  "compilerOptions": {\r\n    // nothing yet\r\n    "paths": ${entry}\r\n  }\r\n}\r\n`,
    ],
    [
      '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
      '{"compilerOptions":{"paths":{"@/*":["./*"], "sdk": [ "./types.d.ts" ] }}}',
    ],
  ])('is added to %j', (text, expected) => {
    const changed = add(text);
    expect(changed).toBe(expected);
    const read = parse(changed ?? '', undefined, { allowTrailingComma: true }) as {
      compilerOptions: { paths: Record<string, unknown> };
    };
    expect(read.compilerOptions.paths['sdk']).toEqual(places);
    expect(add(expected)).toBe(expected);
  });

  test('takes the place of another', () => {
    const text = '{ "compilerOptions": { "paths": { "sdk": ["./old.d.ts"] /* ours */ } } }';
    expect(add(text)).toMatch(/"sdk": *\[ *"\.\/types\.d\.ts" *\] \/\* ours \*\//);
  });

  test.each([
    '',
    '{',
    '[]',
    '"text"',
    '{ "compilerOptions": [] }',
    '{ "compilerOptions": { "paths": null } }',
  ])('is not added to %j', (text) => {
    expect(add(text)).toBeUndefined();
  });
});
