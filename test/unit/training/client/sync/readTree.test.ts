import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CancellationSource } from '../../../../../src/base/core/cancellation.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import { readTree } from '../../../../../src/training/node/client/sync/readTree.ts';
import { checkLimit, previewOf } from '../../../../../src/training/core/sync/tree.ts';
import { fuzz } from '../../../fuzz.ts';
import { pathsOf, temporary, treeOf, write } from './syncHost.ts';

const execute = promisify(execFile);
const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

describe('what is sent', () => {
  test('is all but what no run needs or no host should see', async () => {
    const root = await temporary();
    await write(root, {
      ...{
        'a.py': '',
        '.git/HEAD': '',
        'node_modules/x/index.js': '',
        'src/__pycache__/a.pyc': '',
        'b.pyc': '',
      },
      ...{ '.env': 'KEY=1', '.env.local': '', '.env.example': '', 'run.ajtrace': '', 'x/id_rsa': '' },
      ...{ 'checkpoints/m.bin': '', 'src/checkpoints.py': '', 'x/.venv/bin/python': '', empty: null },
    });
    const tree = await treeOf(root);
    expect(pathsOf(tree)).toEqual(['.env.example', 'a.py', 'src/checkpoints.py']);
    expect(tree.excluded).toContainEqual({ path: '.env', rule: 'default', pattern: '.env' });
    expect(tree.excluded).toContainEqual({ path: 'node_modules', rule: 'default', pattern: 'node_modules/' });
  });

  test('has no well-known credentials, in any case', async () => {
    const root = await temporary();
    const credentials = [
      ...['.git-credentials', '.docker/config.json', '.kube/config', '.huggingface/token', '.vault-token'],
      ...['.config/gcloud/application_default_credentials.json', 'id_dsa', 'id_ed25519_sk', 'server.key'],
      ...['k.jks', '.streamlit/secrets.toml', '.htpasswd', '.env~', 'prod.env', 'credentials.json'],
      ...['service-account.json', '.s3cfg', '.ossutilconfig', '.pgpass', '.my.cnf', 'key.PEM', 'ID_RSA'],
      ...[
        '.azure/x',
        '.oci/config',
        '.kaggle/kaggle.json',
        'a.kdbx',
        'b.keystore',
        'c.ppk',
        'd.p8',
        '.dockercfg',
      ],
      ...['terraform.tfstate', 'kubeconfig', 'client_secret_1.json', '.boto', '.databrickscfg', '_netrc'],
    ];
    const paths = [...credentials, ...credentials.map((file) => `upper/${file.toUpperCase()}`)];
    await write(root, Object.fromEntries(['agent.py', '.env.example', ...paths].map((file) => [file, ''])));
    const tree = await treeOf(root);
    expect([pathsOf(tree), tree.keys]).toEqual([['.env.example', 'agent.py'], []]);
    expect(tree.excluded).toContainEqual({ path: 'server.key', rule: 'default', pattern: '*.key' });
  });

  test('names other files that look like keys, unless .agentjetignore allows them', async () => {
    const root = await temporary();
    const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\nxyz';
    const keys = { 'deploy.txt': pem, 'a/account.json': '{"private_key": "x"}', 'a/openai_api_key.txt': 'x' };
    const others = ['DB-Password', 'hf.token', 'client.SECRET', 'x.gpg', 'my_secrets.yaml'];
    await write(root, {
      ...keys,
      ...Object.fromEntries(others.map((file) => [file, 'x'])),
      ...{ 'secrets.py': 'x', 'password.md': 'x', 'tokenizer.json': '{}', 'special_tokens_map.json': '{}' },
      ...{ 'added_tokens.json': '{}', 'test_keys.py': pem, 'allowed_secret.txt': 'x', 'deploy.pub': pem },
      '.agentjetignore': '!/allowed_secret.txt\n!deploy.pub\n',
    });
    expect((await treeOf(root)).keys).toEqual([...Object.keys(keys), ...others].sort());
  });

  test('is brought back, or left out, by .agentjetignore, whatever .gitignore says', async () => {
    const root = await temporary();
    await write(root, {
      ...{
        '.gitignore': 'build/\n*.log\n!keep.log\n',
        'build/x': '',
        'a.log': '',
        'keep.log': '',
        'big.bin': '',
      },
      ...{ '.agentjetignore': '# ours\n!build/\n!checkpoints/\nkeep.log\r\n!.env\n*.bin\n' },
      ...{ 'checkpoints/m': '', '.env': '', 'sub/.gitignore': '!*.bin\n', 'sub/y.bin': '' },
      ...{ 'deep/.agentjetignore': '!/z.bin\n', 'deep/z.bin': '', 'deep/er/z.bin': '' },
      ...{ 'other/.gitignore': '/*.tmp\n', 'other/a.tmp': '' },
    });
    const tree = await treeOf(root);
    expect(pathsOf(tree)).toEqual(
      ['.agentjetignore', '.env', '.gitignore', 'build/x', 'checkpoints/m'].concat([
        ...['deep/.agentjetignore', 'deep/z.bin', 'other/.gitignore', 'sub/.gitignore'],
      ]),
    );
    expect(tree.excluded).toEqual([
      { path: 'a.log', rule: '.gitignore', pattern: '*.log' },
      { path: 'big.bin', rule: '.agentjetignore', pattern: '*.bin' },
      { path: 'deep/er/z.bin', rule: '.agentjetignore', pattern: '*.bin' },
      { path: 'keep.log', rule: '.agentjetignore', pattern: 'keep.log' },
      { path: 'other/a.tmp', rule: 'other/.gitignore', pattern: '/*.tmp' },
      { path: 'sub/y.bin', rule: '.agentjetignore', pattern: '*.bin' },
    ]);
  });

  test('is what git would take, whatever .gitignore files say, above the root as well', async () => {
    const { seed, numRuns } = fuzz(11, 150);
    let below = 0;
    for (let run = 0; run < numRuns; run++) {
      const random = new Random(`git ${seed} ${run}`);
      const top = await temporary();
      const files = randomTree(random);
      await write(top, files);
      await git(top, 'init', '-q');
      if (random.chance(0.5)) await write(top, { '.git/info/exclude': rulesOf(random) });
      const folders = Object.keys(files).flatMap((file) => (file.includes('/') ? [path.dirname(file)] : []));
      const inside = random.chance(0.7) && folders.length > 0 ? random.pick(folders) : '';
      // A root that git leaves out is sent all the same.
      const isBelow = inside !== '' && !(await isIgnored(top, inside));
      if (isBelow) below++;
      const root = isBelow ? path.join(top, inside) : top;
      const listed = await git(root, 'ls-files', '-o', '--exclude-standard', '-z');
      expect(pathsOf(await treeOf(root)), `run ${run}`).toEqual(listed.split('\0').filter(Boolean).sort());
      await rm(top, { recursive: true });
    }
    expect(below).toBeGreaterThan(numRuns / 5);
  });

  test('heeds the rules of the repository that the root is in, and tells whose they are', async () => {
    const top = await temporary();
    await write(top, {
      ...{
        '.gitignore': 'secrets/\n/agents/*/local\n*.log\n',
        'agents/.gitignore': '!kept.log\n/maths/*.tmp\n',
      },
      ...{ '.agentjetignore': 'agent.py\n', 'agents/maths/agent.py': '', 'agents/maths/secrets/key': '' },
      ...{ 'agents/maths/local': '', 'agents/maths/deep/local': '', 'agents/maths/kept.log': '' },
      ...{ 'agents/maths/a.tmp': '', 'agents/maths/b.log': '', 'agents/maths/mine': '' },
    });
    const root = path.join(top, 'agents/maths');
    // Without a repository nothing above counts: a folder of that name is none.
    await write(top, { '.git/info/exclude': 'mine\n' });
    expect((await treeOf(root)).excluded).toEqual([]);
    await git(top, 'init', '-q');
    await write(top, { '.git/info/exclude': 'mine\n' });
    const tree = await treeOf(root);
    expect(pathsOf(tree)).toEqual(['agent.py', 'deep/local', 'kept.log']);
    expect(tree.excluded).toEqual([
      { path: 'a.tmp', rule: '../.gitignore', pattern: '/maths/*.tmp' },
      { path: 'b.log', rule: '../../.gitignore', pattern: '*.log' },
      { path: 'local', rule: '../../.gitignore', pattern: '/agents/*/local' },
      { path: 'mine', rule: '../../.git/info/exclude', pattern: 'mine' },
      { path: 'secrets', rule: '../../.gitignore', pattern: 'secrets/' },
    ]);
    await write(root, { '.agentjetignore': '!/b.log\n' });
    expect(pathsOf(await treeOf(root))).toContain('b.log');
    // Another repository, however it keeps its files, ends at its own folder.
    await git(root, 'init', '-q');
    expect(pathsOf(await treeOf(root))).toContain('secrets/key');
  });

  test('has the rules of a repository in its worktrees, which exclude what it does', async () => {
    const top = await temporary();
    await git(top, 'init', '-q');
    await write(top, { '.git/info/exclude': 'mine\n' });
    const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
    await git(top, ...author, 'commit', '-q', '--allow-empty', '-m', 'First');
    const tree = path.join(await temporary(), 'tree');
    await git(top, 'worktree', 'add', '-q', tree);
    await write(tree, { 'sub/mine': '', 'sub/code.py': '' });
    expect(pathsOf(await treeOf(path.join(tree, 'sub')))).toEqual(['code.py']);
  });

  test('of a root that git leaves out is what other rules let through', async () => {
    const top = await temporary();
    await git(top, 'init', '-q');
    await write(top, {
      ...{ '.gitignore': '*\n!.gitignore\n/venv/\nsecrets\n' },
      ...{ 'venv/own/agent.py': '', 'venv/own/secrets/key': '', 'venv/own/.env': '', 'venv/own/venv/x': '' },
      ...{ 'checkpoints/maths/agent.py': '', 'checkpoints/maths/checkpoints/m': '' },
    });
    expect(pathsOf(await treeOf(path.join(top, 'venv/own')))).toEqual(['agent.py']);
    expect(pathsOf(await treeOf(path.join(top, 'checkpoints/maths')))).toEqual(['agent.py']);
  });

  test('keeps links that stay inside, and tells of those that do not', async () => {
    const root = await temporary();
    await write(root, {
      ...{ 'a/file': '* x', 'a/up': '-> ../b', 'b/in': '-> ./sub/deep', dangling: '-> nowhere' },
      ...{ out: '-> ../secret', absolute: '-> /etc/passwd', 'a/around': '-> ../b/../../x', loop: '-> loop' },
    });
    const tree = await treeOf(root);
    expect(tree.links).toEqual([
      { path: 'a/up', link: '../b' },
      { path: 'b/in', link: './sub/deep' },
      { path: 'dangling', link: 'nowhere' },
      { path: 'loop', link: 'loop' },
    ]);
    expect(tree.files).toMatchObject([{ path: 'a/file', executable: true }]);
    expect(tree.excluded).toEqual([
      { path: 'a/around', rule: null, problem: 'its target has .. after a name' },
      { path: 'absolute', rule: null, problem: 'its target is absolute' },
      { path: 'out', rule: null, problem: 'its target is outside the folder' },
    ]);
  });

  test('is found through a link to the root, and never through links in it', async () => {
    const folder = await temporary();
    await write(folder, { 'root/a': '', 'outside/secret': '', 'root/l': '-> ../outside', link: '-> root' });
    expect(pathsOf(await treeOf(path.join(folder, 'link')))).toEqual(['a']);
  });

  test.skipIf(process.platform !== 'linux')(
    'has no devices and no names that are none elsewhere',
    async () => {
      const root = await temporary();
      await write(root, { 'a\\b': '', 'a\nb': '', 'README.md': '', 'Readme.md': '', ok: '' });
      await execute('mkfifo', [path.join(root, 'pipe')]);
      const tree = await treeOf(root);
      expect(pathsOf(tree)).toEqual(['README.md', 'ok']);
      expect(tree.excluded.map(({ path: left, problem }) => [left, problem])).toEqual([
        ['Readme.md', 'it differs from "README.md" only in case or accents, which some systems ignore'],
        ['a\nb', 'it has control characters'],
        ['a\\b', 'it has a backslash'],
        ['pipe', 'it is not a file, a folder or a link'],
      ]);
    },
  );

  test('comes from a folder that is there, and can be given up', async () => {
    const root = await temporary();
    await expect(treeOf(path.join(root, 'none'))).rejects.toEqual(code('sync/no-folder'));
    await writeFile(path.join(root, 'file'), '');
    await expect(treeOf(path.join(root, 'file'))).rejects.toEqual(code('sync/no-folder'));
    const source = new CancellationSource();
    source.cancel();
    const given = readTree(root, { cache: null, cancellation: source.token });
    await expect(given).rejects.toEqual(code('sync/cancelled'));
  });
});

async function git(folder: string, ...args: string[]): Promise<string> {
  return (await execute('git', ['-C', folder, '-c', 'core.excludesFile=', ...args])).stdout;
}

/** Whether git has nothing of a folder. */
async function isIgnored(top: string, folder: string): Promise<boolean> {
  return git(top, 'check-ignore', '-q', `./${folder}/`).then(
    () => true,
    () => false,
  );
}

/** Some that meet the names of a random tree often. */
function rulesOf(random: Random): string {
  const rule = (): string => {
    const pattern = random.pick([
      ...['a', 'b', '*.x', 'a*', '?b', '[ab]', '/a', '/b/', 'a/', 'a/b', '**/b', 'a/**', 'a/**/c.x', '*'],
      ...[
        '\\#h',
        '\\!n',
        '[a]',
        '\\[a\\]',
        'a b',
        'ä',
        '/*',
        '*/b',
        'c.?',
        '!a',
        '!*.x',
        '!/b',
        '!b/',
        '!c.x',
        '!**',
      ],
    ]);
    return random.chance(0.1) ? `${pattern}   ` : pattern;
  };
  return `${Array.from({ length: random.below(4) }, rule).join('\n')}\n`;
}

function randomTree(random: Random): Record<string, string> {
  const name = (): string => random.pick(['a', 'b', 'c.x', 'd.x', 'a b', '[a]', 'ab', '#h', '!n', 'ä']);
  const files: Record<string, string> = {};
  const folders = [''];
  for (let count = 0; count < 4; count++) folders.push(`${random.pick(folders)}${name()}/`);
  for (const folder of folders) {
    for (let count = 0; count < 4; count++) files[`${folder}${name()}`] = '';
    const rules = rulesOf(random);
    if (random.chance(0.6)) files[`${folder}.gitignore`] = rules;
  }
  // What is both a file and a folder is a folder.
  const isFolder = (file: string): boolean => folders.some((folder) => folder.startsWith(`${file}/`));
  return Object.fromEntries(Object.entries(files).filter(([file]) => !isFolder(file)));
}

describe('a preview', () => {
  test('tells what is sent, the biggest of it, and what is not', async () => {
    const root = await temporary();
    await write(root, {
      ...{ 'top.py': 'x'.repeat(10), 'src/a.py': 'x'.repeat(100), 'src/b.py': 'x'.repeat(50) },
      ...{ 'data/raw/2024/all.txt': 'x'.repeat(5_000), 'data/README': 'x', '.env': '' },
    });
    expect(previewOf(await treeOf(root))).toEqual({
      files: 5,
      bytes: 5_161,
      biggestFiles: [
        { path: 'data/raw/2024/all.txt', bytes: 5_000 },
        { path: 'src/a.py', bytes: 100 },
        { path: 'src/b.py', bytes: 50 },
        { path: 'top.py', bytes: 10 },
        { path: 'data/README', bytes: 1 },
      ],
      biggestFolders: expect.arrayContaining([
        { path: 'src', files: 2, bytes: 150 },
        { path: '.', files: 1, bytes: 10 },
      ]) as unknown,
      excluded: [{ path: '.env', rule: 'default', pattern: '.env' }],
      keys: [],
    });
  });

  test('of what is too much names the folders that make it so', async () => {
    const root = await temporary();
    await write(root, { 'data/raw/all.txt': 'x'.repeat(5_000), 'src/a.py': 'x', 'b.py': '' });
    const tree = await treeOf(root);
    expect(() => checkLimit(tree, { files: 3, bytes: 5_001 })).not.toThrow();
    expect(() => checkLimit(tree, { files: 3, bytes: 5_000 })).toThrow(
      expect.objectContaining({
        code: 'sync/too-large',
        message: expect.stringMatching(/Largest folders: data\/raw \(.*\), src \(/) as unknown,
      }),
    );
    expect(() => checkLimit(tree, { files: 2, bytes: 1e9 })).toThrow(code('sync/too-large'));
  });
});

describe('sums of an earlier time', () => {
  const sum = 'ab'.repeat(32);

  /** A file of sums that says of every file what it is now. */
  async function sums(root: string, cache: string): Promise<void> {
    const { files, root: real } = await treeOf(root);
    const lines = files.map(({ path: name, stamp }) => `${sum} ${stamp} ${name}`);
    await writeFile(cache, ['agentjet sums 1', JSON.stringify(real), ...lines, ''].join('\n'));
  }

  test('hold as long as a file has its times, size and inode', async () => {
    const folder = await temporary();
    const root = path.join(folder, 'root');
    const cache = path.join(folder, 'sums');
    const names = ['same', 'bytes', 'times', 'another', 'with space'];
    await write(root, Object.fromEntries(names.map((name) => [name, 'text'])));
    for (const name of names) await utimes(path.join(root, name), 1_000, 1_000);
    await sums(root, cache);
    expect((await treeOf(root, cache)).files.map(({ sha256 }) => sha256)).toEqual(names.map(() => sum));
    // The times are as they were, but when the file was changed is told all the same.
    const bytes = path.join(root, 'bytes');
    const { ctimeNs } = await stat(bytes, { bigint: true });
    // Some kernels tell the time in steps.
    do {
      await writeFile(bytes, 'TEXT');
      await utimes(bytes, 1_000, 1_000);
    } while ((await stat(bytes, { bigint: true })).ctimeNs === ctimeNs);
    await utimes(path.join(root, 'times'), 2_000, 2_000);
    await writeFile(path.join(root, 'new'), 'text');
    await rm(path.join(root, 'another'));
    await link(path.join(root, 'new'), path.join(root, 'another'));
    const known = (await treeOf(root, cache)).files.filter(({ sha256 }) => sha256 !== undefined);
    expect(known.map(({ path: name }) => name)).toEqual(['same', 'with space']);
  });

  test('that are broken, or of another folder, are none', async () => {
    const folder = await temporary();
    const root = path.join(folder, 'root');
    const cache = path.join(folder, 'sums');
    await write(root, { a: 'text', b: 'text' });
    await sums(root, cache);
    const text = await readFile(cache, 'utf8');
    await writeFile(cache, text.replace(sum, sum.replace(/^../, 'xy')));
    expect((await treeOf(root, cache)).files.map(({ sha256 }) => sha256)).toEqual([undefined, sum]);
    await writeFile(cache, text.slice(1));
    expect((await treeOf(root, cache)).files.map(({ sha256 }) => sha256)).toEqual([undefined, undefined]);
    await writeFile(cache, text.replace('root', 'toor'));
    expect((await treeOf(root, cache)).files.map(({ sha256 }) => sha256)).toEqual([undefined, undefined]);
    await rm(cache);
    await mkdir(cache);
    expect((await treeOf(root, cache)).files).toHaveLength(2);
  });
});
