/** Every example: that it runs as its README says, with the report it shows, and that its author's editor finds no fault. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { listExamples } from '../../../src/sdk/node/project/example.ts';
import { ProjectSource } from '../../../src/sdk/node/project/source.ts';
import { normalised, runCli } from '../harness/cli.ts';
import { copyOf, needsOf, serve, typeErrors } from '../harness/example.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const source = new ProjectSource(root);
const examples = await listExamples(source);

describe.each(examples)('the example $name', ({ name: example, description }) => {
  it('runs to the report that it shows', async () => {
    const project = await copyOf(example, 'typescript');
    const { args, program } = await needsOf(project);
    if (program !== undefined) await serve(project, process.execPath, program);
    const { stdout, stderr, code } = await runCli(project, ['--conf', `${example}.yaml`, ...args]);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await expect(normalised(stdout, project)).toMatchFileSnapshot(
      path.join(source.example(example).typescript, 'expected.txt'),
    );
  });

  it('has nothing that its author’s editor would mark', async () => {
    const project = await copyOf(example, 'typescript');
    expect(await typeErrors(project)).toBe('');
    const { stdout } = await runCli(project, ['check', `${example}.yaml`]);
    expect(stdout).toMatch(/^0 errors, 0 warnings/m);
  });

  it('says what it is, and how it is run', async () => {
    const project = await copyOf(example, 'typescript');
    expect(description).toMatch(/^[A-Z].{20,90}\.$/);
    expect(await readFile(project.path('README.md'), 'utf8')).toMatch(/F5/);
  });
});
