import { stringify } from 'yaml';
import type { ConfigContext } from '../../../../src/configs/core/context.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import type { Finding } from '../../../../src/configs/core/finding.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { readContext } from '../../../../src/configs/core/readContext.ts';
import { crossKeyRules } from '../../../../src/configs/core/check.ts';
import { memoryFiles, posix } from '../memoryFiles.ts';

/** Values by dotted path; a number steps into a list. Undefined takes away what the base has. */
export type Values = Readonly<Record<string, unknown>>;

type Tree = Record<string, unknown> | unknown[];

/** A config as YAML in block style. */
export function yamlOf(values: Values): string {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values))
    if (value !== undefined) put(root, path.split('.'), value);
  return stringify(root, { lineWidth: 0 });
}

function put(root: Tree, path: readonly string[], value: unknown): void {
  let node: Tree = root;
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const next = last ? value : (childOf(node, step) ?? (/^\d+$/.test(path[index + 1] ?? '') ? [] : {}));
    if (Array.isArray(node)) node[Number(step)] = next;
    else node[step] = next;
    node = next as Tree;
  }
}

function childOf(node: Tree, step: string): Tree | undefined {
  const child = Array.isArray(node) ? node[Number(step)] : node[step];
  return typeof child === 'object' && child !== null ? (child as Tree) : undefined;
}

export interface Around {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A text as `/project/conf/exp.yaml` with what is around it. */
export async function contextOf(
  text: string,
  { files = {}, environment = {} }: Around = {},
): Promise<ConfigContext> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error(`This is in no dialect:\n${text}`);
  return readContext(parseConfig(text), dialect, {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment: (name) => environment[name],
    classes: { find: () => Promise.resolve({ status: 'elsewhere' }), all: () => Promise.resolve([]) },
  });
}

/** What the rules across keys find. */
export async function acrossFindings(text: string, around?: Around): Promise<Finding[]> {
  const context = await contextOf(text, around);
  return crossKeyRules.flatMap((rule) => rule(context));
}

/** A finding as `the line with «what is underlined» severity: message`. */
export function shownIn(text: string, { range, severity, message }: Finding): string {
  const { offset: start } = range.start;
  const { offset: end } = range.end;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const rest = text.indexOf('\n', end);
  const line = `${text.slice(from, start)}«${text.slice(start, end)}»${text.slice(end, rest === -1 ? undefined : rest)}`;
  return `${line.trim()} ${severity}: ${message}`;
}
