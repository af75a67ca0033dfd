/**
 * Writes the reference pages in docs/: rules, findings, errors, settings, launch configurations and the command line.
 *
 *   node test/tools/referenceDocs.ts --update
 *
 * Without --update the exit code says whether the pages are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { format } from 'oxfmt';
import { buildProgram } from '../../src/command/cli/program.ts';
import { ruleDocs } from '../../src/configs/core/rules/ruleDocs.ts';
import { findingDocs } from '../../src/tracking/core/findingDocs.ts';
import { errorDocs } from './errorDocs.ts';
import { manifestIn } from './translations.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/** The part of a JSON Schema that package.json uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly enumDescriptions?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly deprecationMessage?: string;
  readonly markdownDeprecationMessage?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Manifest {
  readonly contributes: {
    /** One group, or several. */
    readonly configuration: Schema | readonly Schema[];
    readonly debuggers: readonly {
      readonly type: string;
      readonly configurationAttributes?: { readonly launch: Schema };
    }[];
  };
}

const pages = {
  rules: ruleDocs,
  findings: findingDocs,
  errors: errorDocs,
  settings: settingsPage,
  'launch-json': launchPage,
  'command-line': commandLinePage,
} as const;

export type ReferencePage = keyof typeof pages;

/** Returns the text of a page as its file must be. */
export async function referencePage(name: ReferencePage): Promise<string> {
  const { code } = await format(fileOf(name), pages[name]());
  return code;
}

/** Returns the text of a page as it is in docs/; empty if the file is missing. */
export function writtenPage(name: ReferencePage): string {
  try {
    return readFileSync(fileOf(name), 'utf8');
  } catch {
    return '';
  }
}

function fileOf(name: ReferencePage): string {
  return path.join(root, `docs/${name}.md`);
}

function settingsPage(): string {
  const groups = [(manifestIn() as Manifest).contributes.configuration].flat();
  const settings = groups
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([, { markdownDeprecationMessage }]) => markdownDeprecationMessage === undefined);
  return [
    '# Settings',
    '',
    'All settings of the extension. Each one can be set for the user, a workspace or a folder of the workspace.',
    'See [Choose the model](choose-the-model.md) and [Python environments](python-environments.md) for the two that people',
    'change first.',
    '',
    ...settings.flatMap(([name, schema]) => [`## \`${name}\``, '', ...described(schema), '']),
  ].join('\n');
}

function launchPage(): string {
  const { debuggers } = (manifestIn() as Manifest).contributes;
  const launch = debuggers.find(({ type }) => type === 'agentjet')?.configurationAttributes?.launch ?? {};
  const { properties = {}, required = [] } = launch;
  return [
    '# launch.json',
    '',
    'All attributes of a launch configuration of type `agentjet`. Only `config` is required:',
    '',
    '```json',
    '{',
    '  "type": "agentjet",',
    '  "request": "launch",',
    '  "name": "Debug episodes",',
    '  "config": "${workspaceFolder}/math_agent.yaml",',
    '  "tasks": 2',
    '}',
    '```',
    '',
    'You do not need a `launch.json` to start: see [Debug a workflow](debug-a-workflow.md).',
    '',
    ...Object.entries(properties)
      .filter(([, { deprecationMessage }]) => deprecationMessage === undefined)
      .flatMap(([name, schema]) => [`## \`${name}\``, '', ...described(schema, required.includes(name)), '']),
  ].join('\n');
}

/** Returns the description of a setting or attribute, its type and default, its values and its own properties. */
function described(schema: Schema, isRequired = false): readonly string[] {
  const { type, properties = {}, enum: values, enumDescriptions = [], required = [] } = schema;
  const text = schema.markdownDescription ?? schema.description ?? '';
  const facts = [
    `Type: ${[type ?? 'string'].flat().join(' or ')}.`,
    ...(isRequired ? ['Required.'] : []),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`]),
  ];
  // A map with an entry for every rule is the page of the rules.
  const nested =
    Object.keys(properties).length > 20
      ? []
      : Object.entries(properties).filter(([, inner]) => inner.deprecationMessage === undefined);
  return [
    text.replaceAll(/`#([\w.]+)#`/g, '`$1`'),
    '',
    facts.join(' '),
    '',
    ...(values ?? []).map((value, index) => `- \`${String(value)}\`: ${enumDescriptions[index] ?? ''}`),
    ...nested.map(([name, inner]) => nestedItem(name, inner, required.includes(name))),
    ...(nested.length < Object.keys(properties).length ? ['The keys are the [rules](rules.md).'] : []),
  ];
}

function nestedItem(
  name: string,
  { type, description = '', enum: values, items }: Schema,
  isRequired: boolean,
): string {
  const allowed = values ?? items?.enum;
  const choices =
    allowed === undefined ? '' : ` One of ${allowed.map((value) => `\`${String(value)}\``).join(', ')}.`;
  return `- \`${name}\` (${[type ?? 'string'].flat().join(' or ')}${isRequired ? ', required' : ''}): ${description}${choices}`;
}

/** Returns the help of every command, parents first. */
function commandLinePage(): string {
  return [
    '# Command line',
    '',
    'The help text of each command. See [Get started](get-started.md#the-command-line) for how to get `agentjet` on PATH.',
    '',
    ...commandsBelow(buildProgram('')).flatMap((command) => [
      `## \`${command.path()}\``,
      '',
      '```text',
      helpOf(command).trim(),
      '```',
      '',
    ]),
  ].join('\n');
}

type Program = ReturnType<typeof buildProgram>;

function commandsBelow(command: Program): readonly Program[] {
  return [command, ...command.commands.flatMap((each) => commandsBelow(each))];
}

function helpOf(command: Program): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

if (process.argv[1] === import.meta.filename) {
  for (const name of Object.keys(pages) as ReferencePage[]) {
    const text = await referencePage(name);
    if (process.argv.includes('--update')) writeFileSync(fileOf(name), text);
    else if (writtenPage(name) !== text) {
      console.error(`docs/${name}.md is out of date. Run: node test/tools/referenceDocs.ts --update`);
      process.exitCode = 1;
    }
  }
}
