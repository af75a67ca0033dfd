import { describe, expect, it } from 'vitest';
import type { LocatorTarget } from '../../../../src/configs/core/code/classes.ts';
import { parseLocator } from '../../../../src/configs/core/locator.ts';
import { memoryCode, projectClasses } from './memoryCode.ts';

const base = 'from ajet import Workflow\n';

async function target(
  files: Record<string, string>,
  written: string,
  beside?: string,
): Promise<LocatorTarget> {
  const parsed = parseLocator(written);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return projectClasses(files).find(parsed.locator, '/project', beside);
}

/** Short: `file:line:column role`, or what is wrong. */
async function found(files: Record<string, string>, written: string, beside?: string): Promise<string> {
  const result = await target(files, written, beside);
  if (result.status === 'found') {
    const { file, line, column, role } = result.site;
    return `${file}:${line}:${column} ${role ?? ''}`;
  }
  if (result.status === 'no-file') return `no file ${result.file}`;
  if (result.status === 'no-name')
    return `not in ${result.file}, which has ${result.sites.map((site) => site.name).join(', ')}`;
  return result.status;
}

describe('finding what a locator names in Python', () => {
  it.each([
    [
      'a file',
      { '/project/a/b.py': `${base}class A(Workflow): ...` },
      'a/b.py->A',
      '/project/a/b.py:2:7 workflow',
    ],
    [
      'a module',
      { '/project/a/b.py': `${base}class A(Workflow): ...` },
      'a.b->A',
      '/project/a/b.py:2:7 workflow',
    ],
    [
      'a module in src',
      { '/project/src/a/b.py': 'class A: ...' },
      'a.b->A',
      '/project/src/a/b.py:1:7 neither',
    ],
    ['a package', { '/project/a/__init__.py': 'class A: ...' }, 'a->A', '/project/a/__init__.py:1:7 neither'],
    [
      'a package before a file of its name',
      { '/project/a/__init__.py': 'class A: ...', '/project/a.py': '' },
      'a->A',
      '/project/a/__init__.py:1:7 neither',
    ],
    [
      'what a package passes on',
      { '/project/a/__init__.py': 'from .b import B as A', '/project/a/b.py': '\nclass B: ...' },
      'a->A',
      '/project/a/b.py:2:7 neither',
    ],
    [
      'what a star passes on',
      { '/project/a/__init__.py': 'from .b import *', '/project/a/b.py': 'class A: ...' },
      'a->A',
      '/project/a/b.py:1:7 neither',
    ],
    [
      'another name',
      { '/project/a.py': 'import p.q\nX = p.q.B\n', '/project/p/q.py': 'class B: ...' },
      'a->X',
      '/project/p/q.py:1:7 neither',
    ],
    [
      'an imported module',
      { '/project/a.py': 'from p import q\nX = q.B\n', '/project/p/q.py': 'class B: ...' },
      'a->X',
      '/project/p/q.py:1:7 neither',
    ],
    [
      'a parent package',
      { '/project/a/b/c.py': 'from ..d import X', '/project/a/d.py': 'class X: ...' },
      'a.b.c->X',
      '/project/a/d.py:1:7 neither',
    ],
    [
      'a workflow by a base elsewhere in the workspace',
      {
        '/project/a.py': 'from b import B\nclass A(B): ...',
        '/project/b.py': `${base}class B(Workflow): ...`,
      },
      'a->A',
      '/project/a.py:2:7 workflow',
    ],
    ['a judge', { '/project/a.py': 'class A(judge.BaseJudge): ...' }, 'a->A', '/project/a.py:1:7 judge'],
    [
      'a base that is installed',
      { '/project/a.py': 'from lib import B\nclass A(B): ...' },
      'a->A',
      '/project/a.py:2:7 unknown',
    ],
    [
      'a tuner function',
      { '/project/a.py': 'async def run(task, model): ...' },
      'a->run',
      '/project/a.py:1:11 workflow',
    ],
    [
      'a base by another name',
      { '/project/a.py': 'from ajet import Workflow as Base\nclass A(Base): ...' },
      'a->A',
      '/project/a.py:2:7 workflow',
    ],
    ['a made value', { '/project/a.py': 'A = make()' }, 'a->A', '/project/a.py:1:1 unknown'],
    ['no such module', { '/project/a/b.py': '' }, 'a.c->A', 'no file /project/a/c.py'],
    ['no such file', { '/project/a/b.py': '' }, 'a/c.py->A', 'no file /project/a/c.py'],
    ['no such file at the top', {}, 'c.py->A', 'no file /project/c.py'],
    [
      'no such class',
      { '/project/a.py': 'class B: ...\ndef f(): ...' },
      'a->A',
      'not in /project/a.py, which has B, f',
    ],
    ['a module of another project', { '/project/a.py': '' }, 'tutorial.x.y->A', 'elsewhere'],
    ['a file of another project', { '/project/a.py': '' }, 'tutorial/x/y.py->A', 'elsewhere'],
    ['a file of another machine', { '/project/a.py': '' }, '/srv/x/y.py->A', 'elsewhere'],
    ['what comes from an installed package', { '/project/a.py': 'from lib import A' }, 'a->A', 'elsewhere'],
    ['what an installed star may bring', { '/project/a.py': 'from lib import *' }, 'a->A', 'elsewhere'],
    [
      'imports that lead back',
      { '/project/a.py': 'from b import A', '/project/b.py': 'from a import A' },
      'a->A',
      'elsewhere',
    ],
    ['a name that is itself', { '/project/a.py': 'A = A' }, 'a->A', 'elsewhere'],
    ['a namespace package', { '/project/a/b.py': '' }, 'a->A', 'elsewhere'],
  ])('%s', async (_, files, written, expected) => {
    expect(await found(files, written)).toBe(expected);
  });

  it('looks beside the config, and in the folders above it', async () => {
    const files = { '/project/sub/conf/w.py': 'class A: ...', '/project/sub/agents/w.py': 'class A: ...' };
    expect(await found(files, 'w.py->A', '/project/sub/conf')).toBe('/project/sub/conf/w.py:1:7 neither');
    expect(await found(files, 'agents.w->A', '/project/sub/conf')).toBe(
      '/project/sub/agents/w.py:1:7 neither',
    );
  });
});

describe('finding what a locator names in TypeScript', () => {
  const sdk = "import { Workflow } from 'agentjet';\n";
  it.each([
    [
      'a class',
      { '/project/w.ts': `${sdk}export class A extends Workflow {}` },
      'w.ts->A',
      '/project/w.ts:2:14 workflow',
    ],
    [
      'a default',
      { '/project/w.ts': `${sdk}export default class extends Workflow {}` },
      'w.ts->default',
      '/project/w.ts:2:16 workflow',
    ],
    [
      'what is passed on',
      {
        '/project/w.ts': "export { A } from './lib/a.js';",
        '/project/lib/a.ts': `${sdk}export class A extends Workflow {}`,
      },
      'w.ts->A',
      '/project/lib/a.ts:2:14 workflow',
    ],
    [
      'what a folder passes on',
      { '/project/w.ts': "export * from './lib';", '/project/lib/index.ts': 'export class A {}' },
      'w.ts->A',
      '/project/lib/index.ts:1:14 neither',
    ],
    [
      'a base in another file',
      {
        '/project/w.ts': "import B from './b.js';\nexport class A extends B {}",
        '/project/b.ts': `${sdk}export default class B extends Workflow {}`,
      },
      'w.ts->A',
      '/project/w.ts:2:14 workflow',
    ],
    [
      'what is not exported',
      { '/project/w.ts': 'class A {}\nexport class B {}' },
      'w.ts->A',
      'not in /project/w.ts, which has B',
    ],
    ['what a package has', { '/project/w.ts': "export { A } from 'lib';" }, 'w.ts->A', 'elsewhere'],
    ['no such file', { '/project/w.ts': '' }, 'agents/w.ts->A', 'no file /project/agents/w.ts'],
  ])('%s', async (_, files, written, expected) => {
    expect(await found(files, written)).toBe(expected);
  });
});

describe('all classes', () => {
  const files = (): Record<string, string> => ({
    '/project/plain.py': 'class Plain: ...\ndef helper(x): ...\n',
    '/project/judge.py': 'class J(BaseJudge): ...',
    '/project/run.py': '@WORKFLOWS.register_module("mine")\nclass W(Workflow): ...',
    '/project/b.ts': 'export class T extends Workflow {}',
  });

  it('come workflows first, then judges, then others', async () => {
    const sites = await projectClasses(files()).all();
    expect(sites.map(({ name, role, registered }) => [name, role, registered])).toEqual([
      ['W', 'workflow', 'mine'],
      ['T', 'workflow', undefined],
      ['J', 'judge', undefined],
      ['Plain', 'neither', undefined],
    ]);
  });

  it('are read once, and again where a file has changed', async () => {
    const present = files();
    const code = memoryCode(present);
    const classes = projectClasses(present, code);
    await classes.all();
    expect(code.read).toHaveLength(4);
    await classes.all();
    present['/project/plain.py'] = 'class Other: ...';
    classes.changed();
    const names = (await classes.all()).map((site) => site.name);
    expect(names).toEqual(['W', 'T', 'J', 'Other']);
    expect(code.read.slice(4)).toEqual(['/project/plain.py']);
  });

  it('are none where nothing can be read', async () => {
    const failing = {
      ...memoryCode({}),
      stamp: () => Promise.reject(new Error('gone')),
      sources: () => Promise.reject(new Error('gone')),
    };
    const classes = projectClasses({}, failing);
    expect(await classes.all()).toEqual([]);
    const locator = { kind: 'file', where: '/project/a.py', name: 'A' } as const;
    expect(await classes.find(locator, '/project')).toEqual({ status: 'elsewhere' });
  });
});
