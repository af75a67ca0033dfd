/**
 * Returns the reference of options as Markdown: launch attributes, settings, and the whole command line.
 *
 *   node test/tools/optionDocs.mjs [launch|settings|cli]
 */
import process from 'node:process';
import { launchSchema } from '../../src/debug/runOptions.ts';
import { tree } from '../../src/node/cli/completion.ts';
import { buildProgram } from '../../src/node/cli/program.ts';
import { manifestIn } from './translations.mjs';

/** A table of the attributes of launch configurations. Members have dotted names. */
export function launchDocs() {
  const { properties, required } = launchSchema();
  return table(
    ['Attribute', 'Type', 'Description'],
    rowsOf(properties, '').map(([name, type, text]) => [
      name,
      type,
      required.includes(name.replaceAll('`', '')) ? `${text} Required.` : text,
    ]),
  );
}

/** A table of the settings of the extension. */
export function settingDocs() {
  const { properties } = manifestIn().contributes.configuration;
  return table(
    ['Setting', 'Default', 'Description'],
    Object.entries(properties).map(([name, { default: value, ...schema }]) => [
      `\`${name}\``,
      value === undefined ? '' : `\`${JSON.stringify(value)}\``,
      describe(schema),
    ]),
  );
}

/** The help of every command, parents first. */
export function commandDocs() {
  return tree(buildProgram(''))
    .map((command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      return `## \`${command.path()}\`\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`;
    })
    .join('\n');
}

function rowsOf(properties, owner) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.deprecationMessage !== undefined) return [];
    const path = `${owner}${name}`;
    return [
      [`\`${path}\``, typeOf(schema), describe(schema)],
      ...rowsOf(schema.properties ?? {}, `${path}.`),
    ];
  });
}

function typeOf({ enum: choices, type, items }) {
  if (choices !== undefined) return choices.map((value) => `\`${value}\``).join(', ');
  return items === undefined ? String(type) : `${items.type}[]`;
}

function describe(schema) {
  const { description = '', markdownDescription = description } = schema;
  const choices = (schema.enumDescriptions ?? schema.markdownEnumDescriptions ?? []).map(
    (text, at) => `\`${schema.enum?.[at]}\`: ${text}`,
  );
  return [markdownDescription, ...choices].join('<br>');
}

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`;
}

if (process.argv[1] === import.meta.filename) {
  const docs = { launch: launchDocs, settings: settingDocs, cli: commandDocs };
  const wanted = process.argv[2];
  const shown = Object.entries(docs).filter(([name]) => wanted === undefined || name === wanted);
  process.stdout.write(shown.map(([, print]) => print()).join('\n'));
}
