import { appendFile, readFile, rm, utimes } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Project } from './project.ts';

const bootstrap = 'test/tools/bootstrap.mjs';
const lock = (version: string) =>
  JSON.stringify({
    packages: {
      '': {},
      'node_modules/one': { version, integrity: `sha512-${version}` },
      'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-x', optional: true },
    },
  });

let project: Project;

/** An npm that installs the packages of the lock file, but not the optional one of another system. */
const npm = `
echo "npm $*" >> calls
mkdir -p node_modules/node/bin
ln -sf "${process.execPath}" node_modules/node/bin/node
grep -o '"node_modules/one":{[^}]*}' package-lock.json > one
printf '{"packages":{%s}}' "$(cat one)" > node_modules/.package-lock.json`;

beforeEach(async () => {
  project = await Project.create();
  await project.write('package-lock.json', lock('1.0.0'));
  await project.write('package.json', '{}');
  await project.write('src/extension.ts', '');
  await project.write(
    'esbuild.mjs',
    `import fs from 'node:fs';
     fs.appendFileSync('calls', 'build\\n');
     fs.mkdirSync('dist', { recursive: true });
     fs.writeFileSync('dist/.built', '');`,
  );
  await project.write('calls', '');
  await project.program('bin/npm', npm);
});

afterEach(async () => {
  await project.remove();
});

async function calls(): Promise<readonly string[]> {
  const text = await readFile(project.path('calls'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

describe('bootstrap', () => {
  it('installs and builds a fresh clone, and then has nothing to do', async () => {
    expect((await project.node(bootstrap, ['--build'])).code).toBe(0);
    expect(await calls()).toEqual(['npm ci --no-audit --no-fund', 'build']);
    const second = await project.node(bootstrap, ['--build']);
    expect(second).toEqual({ code: 0, output: '' });
    expect(await calls()).toHaveLength(2);
  });

  it('only installs without --build', async () => {
    await project.node(bootstrap);
    expect(await calls()).toEqual(['npm ci --no-audit --no-fund']);
  });

  it('installs again when the lock file has changed', async () => {
    await project.node(bootstrap);
    await project.write('package-lock.json', lock('2.0.0'));
    await project.node(bootstrap);
    expect(await calls()).toHaveLength(2);
  });

  it('installs again when an installation was cut short', async () => {
    await project.node(bootstrap);
    await rm(project.path('node_modules/.package-lock.json'));
    await project.node(bootstrap);
    expect(await calls()).toHaveLength(2);
  });

  it.each(['a changed file', 'a deleted file'])('builds again after %s', async (change) => {
    await project.write('src/other.ts', '');
    await project.node(bootstrap, ['--build']);
    if (change === 'a deleted file') await rm(project.path('src/other.ts'));
    else await appendFile(project.path('src/other.ts'), '// more');
    await project.node(bootstrap, ['--build']);
    expect((await calls()).filter((call) => call === 'build')).toHaveLength(2);
  });

  it('builds again what was saved while a build was running', async () => {
    await project.write(
      'esbuild.mjs',
      `import fs from 'node:fs';
       fs.appendFileSync('calls', 'build\\n');
       fs.writeFileSync('src/extension.ts', '// saved meanwhile');
       fs.mkdirSync('dist', { recursive: true });
       fs.writeFileSync('dist/.built', '');`,
    );
    await project.node(bootstrap, ['--build']);
    await project.node(bootstrap, ['--build']);
    expect((await calls()).filter((call) => call === 'build')).toHaveLength(2);
  });

  it('does the work once when two start together', async () => {
    const both = await Promise.all([
      project.node(bootstrap, ['--build']),
      project.node(bootstrap, ['--build']),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await calls()).toEqual(['npm ci --no-audit --no-fund', 'build']);
  });

  it('runs a command with the installed Node.js and gives back its exit code', async () => {
    const script = 'console.log(process.argv0, process.execPath); process.exit(3)';
    const { code, output } = await project.node(bootstrap, ['--', 'node', '-e', script]);
    expect(code).toBe(3);
    expect(output).toContain(project.path('node_modules/node/bin/node'));
  });

  it('says so when npm is missing', async () => {
    const { code, output } = await project.node(bootstrap, [], { PATH: project.path('nowhere') });
    expect(code).toBe(1);
    expect(output).toContain('npm was not found');
  });

  it('says so when the registry cannot be reached, and shows what npm said', async () => {
    await project.program('bin/npm', 'echo "npm error code ENOTFOUND"; exit 1');
    const { code, output } = await project.node(bootstrap);
    expect(code).toBe(1);
    expect(output).toContain('npm cannot reach its registry (ENOTFOUND)');
    expect(output).toContain('npm error code ENOTFOUND');
  });

  it('shows the output of a build that failed, and tries again the next time', async () => {
    await project.write('esbuild.mjs', 'console.error("no such entry"); process.exit(1);');
    const first = await project.node(bootstrap, ['--build']);
    expect(first.code).toBe(1);
    expect(first.output).toContain('no such entry');
    expect((await project.node(bootstrap, ['--build'])).code).toBe(1);
  });

  it('refuses an option it does not know', async () => {
    expect(await project.node(bootstrap, ['--bulid'])).toMatchObject({ code: 1 });
  });

  it('is not fooled by sources that are older than the clone', async () => {
    await project.node(bootstrap, ['--build']);
    const old = new Date('2020-01-01');
    await utimes(project.path('dist/.built'), old, old);
    await project.node(bootstrap, ['--build']);
    expect((await calls()).filter((call) => call === 'build')).toHaveLength(2);
  });
});
