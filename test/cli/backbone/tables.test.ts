/** The tables of keys, rules and defaults are in the bundles as text, and cost nothing until the first is asked for. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, it } from 'vitest';
import { runCli } from '../harness/cli.ts';
import { emptyProject } from '../harness/project.ts';

/**
 * Counts the long texts that are parsed as JSON, and prints their number at the end. The manifest and the schema of run
 * options, which zod copies by way of JSON, are not tables.
 */
const counting = `
const parse = JSON.parse;
let parsed = 0;
JSON.parse = (text, reviver) => {
  const isTable = text.length > 2000 && !text.includes('"$schema"') && !text.includes('"contributes"');
  if (isTable) parsed += 1;
  return parse(text, reviver);
};
process.on('exit', () => process.stderr.write(\`parsed \${parsed}\\n\`));
`;

/** An editor that takes everything and answers nothing: each of its parts can be called, read, made and gone through. */
const editor = `
const nothing = new Proxy(function () {}, {
  get: (_, name) => {
    if (name === 'then') return undefined;
    if (name === 'fsPath' || name === 'extensionPath') return '';
    if (name === Symbol.toPrimitive) return () => '';
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    return nothing;
  },
  set: (_, name, value, receiver) =>
    receiver === nothing ||
    Reflect.defineProperty(receiver, name, { value, writable: true, enumerable: true, configurable: true }),
  apply: () => nothing,
  construct: () => nothing,
});
// Bundles copy what a module has itself, and ask its prototype for the rest.
module.exports = Object.create(nothing);
`;

it('activating the extension parses none', async () => {
  const project = await emptyProject();
  const dist = inject('dist');
  await project.write({
    'counting.cjs': counting,
    'modules/vscode/index.js': editor,
    'activate.cjs': `
const { activate } = require(process.argv[2]);
const vscode = require('vscode');
const subscriptions = [];
const { argv } = process;
activate(Object.assign(Object.create(vscode), { subscriptions, extensionPath: argv[3] }));
process.stdout.write(\`\${subscriptions.length} subscriptions\`);
process.exit(0);
`,
  });
  const args = ['--require', project.path('counting.cjs'), project.path('activate.cjs')];
  const env = { ...process.env, NODE_PATH: project.path('modules'), NODE_OPTIONS: '' };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...args, path.join(dist, 'extension.js'), path.dirname(dist)],
    { encoding: 'utf8', env },
  );
  expect(stderr).toBe('parsed 0\n');
  expect(stdout).toMatch(/^[1-9]\d* subscriptions$/);
  // The tables are there all the same.
  expect(await readFile(path.join(dist, 'extension.js'), 'utf8')).toContain('explorer_input.taskset.path');
});

it.each([
  [['--help'], 0],
  [['schema', 'trinity'], 1],
])('the command %j parses %i of them', async (args, wanted) => {
  const project = await emptyProject();
  await project.write({ 'counting.cjs': counting });
  const env = { NODE_OPTIONS: `--require=${project.path('counting.cjs')}` };
  const { stderr } = await runCli(project, args, { env });
  expect(stderr).toBe(`parsed ${wanted}\n`);
});
