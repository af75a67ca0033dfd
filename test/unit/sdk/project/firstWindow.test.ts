import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyExample } from '../../../../src/sdk/node/project/example.ts';
import { firstWindowFile, takeFirstWindow } from '../../../../src/sdk/node/project/firstWindow.ts';
import { createProject } from '../../../../src/sdk/node/project/newProject.ts';
import { ProjectSource } from '../../../../src/sdk/node/project/source.ts';
import { manifestIn } from '../../../tools/translations.mjs';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'agentjet-first-'));
});

afterEach(() => rm(parent, { recursive: true }));

const source = new ProjectSource(path.resolve(import.meta.dirname, '../../../..'));

it('says once what the first window on an example or project shows', async () => {
  const example = path.join(parent, 'math_agent');
  await copyExample(source, 'math_agent', 'python', example);
  expect(await takeFirstWindow(example)).toBe('example');
  expect(await takeFirstWindow(example)).toBeUndefined();
  expect(await readdir(example)).not.toContain('.agentjet');
  const { folder } = await createProject(source, { name: 'mine', language: 'python', parent });
  expect(await takeFirstWindow(folder)).toBe('project');
});

it('takes nothing else from a folder that somebody else has made', async () => {
  const file = path.join(parent, firstWindowFile);
  await mkdir(path.dirname(file));
  await writeFile(path.join(parent, 'secret'), 'example');
  await symlink(path.join(parent, 'secret'), file);
  expect(await takeFirstWindow(parent)).toBeUndefined();
  await rm(file);
  await writeFile(file, 'x'.repeat(100));
  expect(await takeFirstWindow(parent)).toBeUndefined();
  expect(existsSync(file)).toBe(true);
});

it('starts the extension in such a window', () => {
  const { activationEvents } = manifestIn() as { activationEvents: string[] };
  expect(activationEvents).toContain(`workspaceContains:${firstWindowFile}`);
});
