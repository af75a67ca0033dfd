import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localClassFinder, localCodeFiles } from '../../../../src/configs/node/classFinder.ts';
import { rowCounter } from '../../../../src/configs/node/rowCounts.ts';

let folder = '';
const place = (name: string): string => path.join(folder, name);

async function write(name: string, text: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(place(name)), { recursive: true });
  await writeFile(place(name), text);
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-classes-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('localClassFinder', () => {
  it('finds the classes of files on disk, and again once they changed', async () => {
    await write('pkg/__init__.py', 'from .agent import A\n');
    await write('pkg/agent.py', 'class A(Workflow): ...\n');
    const classes = localClassFinder([folder]);
    const locator = { kind: 'module', where: 'pkg', name: 'A' } as const;
    const site = { name: 'A', file: place('pkg/agent.py'), line: 1, column: 7, role: 'workflow' };
    expect(await classes.find(locator, folder)).toMatchObject({ status: 'found', site });
    await write('pkg/agent.py', '\n\nclass A(BaseJudge): ...\n');
    expect(await classes.find(locator, folder)).toMatchObject({ site: { line: 3, role: 'judge' } });
    await rm(place('pkg/agent.py'));
    expect(await classes.find(locator, folder)).toEqual({ status: 'elsewhere' });
  });

  it('lists sources from the top down, without what is not the user’s own', async () => {
    const own = ['z.py', 'a/deep/b.ts', 'a/c.mjs'];
    const foreign = ['node_modules/x/i.js', '.git/h.py', 'my_env/lib/x.py', '__pycache__/c.py', 'notes.txt'];
    for (const name of [...own, ...foreign, 'my_env/pyvenv.cfg']) await write(name, '');
    const sources = await localCodeFiles([folder]).sources();
    expect(sources).toEqual(['z.py', 'a/c.mjs', 'a/deep/b.ts'].map(place));
  });

  it('has nothing to say about files that are too large, and about folders that are not there', async () => {
    await write('large.py', 'class A(Workflow): ...\n'.padEnd(1_000_001, '#'));
    const classes = localClassFinder([folder, place('missing')]);
    const locator = { kind: 'file', where: 'large.py', name: 'A' } as const;
    expect(await classes.find(locator, folder)).toEqual({ status: 'elsewhere' });
    expect(await classes.all()).toEqual([]);
  });
});

describe('rowCounter', () => {
  it.each([
    ['', 0],
    ['{}', 1],
    ['{}\n', 1],
    ['{}\r\n\r\n \t\n{}\n\n', 2],
    ['\n\n', 0],
  ])('counts the rows of %j', async (text, rows) => {
    await write('data.jsonl', text);
    expect(await rowCounter()(place('data.jsonl'))).toBe(rows);
  });

  it('counts again when the file changed', async () => {
    const count = rowCounter();
    await write('data.jsonl', '{}\n'.repeat(100_000));
    expect(await count(place('data.jsonl'))).toBe(100_000);
    await write('data.jsonl', '{}\n');
    expect(await count(place('data.jsonl'))).toBe(1);
  });

  it('gives nothing for what cannot be counted', async () => {
    const count = rowCounter();
    expect(await count(place('missing.jsonl'))).toBeUndefined();
    expect(await count(folder)).toBeUndefined();
    await write('large.jsonl', new Uint8Array(50_000_001));
    expect(await count(place('large.jsonl'))).toBeUndefined();
  });
});
