import type { ClassFinder, CodeSite, LocatorTarget } from '../../../src/configs/core/code/classes.ts';
import { check, type CheckSettings } from '../../../src/configs/core/check.ts';
import type { ConfigContext } from '../../../src/configs/core/context.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import type { Finding, Fix } from '../../../src/configs/core/finding.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { readContext } from '../../../src/configs/core/readContext.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';
import { memoryFiles, posix } from './memoryFiles.ts';

export interface Around {
  readonly files?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** What locators lead to, by the name of the class. */
  readonly targets?: Readonly<Record<string, LocatorTarget>>;
}

export const lines = (...rows: string[]): string => `${rows.join('\n')}\n`;

/** What checking a text as `/project/conf/exp.yaml` looks at, when training is started in `/project`. */
export function contextOf(
  text: string,
  { files = {}, variables = {}, targets = {} }: Around = {},
): Promise<ConfigContext> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('The text is no config.');
  const classes: ClassFinder = {
    find: ({ name }) => Promise.resolve(targets[name] ?? { status: 'elsewhere' }),
    all: () => Promise.resolve([]),
  };
  return readContext(parseConfig(text), dialect, {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment: (name) => variables[name],
    classes,
  });
}

export async function findingsOf(
  text: string,
  around?: Around,
  settings?: CheckSettings,
): Promise<Finding[]> {
  return check(await contextOf(text, around), settings);
}

/** As `line severity rule: the text that is underlined`, those of some rules or of all. */
export async function told(text: string, around?: Around, ...rules: readonly string[]): Promise<string[]> {
  return (await findingsOf(text, around))
    .filter(({ rule }) => rules.length === 0 || rules.includes(rule))
    .map(({ range, severity, rule }) => {
      return `${range.start.line + 1} ${severity} ${rule}: ${text.slice(range.start.offset, range.end.offset)}`;
    });
}

export function fixNamed(findings: readonly Finding[], title: string): Fix {
  const fix = findings.flatMap((finding) => finding.fixes).find((offered) => offered.title === title);
  if (fix === undefined) throw new Error(`${title} is not offered`);
  return fix;
}

/** The text after the fix with this title. */
export async function fixed(text: string, title: string, around?: Around): Promise<string> {
  return applyEdits(text, fixNamed(await findingsOf(text, around), title).edits);
}

export function site(name: string, bases: readonly string[], file = '/project/agent.py'): CodeSite {
  return {
    name,
    kind: 'class',
    language: file.endsWith('.py') ? 'python' : 'typescript',
    file,
    line: 3,
    column: 7,
    bases,
  };
}
