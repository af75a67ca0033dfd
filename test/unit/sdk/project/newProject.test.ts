import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProject } from '../../../../src/sdk/node/project/newProject.ts';
import { ProjectSource } from '../../../../src/sdk/node/project/source.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'agentjet-new-'));
});

afterEach(() => rm(parent, { recursive: true }));

const source = new ProjectSource(path.resolve(import.meta.dirname, '../../../..'));

it.each([
  ['my-agent', 'MyAgentJudge'],
  ['NewProject2', 'NewProject2Judge'],
  ['new_project', 'NewProjectJudge'],
])('%s names its folder, its config and its classes', async (name, judge) => {
  const { folder, config } = await createProject(source, { name, language: 'python', parent });
  expect(folder).toBe(path.join(parent, name));
  const text = await readFile(config, 'utf8');
  expect(text).toContain(`project_name: '${name}'`);
  expect(text).toContain(`judge_protocol: judge.py->${judge} `);
  expect(await readFile(path.join(folder, 'judge.py'), 'utf8')).toContain(`class ${judge}(BaseJudge):`);
});

it('leaves nothing behind where it cannot be made', async () => {
  const broken = new ProjectSource(path.join(parent, 'broken'));
  const template = broken.template.typescript;
  await mkdir(template, { recursive: true });
  await writeFile(path.join(template, 'tsconfig.json'), '{}');
  const made = createProject(broken, { name: 'half', language: 'typescript', parent });
  await expect(made).rejects.toMatchObject({ code: 'project/cannot-write' }); // there are no types to place
  expect(await readdir(parent)).toEqual(['broken']);
});
