/** The command itself starts under any Node from 20 on; the workflow runs in one that is new enough. */
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runCli, runJson } from '../harness/cli.ts';
import { exampleProject, smallProject } from '../harness/project.ts';

/** The first Node on PATH that cannot run workflows. */
function oldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, 'node')).find((node) => majorOf(node) < 22);
}

function majorOf(node: string): number {
  try {
    return Number(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]);
  } catch {
    return Infinity; // not there
  }
}

const small = ['--conf', 'small.yaml'];

it('an old Node finds a newer one on PATH', async () => {
  const project = await exampleProject();
  const old = oldNode();
  const newFolder = path.dirname(process.execPath);
  const oldFolder = old === undefined ? project.folder : path.dirname(old);
  if (old === undefined) {
    // No old Node here: a program that says it is one is what PATH holds first.
    await project.write({ node: '#!/bin/sh\necho \'{"version":"20.1.0","features":{}}\'\n' });
    await chmod(project.path('node'), 0o755);
  }
  const args = ['--conf', 'math_agent.yaml', '--tasks', '1'];
  const options = {
    ...(old !== undefined && { node: old }),
    env: { PATH: [oldFolder, newFolder].join(path.delimiter) },
  };
  const { code, episodes, trace } = await runJson(project, args, options);
  expect(code).toBe(0);
  expect(episodes).toHaveLength(4);
  const samples = await runCli(project, ['samples', trace ?? ''], options);
  expect(samples).toMatchObject({ code: 0, stderr: '' });
  expect(samples.stdout).toContain('4 samples of 4 episodes');
});

it.runIf(oldNode() !== undefined)('an old Node checks and explains configs itself', async () => {
  const node = oldNode() ?? '';
  const project = await smallProject();
  const checked = await runCli(project, ['check', '.', 'small.yaml'], { node });
  expect(checked).toMatchObject({ code: 0, stderr: '' });
  expect(checked.stdout).toContain(' in 1 config');
  const converted = await runCli(project, ['config', 'small.yaml', '--to', 'trinity', '--origin'], { node });
  expect(converted.stdout).toContain('algorithm:');
  expect(JSON.parse((await runCli(project, ['schema', 'trinity'], { node })).stdout)).toHaveProperty(
    '$schema',
  );
});

it('the Node that runs the command will do where PATH has none', async () => {
  expect(await runCli(await smallProject(), small, { env: { PATH: '/nowhere' } })).toMatchObject({ code: 0 });
});

it('the runtime asked for is taken', async () => {
  const project = await smallProject();
  await copyFile(process.execPath, project.path('my-node'));
  const args = [...small, '--runtime', './my-node', '--verbose'];
  expect(await runCli(project, args)).toMatchObject({ code: 0 });
});
