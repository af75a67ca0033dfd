/** Every example in Python: that it gives the very report of its twin in TypeScript, and is run as its README says. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listExamples } from '../../../src/sdk/node/project/example.ts';
import { ProjectSource } from '../../../src/sdk/node/project/source.ts';
import { isDeep } from '../../tools/deep.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { normalised, runCli } from '../harness/cli.ts';
import { copyOf, needsOf, serve } from '../harness/example.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const source = new ProjectSource(root);
/** Those that the normal run tries: one that is plain, and those that need a server, a database or a function. */
const telling = ['math_agent', 'env_service', 'feedback_tracing', 'function_form'];
const examples = (await listExamples(source)).filter(({ languages }) => languages.includes('python'));

/** Prints the functions that leave an argument or what they return without a type. */
const untyped = `
import ast, sys
for node in ast.walk(ast.parse(sys.stdin.read())):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        bare = [argument for argument in given if argument.annotation is None and argument.arg not in ("self", "cls")]
        if bare or node.returns is None:
            print(f"{node.lineno}: {node.name}")
`;

let python: string;
beforeAll(async () => {
  python = await ensurePython();
}, 300_000);

async function textsOf(folder: string, ending: string): Promise<[name: string, text: string][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      name,
      await readFile(path.join(folder, name), 'utf8'),
    ]),
  );
}

/**
 * The report of the twin. Not where messages are not the same to the letter, by which the built-in model samples: AgentScope's
 * blocks do not have all of a message.
 */
function expectedOf(example: string): string {
  const { python: inPython, typescript } = source.example(example);
  return path.join(example === 'function_form' ? inPython : typescript, 'expected.txt');
}

it('has a twin for each example', async () => {
  expect(examples).toEqual(await listExamples(source));
});

it.each(examples.filter(({ name }) => isDeep || telling.includes(name)))(
  'the example $name in Python gives the report that is expected of it',
  async ({ name: example }) => {
    const project = await copyOf(example, 'python');
    const { args, program } = await needsOf(project);
    if (program !== undefined) await serve(project, python, program);
    const { stdout, stderr, code } = await runCli(project, [
      ...['--conf', `${example}.yaml`, '--python', python],
      ...args,
    ]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await expect(normalised(stdout, project)).toMatchFileSnapshot(expectedOf(example));
    const { stdout: checked } = await runCli(project, ['check', `${example}.yaml`]);
    expect(checked).toMatch(/^0 errors, 0 warnings/m);
  },
);

describe.each(examples)('the example $name in Python', ({ name: example }) => {
  it('is configured as its twin, but for where the code is', async () => {
    const file = `${example}.yaml`;
    const text = await readFile(path.join(source.example(example).python, file), 'utf8');
    const twin = await readFile(path.join(source.example(example).typescript, file), 'utf8');
    expect(text.replaceAll('.py->', '.ts->').replace('python3 server.py', 'npm run serve')).toBe(twin);
  });

  it('says what to install and how it is run, and names its files', async () => {
    const project = await copyOf(example, 'python');
    const readme = await project.read('README.md');
    expect(readme).toMatch(/F5/);
    expect(readme).toContain('python3 -m pip install -r requirements.txt');
    const files = [...(await textsOf(project.folder, '.py')), ...(await textsOf(project.folder, '.ts'))];
    for (const [name] of files) expect(readme).toContain(`\`${name}\``);
    for (const [, named = ''] of readme.matchAll(/`([\w/]+\.(?:py|ts|mjs|yaml))`/g)) {
      expect(await project.read(named), `${named}, which the README names`).not.toBe('');
    }
  });
});

it.each([
  ...examples.map(({ name }) => [`the example ${name}`, source.example(name).python]),
  ['the template', source.template.python],
])('%s is typed, in lines of a width', async (_, folder = '') => {
  for (const [name, text] of await textsOf(folder, '.py')) {
    const wide = text.split('\n').filter((line) => line.length > 110);
    expect(wide, name).toEqual([]);
    expect(execFileSync(python, ['-c', untyped], { input: text, encoding: 'utf8' }), name).toBe('');
  }
});
