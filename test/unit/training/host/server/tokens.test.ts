import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withFileLock } from '../../../../../src/training/node/host/fileLock.ts';
import { HostTokens } from '../../../../../src/training/node/host/server/tokens.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'agentjet-tokens-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const source = path.resolve(import.meta.dirname, '../../../../../src/training/node/host/server/tokens.ts');
/** Makes tokens once it is told to, as fast as it can. */
const adder = `
import { HostTokens } from ${JSON.stringify(source)};
const [folder, name, count] = process.argv.slice(1);
const tokens = new HostTokens(folder);
console.log('ready');
process.stdin.once('data', () => {
  for (let index = 0; index < Number(count); index++) tokens.add(name + '-' + index, ['start'], index);
  process.exit();
});
`;

async function addAtOnce(data: string, processes: number, each: number): Promise<readonly number[]> {
  const children = Array.from({ length: processes }, (_, index) => {
    const args = ['--no-warnings', '--input-type=module-typescript', '-e', adder, data, `p${index}`];
    return spawn(process.execPath, [...args, `${each}`], { stdio: ['pipe', 'pipe', 'inherit'] });
  });
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const ended = children.map((child) => once(child, 'exit') as Promise<[number]>);
  for (const child of children) child.stdin.end('go');
  return (await Promise.all(ended)).map(([code]) => code);
}

describe('the tokens of a host', () => {
  it('all stay that several processes make at once, also where one has died over it', async () => {
    const data = folder();
    new HostTokens(data).add('first', [], 1);
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const left = { pid: child.pid, started: '1', boot: 'x', key: 'y' };
    writeFileSync(path.join(data, 'tokens.json.lock'), JSON.stringify(left));
    expect(await addAtOnce(data, 6, 5)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(new HostTokens(data).list()).toHaveLength(31);
    expect(readdirSync(data)).toEqual(['tokens.json']);
  });

  it('belong to who owns the folder, whoever makes them', () => {
    const data = folder();
    if (process.getuid?.() === 0) chownSync(data, 65_534, 65_534);
    const tokens = new HostTokens(data);
    tokens.add('a', [], 1);
    const owner = (): unknown => {
      const { uid, gid, mode } = statSync(path.join(data, 'tokens.json'));
      return { uid, gid, mode: process.platform === 'win32' ? 0o600 : mode & 0o777 };
    };
    const { uid, gid } = statSync(data);
    expect(owner()).toEqual({ uid, gid, mode: 0o600 });
    tokens.remove('a');
    expect(owner()).toEqual({ uid, gid, mode: 0o600 });
  });

  it('have a first one once, and are none once the last is taken back', () => {
    const tokens = new HostTokens(folder());
    const token = tokens.addFirst('a', ['start'], 1) ?? '';
    expect(tokens.find(token)).toEqual({ name: 'a', scopes: ['view', 'start'], createdAt: 1 });
    expect(tokens.addFirst('b', ['start'], 2)).toBeUndefined();
    tokens.remove('a');
    expect(tokens.find(token)).toBeUndefined();
    expect(tokens.addFirst('b', ['start'], 3)).toBeUndefined();
    expect(tokens.list()).toEqual([]);
  });

  it('are not made under a name that is no name, or taken', () => {
    const tokens = new HostTokens(folder());
    tokens.add('a', [], 1);
    expect(() => tokens.add('a', [], 2)).toThrow(expect.objectContaining({ code: 'host/token-exists' }));
    expect(() => tokens.add('../a', [], 2)).toThrow(expect.objectContaining({ code: 'host/token-name' }));
    expect(() => tokens.remove('b')).toThrow(expect.objectContaining({ code: 'host/no-token' }));
    expect(tokens.list().map(({ createdAt }) => createdAt)).toEqual([1]);
  });
});

describe('the lock of a file', () => {
  it('is waited for, but not without end, and is given back whatever happens', () => {
    const file = path.join(folder(), 'a.json');
    const done = withFileLock(file, () => {
      expect(existsSync(`${file}.lock`)).toBe(true);
      expect(() => withFileLock(file, () => 0, 3)).toThrow(
        expect.objectContaining({
          code: 'host/file-locked',
          message: expect.stringContaining(`process ${process.pid}`) as string,
        }),
      );
      return 7;
    });
    expect(done).toBe(7);
    const failing = (): never => {
      throw new Error('it failed');
    };
    expect(() => withFileLock(file, failing)).toThrow('it failed');
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it('is taken over where what is in it is no process', () => {
    const file = path.join(folder(), 'a.json');
    for (const left of ['', '{', '"torn"', '{"pid":0}']) {
      writeFileSync(`${file}.lock`, left);
      expect(withFileLock(file, () => readFileSync(`${file}.lock`, 'utf8'))).toContain(
        `"pid":${process.pid}`,
      );
      expect(readdirSync(path.dirname(file))).toEqual([]);
    }
  });
});
